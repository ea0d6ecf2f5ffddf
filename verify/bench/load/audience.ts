// All open pages: the listings that they received, when, and duplicates.
import { type Socket, io } from "socket.io-client";
import {
  type ClientToServer,
  type FluxPayload,
  type PurchasePayload,
  type ServerToClient,
  SOCKET_PATH,
} from "#contract/socket.ts";
import { momentOfCursor } from "#feed/publish/cursors.ts";
import { pause } from "../figures.ts";
import type { Crowd, Member } from "./crowd.ts";

type Page = Socket<ServerToClient, ClientToServer>;

export interface Audience {
  /** From the product reading a listing until a page received it, in ms; one sample per delivery. */
  readonly deliveriesMs: readonly number[];
  /** The same from the match, without the wait for a listing's category; one sample per event. */
  readonly tellingsMs: readonly number[];
  /** From the product reading a listing until a page knows of its purchase (the intent is durable before). */
  readonly intentsMs: readonly number[];
  /** Deliveries of listings that the page already had. */
  readonly doubled: number;
  readonly refusals: readonly string[];
  /** Discards the samples so far, but not which pages received what. */
  measureFromNow(): void;
  isTold(member: Member, listingId: number): boolean;
  /** Listings whose purchase a page has seen end. */
  readonly settled: ReadonlySet<number>;
  /** Disconnects all pages at once. @returns milliseconds until the last one has reconnected */
  storm(): Promise<number>;
  close(): void;
}

/** Pages that connect concurrently. */
const OPENING_AT_ONCE = 50;
const STORM_LIMIT_MS = 120_000;
const STORM_POLL_MS = 50;

export async function seatAudience(urls: readonly string[], crowd: Crowd): Promise<Audience> {
  const deliveriesMs: number[] = [];
  const tellingsMs: number[] = [];
  const refusals: string[] = [];
  const toldTo = new Map<Member, Set<number>>();
  const cursors = new Map<Member, string>();
  const seenAtMs = new Map<number, number>();
  const intentAtMs = new Map<number, number>();
  const settled = new Set<number>();
  let doubled = 0;

  function hearItems(member: Member, { items, curseur }: FluxPayload): void {
    const nowMs = Date.now();
    const told = toldTo.get(member) ?? new Set<number>();
    toldTo.set(member, told);
    cursors.set(member, curseur);
    if (items.length > 0) tellingsMs.push(nowMs - momentOfCursor(curseur));
    for (const item of items) {
      seenAtMs.set(item.id, item.vu_a);
      if (told.has(item.id)) doubled += 1;
      else deliveriesMs.push(nowMs - item.vu_a);
      told.add(item.id);
    }
  }

  function hearPurchase({ purchase }: PurchasePayload): void {
    if (purchase === undefined) return;
    const { id } = purchase.product;
    if (purchase.status !== 2) settled.add(id);
    if (!intentAtMs.has(id)) intentAtMs.set(id, Date.now());
  }

  function open(member: Member, url: string): Page {
    const depuis = cursors.get(member);
    const page: Page = io(url, {
      path: SOCKET_PATH,
      transports: ["websocket"],
      forceNew: true,
      reconnection: true,
      reconnectionDelay: 1_000,
      reconnectionDelayMax: 5_000,
      randomizationFactor: 0.5,
      timeout: 20_000,
      extraHeaders: { cookie: member.person.cookie },
      auth: depuis === undefined ? {} : { depuis },
    });
    page.on("flux_handler", (payload) => {
      hearItems(member, payload);
      page.auth = { depuis: payload.curseur };
    });
    page.on("purchaseData", hearPurchase);
    page.on("connect_error", (error) => refusals.push(error.message));
    return page;
  }

  const pages: Page[] = [];
  for (const [index, member] of crowd.members.entries()) {
    pages.push(open(member, urls[index % urls.length] ?? ""));
    if (index % OPENING_AT_ONCE === OPENING_AT_ONCE - 1) await pause(STORM_POLL_MS);
  }
  await untilAllIn(pages);

  return {
    deliveriesMs,
    tellingsMs,
    // The intent may be received before its listing, so samples are computed when read.
    get intentsMs() {
      return [...intentAtMs].flatMap(([id, atMs]) => {
        const seen = seenAtMs.get(id);
        return seen === undefined ? [] : [atMs - seen];
      });
    },
    refusals,
    settled,
    get doubled() {
      return doubled;
    },
    measureFromNow() {
      for (const times of [deliveriesMs, tellingsMs]) times.length = 0;
      intentAtMs.clear();
    },
    isTold: (member, listingId) => toldTo.get(member)?.has(listingId) ?? false,
    async storm() {
      const beganAtMs = Date.now();
      // As when a node dies: the transport closes, and every page reconnects by itself.
      for (const page of pages) page.io.engine.close();
      await pause(STORM_POLL_MS);
      await untilAllIn(pages);
      return Date.now() - beganAtMs;
    },
    close: () => pages.forEach((page) => page.close()),
  };
}

async function untilAllIn(pages: readonly Page[]): Promise<void> {
  for (let waitedMs = 0; waitedMs < STORM_LIMIT_MS; waitedMs += STORM_POLL_MS) {
    if (pages.every(({ connected }) => connected)) return;
    await pause(STORM_POLL_MS);
  }
  const missing = pages.filter(({ connected }) => !connected).length;
  throw new Error(`${missing} of ${pages.length} pages did not connect`);
}
