// All open pages: the listings that they received, when, and duplicates.
import { type Socket, io } from "socket.io-client";
import {
  type ClientToServer,
  type FluxPayload,
  type PurchasePayload,
  type ServerToClient,
  SOCKET_PATH,
} from "#contract/socket.ts";
import { CURSORS_PER_MS } from "#feed/publish/cursors.ts";
import { pause } from "../figures.ts";
import type { Population, LoadPerson } from "./population.ts";

type Page = Socket<ServerToClient, ClientToServer>;

export interface OpenPages {
  /** From the product reading a listing until a page received it, in ms; one sample per delivery. */
  readonly deliveriesMs: readonly number[];
  /** The same from the match, without the wait for a listing's category; one sample per event. */
  readonly publishDelaysMs: readonly number[];
  /** From the product reading a listing until a page knows of its purchase (the intent is durable before). */
  readonly intentsMs: readonly number[];
  /** Deliveries of listings that the page already had. */
  readonly duplicateCount: number;
  /** Discards the samples so far, but not which pages received what. */
  measureFromNow(): void;
  hasReceived(member: LoadPerson, listingId: number): boolean;
  /** Listings whose purchase a page has seen end. */
  readonly settled: ReadonlySet<number>;
  /** Disconnects all pages at once. @returns milliseconds until the last one has reconnected */
  reconnectAll(): Promise<number>;
  close(): void;
}

/** Pages that connect concurrently. */
const OPENING_AT_ONCE = 50;
const RECONNECT_LIMIT_MS = 120_000;
const RECONNECT_POLL_MS = 50;

export async function connectPages(urls: readonly string[], population: Population): Promise<OpenPages> {
  const deliveriesMs: number[] = [];
  const publishDelaysMs: number[] = [];
  const receivedBy = new Map<LoadPerson, Set<number>>();
  const cursors = new Map<LoadPerson, string>();
  const seenAtMs = new Map<number, number>();
  const intentAtMs = new Map<number, number>();
  const settled = new Set<number>();
  let duplicateCount = 0;

  function onItems(member: LoadPerson, { items, curseur }: FluxPayload): void {
    const nowMs = Date.now();
    const received = receivedBy.get(member) ?? new Set<number>();
    receivedBy.set(member, received);
    cursors.set(member, curseur);
    if (items.length > 0) publishDelaysMs.push(nowMs - Number(BigInt(curseur) / CURSORS_PER_MS));
    for (const item of items) {
      seenAtMs.set(item.id, item.vu_a);
      if (received.has(item.id)) duplicateCount += 1;
      else deliveriesMs.push(nowMs - item.vu_a);
      received.add(item.id);
    }
  }

  function onPurchase({ purchase }: PurchasePayload): void {
    if (purchase === undefined) return;
    const { id } = purchase.product;
    if (purchase.status !== 2) settled.add(id);
    if (!intentAtMs.has(id)) intentAtMs.set(id, Date.now());
  }

  function open(member: LoadPerson, url: string): Page {
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
      onItems(member, payload);
      page.auth = { depuis: payload.curseur };
    });
    page.on("purchaseData", onPurchase);
    return page;
  }

  const pages: Page[] = [];
  for (const [index, member] of population.people.entries()) {
    pages.push(open(member, urls[index % urls.length] ?? ""));
    if (index % OPENING_AT_ONCE === OPENING_AT_ONCE - 1) await pause(RECONNECT_POLL_MS);
  }
  await untilAllConnected(pages);

  return {
    deliveriesMs,
    publishDelaysMs,
    // The intent may be received before its listing, so samples are computed when read.
    get intentsMs() {
      return [...intentAtMs].flatMap(([id, atMs]) => {
        const seen = seenAtMs.get(id);
        return seen === undefined ? [] : [atMs - seen];
      });
    },
    settled,
    get duplicateCount() {
      return duplicateCount;
    },
    measureFromNow() {
      for (const times of [deliveriesMs, publishDelaysMs]) times.length = 0;
      intentAtMs.clear();
    },
    hasReceived: (member, listingId) => receivedBy.get(member)?.has(listingId) ?? false,
    async reconnectAll() {
      const beganAtMs = Date.now();
      // As when a node dies: the transport closes, and every page reconnects by itself.
      for (const page of pages) page.io.engine.close();
      await pause(RECONNECT_POLL_MS);
      await untilAllConnected(pages);
      return Date.now() - beganAtMs;
    },
    close: () => pages.forEach((page) => page.close()),
  };
}

async function untilAllConnected(pages: readonly Page[]): Promise<void> {
  for (let waitedMs = 0; waitedMs < RECONNECT_LIMIT_MS; waitedMs += RECONNECT_POLL_MS) {
    if (pages.every(({ connected }) => connected)) return;
    await pause(RECONNECT_POLL_MS);
  }
  const missing = pages.filter(({ connected }) => !connected).length;
  throw new Error(`${missing} of ${pages.length} pages did not connect`);
}
