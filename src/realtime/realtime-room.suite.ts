import { once } from "node:events";
import { createServer, request } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { io, type Socket as Client } from "socket.io-client";
import { afterEach, expect } from "vitest";
import { sessionIdOf, type Visitor } from "#auth/sessions.ts";
import type { FluxPayload, PurchasePayload } from "#contract/socket.ts";
import type { GroupState } from "#domain/buying-rules.ts";
import { BlockedSellers } from "#domain/market/blocked-sellers.ts";
import type { ProductEvent } from "#domain/events.ts";
import { asFilterId, asUserId } from "#domain/ids.ts";
import type { UserMatch } from "#domain/market/match.ts";
import type { Purchase } from "#domain/purchase.ts";
import { levelNow, type User } from "#domain/user.ts";
import type { FeedState, KnownBackground, MatchBatch } from "#feed/feed.ts";
import { systemClock } from "#server/clock.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { aListing, aSeenListing } from "#verify/testing/a-listing.ts";
import { aMatch } from "#verify/testing/a-match.ts";
import { aUser } from "#verify/testing/a-user.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { createRealtime } from "./socket-server.ts";

export const COOKIES = {
  lea: `__Host-sid=${"a".repeat(43)}`,
  leaElsewhere: `__Host-sid=${"b".repeat(43)}`,
  tom: `__Host-sid=${"c".repeat(43)}`,
  nobody: `__Host-sid=${"d".repeat(43)}`,
};
export const LEA = asUserId("lea");
export const TOM = asUserId("tom");

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** The realtime room on a real HTTP server, with people, a feed and events that the test controls. */
export async function aRoom({ isSandbox = true, hasOtherNodes = false } = {}) {
  const people = new Map<string, User>([
    [COOKIES.lea, aUser({ id: LEA })],
    [COOKIES.leaElsewhere, aUser({ id: LEA })],
    [COOKIES.tom, aUser({ id: TOM, plan: "none" })],
  ]);
  const batches = new Set<(batch: MatchBatch) => void>();
  const backgrounds = new Set<(known: KnownBackground) => void>();
  const listeners = new Set<(event: ProductEvent) => void | Promise<void>>();
  const purchases = new Map<string, Purchase>();
  const log = createQuietLog();
  /** The last read of each session: "recent" ones may be a second old, as in the product. */
  const levels = new Map<string, { readonly level: number | null; readonly atMs: number }>();
  const held = {
    state: { kind: "live" } as FeedState,
    missed: [] as readonly UserMatch[],
    since: [] as (string | null)[],
    /** Each replay waits for this promise. */
    reading: Promise.resolve(),
    blocked: BlockedSellers.NONE,
    /** Each read of a block list takes the current value, then waits for this promise. */
    readingBlocked: Promise.resolve(),
    groups: [] as readonly GroupState[],
    lookUps: 0,
    isStoreAway: false,
    areSessionsAway: false,
  };
  const server = createServer((_request, response) => response.writeHead(404).end());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `http://localhost:${port}`;
  const realtime = createRealtime({
    server,
    publicUrl: url,
    trustedProxies: [],
    otherNodes: hasOtherNodes ? { answerWith: async () => undefined, socketsOf: async () => 0 } : null,
    isSandbox,
    marketUrl: "http://localhost:1",
    sessions: {
      visitor: async (cookie) => {
        held.lookUps += 1;
        return visitorOf(people, cookie);
      },
      levelOf: async (id, as = "recent") => {
        if (held.areSessionsAway) throw new Error("the store is away");
        const known = levels.get(id);
        if (as === "recent" && known !== undefined && performance.now() - known.atMs < 1_000)
          return known.level;
        const cookie = [...people.keys()].find((each) => sessionIdOf(each) === id);
        const level = visitorOf(people, cookie)?.level ?? null;
        levels.set(id, { level, atMs: performance.now() });
        return level;
      },
    },
    feed: {
      state: () => held.state,
      onBatch: (listener) => {
        batches.add(listener);
        return () => void batches.delete(listener);
      },
      onBackground: (listener) => {
        backgrounds.add(listener);
        return () => void backgrounds.delete(listener);
      },
      replay: async (_userId, since) => {
        held.since.push(since);
        await held.reading;
        return held.missed;
      },
      watch: () => () => undefined,
    },
    sellers: {
      blockedOf: async () => {
        const { blocked } = held;
        await held.readingBlocked;
        return blocked;
      },
    },
    filters: {
      byId: async (userId, id) => {
        if (held.isStoreAway) throw new Error("the store is away");
        return aFilter({ id, userId, tag: "Robes" });
      },
    },
    groups: { list: async () => held.groups },
    purchaseById: async (_userId, id) => {
      if (held.isStoreAway) throw new Error("the store is away");
      return purchases.get(id) ?? null;
    },
    events: {
      subscribe: (listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    clock: systemClock,
    log,
    minPriceDays: 7,
    areLimitsOn: true,
  });
  await realtime.run();
  closers.push(async () => {
    await realtime.stop();
    server.closeAllConnections();
    server.close();
  });
  return {
    url,
    port,
    people,
    purchases,
    held,
    log,
    realtime,
    publish: async (event: ProductEvent) =>
      void (await Promise.all([...listeners].map(async (listener) => listener(event)))),
    match: (...matches: readonly UserMatch[]) => {
      for (const listener of batches) listener({ wishes: [], matches });
    },
    becomesKnown: (known: KnownBackground) => {
      for (const listener of backgrounds) listener(known);
    },
  };
}

function visitorOf(people: ReadonlyMap<string, User>, cookie: string | undefined): Visitor | null {
  const user = people.get(cookie ?? "");
  const sessionId = sessionIdOf(cookie);
  if (user === undefined || sessionId === null) return null;
  return { user, sessionId, level: levelNow(user, Date.now()) };
}

export interface Tab {
  readonly socket: Client;
  readonly flux: FluxPayload[];
  readonly purchases: PurchasePayload[];
  /** "connect", "connect_error: …" and "disconnect: …" in order. */
  readonly life: string[];
}

export function open(
  url: string,
  cookie: string | null,
  options: {
    transport?: "websocket" | "polling";
    depuis?: string;
    affiches?: unknown;
    origin?: string;
  } = {},
): Tab {
  const extraHeaders: Record<string, string> = {
    ...(cookie === null ? {} : { cookie }),
    ...(options.origin === undefined ? {} : { origin: options.origin }),
  };
  const socket = io(url, {
    transports: [options.transport ?? "websocket"],
    upgrade: false,
    reconnection: false,
    forceNew: true,
    extraHeaders,
    auth: {
      ...(options.depuis === undefined ? {} : { depuis: options.depuis }),
      ...(options.affiches === undefined ? {} : { affiches: options.affiches }),
    },
  });
  const tab: Tab = { socket, flux: [], purchases: [], life: [] };
  socket.on("flux_handler", (payload: FluxPayload) => tab.flux.push(payload));
  socket.on("purchaseData", (payload: PurchasePayload) => tab.purchases.push(payload));
  socket.on("connect", () => tab.life.push("connect"));
  socket.on("connect_error", (error) => tab.life.push(`connect_error: ${error.message}`));
  socket.on("disconnect", (reason) => tab.life.push(`disconnect: ${reason}`));
  closers.push(() => void socket.close());
  return tab;
}

export async function connected(...parameters: Parameters<typeof open>): Promise<Tab> {
  const tab = open(...parameters);
  await expect.poll(() => tab.life).toEqual(["connect"]);
  return tab;
}

export function matchOf(id: number, cursor = id, priceCents = 1_000): UserMatch {
  const listing = aSeenListing({ listing: aListing({ id, totalPriceCents: priceCents }) });
  return aMatch({ userId: LEA, listing, cursor: String(cursor), filterIds: [asFilterId("f1")] });
}

export const idsOf = (payload: FluxPayload | undefined) => payload?.items.map((item) => item.id);

export interface Answered {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

export async function ask(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
  { method = "GET", body = "" } = {},
): Promise<Answered> {
  const sent = request({
    port,
    host: "127.0.0.1",
    path,
    method,
    headers: { host: `localhost:${port}`, ...headers },
  });
  sent.end(body);
  return new Promise((resolve, reject) => {
    sent.on("error", reject);
    sent.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => (text += part));
      response.on("end", () =>
        resolve({ status: response.statusCode, headers: response.headers, body: text }),
      );
    });
  });
}

export async function handshake(port: number, cookie: string): Promise<string> {
  const answer = await ask(port, "/socket.io/?EIO=4&transport=polling", { cookie });
  const sid = /"sid":"([^"]+)"/.exec(answer.body)?.[1];
  if (sid === undefined) throw new Error(`no handshake: ${answer.body}`);
  return sid;
}

export async function upgrade(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
  method = "GET",
): Promise<string> {
  const wire = connect(port, "127.0.0.1");
  wire.write(upgradeLines(port, path, headers, method));
  const [first] = (await once(wire, "data")) as [Buffer];
  wire.destroy();
  return first.toString();
}

export function upgradeLines(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
  method = "GET",
): string {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: localhost:${port}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** A hand-made WebSocket that has not sent anything yet. */
export async function openWire(port: number, cookie: string): Promise<Socket> {
  const wire = connect(port, "127.0.0.1");
  closers.push(() => void wire.destroy());
  wire.on("error", () => undefined);
  wire.write(upgradeLines(port, "/socket.io/?EIO=4&transport=websocket", { Cookie: cookie }));
  await once(wire, "data");
  return wire.resume();
}

/** A short masked text frame, as clients must send; the zero mask leaves the text unchanged. */
export function maskedFrame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);
}
