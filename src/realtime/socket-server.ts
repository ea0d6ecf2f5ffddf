/**
 * The socket server: one socket per open page, which receives its person's matches and purchases as they happen. It
 * decides nothing: matches come from the feed, purchases from the store, and permissions from the session.
 */
import type { Server as HttpServer } from "node:http";
import { Server } from "socket.io";
import type { Sessions } from "#auth/sessions.ts";
import { SOCKET_PATH } from "#contract/socket.ts";
import type { Clock } from "#domain/clock.ts";
import { describeError, type Log } from "#domain/log.ts";
import type { EventBus, ProductEvent } from "#domain/events.ts";
import type { PurchaseId, UserId } from "#domain/ids.ts";
import { createKeyedQueue, type KeyedQueue } from "#domain/concurrency.ts";
import type { UserMatch } from "#domain/market/match.ts";
import type { Purchase } from "#domain/purchase.ts";
import type { Service } from "#domain/service.ts";
import type { Feed, MatchBatch } from "#feed/feed.ts";
import { presentMissedWish } from "#presenters/recit.ts";
import type { FilterStore, GroupStore } from "#store/market-store.ts";
import type { SellerStore } from "#store/store.ts";
import {
  admit,
  type Refusal,
  REFUSAL_TEXTS,
  MAX_SOCKETS_PER_USER,
  type OtherNodes,
  People,
  type ClientSocket,
  type EngineConnection,
  type SocketServer,
} from "./admission.ts";
import { type ConnectionGuard, guardConnections } from "./connection-guard.ts";
import { createHandshakePace, watchForFloods } from "./connection-limits.ts";
import { type FluxHandler, openFlux } from "./flux-handler.ts";
import { createPurchaseData, sendStop } from "./person-events.ts";

interface RealtimeDeps {
  /** The product's own HTTP server, before it listens. */
  readonly server: HttpServer;
  readonly publicUrl: string;
  /** Addresses and networks of trusted proxies. */
  readonly trustedProxies: readonly string[];
  /** Scheme and host of the marketplace for browsers. */
  readonly marketUrl: string;
  readonly sessions: Pick<Sessions, "visitor" | "levelOf">;
  readonly feed: Pick<Feed, "state" | "onBatch" | "onBackground" | "replay" | "watch">;
  readonly sellers: Pick<SellerStore, "blockedOf">;
  readonly filters: Pick<FilterStore, "byId">;
  readonly groups: Pick<GroupStore, "list">;
  /** Days on which similar listings must have been seen before a usual price is trusted. */
  readonly minPriceDays: number;
  readonly purchaseById: (userId: UserId, id: PurchaseId) => Promise<Purchase | null>;
  readonly events: Pick<EventBus, "subscribe">;
  readonly clock: Clock;
  readonly log: Log;
  readonly areLimitsOn: boolean;
  /** In the sandbox one machine acts as many people. */
  readonly isSandbox: boolean;
  /** Null with a single node. */
  readonly otherNodes: OtherNodes | null;
}

export interface Realtime extends Service {
  readonly socketCount: number;
}

const MAX_FRAME_BYTES = 16 * 1024;
const BLOCK_LIST_AGE_MS = 1_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** Admissions per connection, each of which looks up the session: a client may reconnect once. */
const MAX_ENTRIES = 2;

export function createRealtime(deps: RealtimeDeps): Realtime {
  const io = createSocketServer(deps.server);
  const isInPace = deps.areLimitsOn ? createHandshakePace(deps) : () => true;
  const guard = guardConnections(io, { ...deps, isInPace });
  if (deps.areLimitsOn) watchForFloods(io, { clock: deps.clock, cut: guard.cut });
  const people = new People<ClientSocket>(deps.areLimitsOn ? MAX_SOCKETS_PER_USER : Infinity);
  const streams = new Map<ClientSocket, FluxHandler>();
  const room = {
    people,
    streams,
    guard,
    inTurn: createKeyedQueue(),
  };
  const onEvent = createEventHandler(room, deps);
  const endings: (() => void)[] = [];

  const entries = new WeakMap<EngineConnection, number>();
  io.use((socket, answer) => {
    const { conn } = socket;
    const entryCount = (entries.get(conn) ?? 0) + 1;
    entries.set(conn, entryCount);
    if (entryCount > MAX_ENTRIES) {
      guard.cut(conn);
      answer(new Error(REFUSAL_TEXTS.unavailable));
      return;
    }
    void enter(socket, people, deps).then((refusal) => {
      answer(refusal === null ? undefined : new Error(REFUSAL_TEXTS[refusal]));
      // The refusal is written in this turn of the event loop, before the connection closes.
      if (refusal !== null) setImmediate(() => conn.close());
    });
  });
  io.on("connection", (socket) => welcome(socket, room, deps));

  return {
    get socketCount() {
      return streams.size;
    },
    async run() {
      await deps.otherNodes?.answerWith((userId) => people.socketsOf(userId).length);
      endings.push(
        // Not in the same turn: the wishes of a batch are offered before thousands of events to pages.
        deps.feed.onBatch((batch) => void setImmediate(() => deliver(batch, room, deps.log))),
        deps.feed.onBackground(({ listingId, background }) => {
          for (const stream of room.streams.values()) void stream.backgroundKnown(listingId, background);
        }),
        deps.events.subscribe(onEvent),
      );
    },
    async stop() {
      for (const end of endings.splice(0)) end();
      io.disconnectSockets(true);
      io.engine.close();
    },
  };
}

interface Room {
  readonly people: People<ClientSocket>;
  readonly streams: Map<ClientSocket, FluxHandler>;
  readonly guard: ConnectionGuard;
  readonly inTurn: KeyedQueue;
}

function createSocketServer(server: HttpServer): SocketServer {
  // Node and the library leave the connection of an upgrade without a listener until it is accepted: a client that
  // resets it meanwhile would end the process.
  server.on("upgrade", (request, wire) => {
    wire.on("error", () => wire.destroy());
    // Nothing else ends the connection of a refused upgrade whose client keeps its half open.
    wire.on("finish", () => wire.destroy());
    // For another path the library ends only a connection without earlier answers; with a body Node hands over a
    // substitute for the connection, which it cannot end.
    if (request.url?.startsWith(`${SOCKET_PATH}/`) !== true || wire !== request.socket) wire.destroy();
  });
  return new Server(server, {
    path: SOCKET_PATH,
    transports: ["polling", "websocket"],
    connectTimeout: CONNECT_TIMEOUT_MS,
    maxHttpBufferSize: MAX_FRAME_BYTES,
    // Compression would take four times the memory per client, and messages are small.
    perMessageDeflate: false,
    httpCompression: false,
    allowEIO3: false,
    serveClient: false,
  });
}

/** The reason why the socket is refused; null once it is admitted. */
async function enter(
  socket: ClientSocket,
  people: People<ClientSocket>,
  deps: RealtimeDeps,
): Promise<Refusal | null> {
  try {
    const admission = await admit(socket.handshake.headers.cookie, deps);
    if (typeof admission === "string") return admission;
    const takenElsewhere = deps.areLimitsOn ? ((await deps.otherNodes?.socketsOf(admission.userId)) ?? 0) : 0;
    if (socket.conn.readyState !== "open") return "unavailable";
    if (!people.enter(socket, admission, takenElsewhere)) return "too_many_sockets";
    // Released with the connection, even if the socket never reaches "connection".
    socket.conn.once("close", () => people.leave(socket, admission.userId));
    socket.data.admission = admission;
    return null;
  } catch (error) {
    deps.log.error(describeError(error), "a socket could not be admitted");
    return "unavailable";
  }
}

function welcome(socket: ClientSocket, room: Room, deps: RealtimeDeps): void {
  const { people, streams, guard, inTurn } = room;
  const { admission } = socket.data;
  if (admission === undefined) {
    socket.disconnect(true);
    return;
  }
  const stream = openFlux(socket, admission, {
    ...deps,
    inTurn,
    blockListAgeMs: deps.otherNodes === null ? Infinity : BLOCK_LIST_AGE_MS,
    cut: ({ conn }) => guard.cut(conn),
  });
  streams.set(socket, stream);
  // An invalid frame closes the connection.
  socket.on("error", () => guard.cut(socket.conn));
  socket.on("disconnect", () => {
    stream.close();
    streams.delete(socket);
    people.leave(socket, admission.userId);
  });
}

/** A failure of one page does not affect the others. */
function deliver({ matches }: MatchBatch, { people, streams }: Room, log: Log): void {
  for (const [userId, own] of Map.groupBy(matches, (match: UserMatch) => match.userId))
    for (const socket of people.socketsOf(userId))
      try {
        streams.get(socket)?.offer(own);
      } catch (error) {
        log.error({ userId, ...describeError(error) }, "matches could not be sent to a page");
      }
}

function createEventHandler(room: Room, deps: RealtimeDeps): (event: ProductEvent) => Promise<void> {
  const { people, streams } = room;
  const isHere = (userId: UserId): boolean => people.socketsOf(userId).length > 0;
  const sendPurchase = createPurchaseData({
    ...deps,
    isHere,
    send: (userId, payload) => sendToPages(userId, (socket) => socket.emit("purchaseData", payload), room),
    cut: (userId) => {
      for (const { conn } of people.socketsOf(userId)) conn.close();
    },
  });
  return async (event) => {
    if (event.kind === "purchase_changed") sendPurchase(event.userId, event.purchaseId);
    if (event.kind === "autobuy_stopped")
      await sendStop(
        {
          ...deps,
          isHere,
          send: (userId, payload) =>
            sendToPages(userId, (socket) => socket.emit("filtreData", payload), room),
        },
        event,
      );
    if (event.kind === "purchase_to_confirm") {
      const { marketUrl, minPriceDays } = deps;
      const manque = presentMissedWish(event.miss, { marketUrl, minPriceDays, current: event.miss.listing });
      const { seller } = event.miss.listing;
      for (const socket of people.socketsOf(event.userId))
        await streams.get(socket)?.toConfirm(seller, { manque });
    }
    if (event.kind === "price_rose")
      await Promise.all(Array.from(streams.values(), (stream) => stream.priceRose(event)));
    if (event.kind === "sellers_changed")
      for (const socket of people.socketsOf(event.userId)) streams.get(socket)?.sellersChanged();
    if (event.kind === "user_changed") await accountChanged(event.userId, room);
    if (event.kind === "session_ended")
      for (const socket of people.ofSession(event.userId, event.sessionId)) socket.disconnect(true);
  };
}

async function sendToPages(
  userId: UserId,
  send: (socket: ClientSocket) => void,
  { people, streams }: Room,
): Promise<void> {
  for (const socket of people.socketsOf(userId)) {
    if (!streams.has(socket)) continue;
    if (await socket.data.admission?.isStillValid()) send(socket);
    else socket.disconnect(true);
  }
}

/** Notifies the person's pages, and disconnects the sockets that are no longer permitted. */
async function accountChanged(userId: UserId, { people, streams }: Room): Promise<void> {
  for (const socket of people.socketsOf(userId)) {
    if ((await socket.data.admission?.isStillValid("now")) !== true) socket.disconnect(true);
    else if (streams.has(socket)) socket.emit("compteData");
  }
}
