/**
 * The page's single socket connection, which delivers listings and purchase events. Screens subscribe to its
 * observables.
 */
import { createContext, use } from "react";
import type { Socket } from "socket.io-client";
import type { Manque } from "#contract/achat.ts";
import type { Argent } from "#contract/envelope.ts";
import type { ProduitDuFlux } from "#contract/produit.ts";
import {
  SOCKET_PATH,
  type ClientToServer,
  type HandshakeAuth,
  type PrixPayload,
  type PurchasePayload,
  type ServerToClient,
} from "#contract/socket.ts";
import {
  FLUX_MAX_ITEMS,
  FLUX_MAX_SHOWN,
  FLUX_POLL_INTERVAL_MS,
  SOCKET_RANDOMIZATION_FACTOR,
  SOCKET_RECONNECTION_DELAY_MAX_MS,
  SOCKET_RECONNECTION_DELAY_MS,
  SOCKET_TIMEOUT_MS,
} from "#contract/bounds.ts";
import { createArrivalQueue } from "./arrival-queue.ts";
import { createObservable, type Observable } from "./observable.ts";
import {
  readArticle,
  readFilterNews,
  readFlux,
  readPrice,
  readPurchaseNews,
  readToConfirm,
} from "../panel-answers.ts";
import {
  withFacts,
  atPrice,
  fallenAmong,
  inFrontOf,
  insideOf,
  notAmong,
  risenAmong,
  withEarlier,
  withoutFilters,
  type StreamItem,
} from "./stream-items.ts";

export type Connection =
  | { readonly kind: "connecting" }
  | { readonly kind: "live" }
  | { readonly kind: "reconnecting" }
  | {
      readonly kind: "paused";
      readonly reason: string;
      readonly untilMs?: number | undefined;
      /** The person must do what the reason says; otherwise the feed resumes by itself. */
      readonly mustAct?: boolean;
    };

interface LiveFeedListeners {
  readonly onPurchase: (payload: PurchasePayload) => void;
  readonly onPrice: (payload: PrixPayload) => void;
  /** The product ended automatic buying of filters; the message says which and why. */
  readonly onAutobuyStopped: (message: string) => void;
  /** The plan or the stop of automatic buying changed, also on another device. */
  readonly onAccountChanged: () => void;
  /** A listing is so cheap that its purchase needs the person's confirmation. */
  readonly onToConfirm: (manque: Manque) => void;
  /** `isAgain`: reconnected. The server replays missed listings only, so all other data must be refetched. */
  readonly onConnected: (isAgain: boolean) => void;
  /** The server ended or refused the connection: the session or the level may be gone. */
  readonly onRefused: () => void;
}

export interface LiveFeed {
  readonly connection: Observable<Connection>;
  /** The listings on the screen, newest first. */
  readonly items: Observable<readonly StreamItem[]>;
  /** Received while arrivals were held, newest first. */
  readonly held: Observable<readonly StreamItem[]>;
  /** While true, arrivals are held instead of shown; afterwards they are shown with the next batch. */
  readonly holding: Observable<boolean>;
  readonly setHolding: (isHolding: boolean) => void;
  /** Shows the held listings immediately, at the person's request. */
  readonly showHeld: () => void;
  /** Removes the listings that only these deleted filters matched. */
  readonly dropFilters: (ids: readonly string[]) => void;
  /** Sets a listing's price, as received from the socket or with a refused click. */
  readonly setPrice: (id: number, price: Argent) => void;
  /** Whether the recent listings are among the items: until then an empty stream is still loading. */
  readonly hasRecent: Observable<boolean>;
  /** Inserts the recent listings, from before the stream opened, by age. */
  readonly addRecent: (recent: readonly ProduitDuFlux[]) => void;
  /** Connects; the returned function disconnects. */
  readonly run: (listeners: LiveFeedListeners) => () => void;
  readonly forget: () => void;
}

/** @param recent listings from before the stream opens, newest first: the first render shows them */
export function createLiveFeed(recent?: readonly ProduitDuFlux[]): LiveFeed {
  const connection = createObservable<Connection>({ kind: "connecting" });
  const items = createObservable<readonly StreamItem[]>(recent ?? []);
  const hasRecent = createObservable(recent !== undefined);
  const queue = createArrivalQueue(items);
  let cursor: string | undefined;
  let isInBacklog = true;

  const updateAll = (change: (known: readonly StreamItem[]) => readonly StreamItem[]): void => {
    items.update(change);
    queue.update(change);
  };
  const setPrice = (id: number, price: Argent): void => updateAll((known) => atPrice(known, id, price));

  const addEarlier = (more: readonly ProduitDuFlux[]): void => {
    // While holding, the list must not move even before the stream opens: only older listings are appended.
    const held = queue.held.get();
    const known = items.get();
    const pending = queue.pending();
    const isHolding = queue.holding.get();
    const inFront = isHolding ? inFrontOf(known, notAmong(more, held)) : [];
    const inside = isHolding ? insideOf(known, notAmong(more, [...pending, ...inFront])) : [];
    queue.receive(inFront);
    queue.receiveEarlier(inside);
    items.update((shown) =>
      withEarlier(shown, notAmong(more, [...(isHolding ? pending : held), ...inFront, ...inside])),
    );
    for (const { id, vendu } of more) if (vendu === true) updateAll((all) => withFacts(all, { id, vendu }));
    for (const { id, total_item_price: price } of risenAmong([...known, ...pending], more))
      setPrice(id, price);
    queue.receive(fallenAmong(known, more));
  };

  const listen = (socket: LiveSocket, listeners: LiveFeedListeners): (() => void) => {
    const receive = (payload: NonNullable<ReturnType<typeof readFlux>>): void => {
      cursor = payload.curseur ?? cursor;
      // An answer received just after the network was lost does not mean that the stream is live.
      if (navigator.onLine) connection.set(connectionOf(payload));
      if (isInBacklog) {
        // The server first sends the backlog, oldest event first; a payload that is not full ends it.
        isInBacklog = payload.items.length >= FLUX_MAX_ITEMS;
        addEarlier(payload.items);
      } else {
        queue.receive(payload.items);
      }
    };
    socket.on("flux_handler", ifValid(readFlux, receive));
    socket.on("prix", ifValid(readPrice, listeners.onPrice));
    socket.on(
      "articleData",
      ifValid(readArticle, (facts) => updateAll((known) => withFacts(known, facts))),
    );
    socket.on(
      "filtreData",
      ifValid(readFilterNews, ({ message }) => listeners.onAutobuyStopped(message)),
    );
    socket.on("purchaseData", ifValid(readPurchaseNews, listeners.onPurchase));
    socket.on(
      "achat_a_confirmer",
      ifValid(readToConfirm, ({ manque }) => listeners.onToConfirm(manque)),
    );
    socket.on("compteData", listeners.onAccountChanged);
    const stopWatching = watchConnection(socket, connection, listeners);
    const poll = setInterval(() => {
      if (socket.connected) socket.emit("flux_handler");
    }, FLUX_POLL_INTERVAL_MS);
    return () => {
      clearInterval(poll);
      queue.flush();
      stopWatching();
      // Otherwise disconnecting would look like a disconnect by the server, after which it connects again.
      socket.off();
      socket.disconnect();
    };
  };

  // Held ones too: their prices must be right once they are shown.
  const handshake = () => handshakeOf(cursor, [...queue.pending(), ...items.get()]);

  const run = (listeners: LiveFeedListeners): (() => void) => {
    let isOver = false;
    let end: (() => void) | undefined;
    const open = (): void => {
      openSocket(handshake).then(
        (socket) => {
          if (isOver) socket.disconnect();
          else end = listen(socket, listeners);
        },
        () => {
          connection.set(navigator.onLine ? refused(CODE_GONE_REASON) : paused(OFFLINE_REASON));
          window.addEventListener("online", open, { once: true });
        },
      );
    };
    open();
    return () => {
      isOver = true;
      window.removeEventListener("online", open);
      end?.();
    };
  };

  return {
    connection,
    items,
    held: queue.held,
    dropFilters: (ids) => updateAll((known) => withoutFilters(known, ids)),
    holding: queue.holding,
    setHolding: queue.setHolding,
    showHeld: queue.showAll,
    setPrice,
    hasRecent,
    addRecent: (more) => {
      addEarlier(more);
      hasRecent.set(true);
    },
    run,
    forget: () => {
      cursor = undefined;
      isInBacklog = true;
      hasRecent.set(false);
      updateAll(() => []);
    },
  };
}

/** A listener of a socket event that ignores payloads which cannot be read. */
function ifValid<Payload>(read: (sent: unknown) => Payload | undefined, use: (payload: Payload) => void) {
  return (sent: unknown): void => {
    const payload = read(sent);
    if (payload !== undefined) use(payload);
  };
}

function handshakeOf(cursor: string | undefined, known: readonly StreamItem[]): HandshakeAuth {
  return {
    ...(cursor === undefined ? {} : { depuis: cursor }),
    affiches: known.slice(0, FLUX_MAX_SHOWN).map(({ id }) => id),
  };
}

const OFFLINE_REASON = "vous êtes hors ligne";
/** The chunk failed to load while online: a newer version has replaced this page's files. */
const CODE_GONE_REASON = "rechargez la page";

function watchConnection(
  socket: LiveSocket,
  connection: Observable<Connection>,
  { onConnected, onRefused }: Pick<LiveFeedListeners, "onConnected" | "onRefused">,
): () => void {
  let again: ReturnType<typeof setTimeout> | undefined;
  let wasConnected = false;
  const connectLater = (): void => {
    clearTimeout(again);
    again = setTimeout(() => socket.connect(), reconnectionDelayMs(Math.random()));
  };
  const showDisconnected = (): void =>
    connection.set(navigator.onLine ? { kind: "reconnecting" } : paused(OFFLINE_REASON));
  socket.on("connect", () => {
    connection.set({ kind: "live" });
    socket.emit("flux_handler");
    onConnected(wasConnected);
    wasConnected = true;
  });
  socket.on("disconnect", () => {
    showDisconnected();
    if (socket.active) return;
    // Socket.IO does not reconnect after a disconnect by the server.
    onRefused();
    connectLater();
  });
  socket.on("connect_error", (error) => {
    if (socket.active) return showDisconnected();
    connection.set(refused(error.message));
    onRefused();
    connectLater();
  });
  const goOffline = (): void => connection.set(paused(OFFLINE_REASON));
  const goOnline = (): void => {
    connection.set(socket.connected ? { kind: "live" } : { kind: "reconnecting" });
  };
  window.addEventListener("offline", goOffline);
  window.addEventListener("online", goOnline);
  return () => {
    clearTimeout(again);
    window.removeEventListener("offline", goOffline);
    window.removeEventListener("online", goOnline);
  };
}

function connectionOf({ pause, reprise }: NonNullable<ReturnType<typeof readFlux>>): Connection {
  return pause === undefined ? { kind: "live" } : paused(pause, reprise);
}

function refused(reason: string): Connection {
  return { kind: "paused", reason, mustAct: true };
}

function paused(reason: string, untilMs?: number): Connection {
  return { kind: "paused", reason, untilMs };
}

type LiveSocket = Socket<ServerToClient, ClientToServer>;

/**
 * Opens the connection with the options of the specification §9. Socket.IO is a chunk of its own, so that the
 * first screen does not wait for it; rejects if the chunk cannot be loaded.
 * @param handshake called at every (re)connection: the current cursor lets the server replay missed listings
 */
async function openSocket(handshake: () => HandshakeAuth): Promise<LiveSocket> {
  const { io } = await import("socket.io-client");
  return io({
    path: SOCKET_PATH,
    withCredentials: true,
    transports: ["websocket", "polling"],
    // Falls back to polling if a proxy blocks WebSocket.
    tryAllTransports: true,
    timeout: SOCKET_TIMEOUT_MS,
    reconnectionDelay: SOCKET_RECONNECTION_DELAY_MS,
    reconnectionDelayMax: SOCKET_RECONNECTION_DELAY_MAX_MS,
    randomizationFactor: SOCKET_RANDOMIZATION_FACTOR,
    auth: (answer) => answer({ ...handshake() }),
  });
}

/**
 * The delay before reconnecting after a disconnect by the server, where Socket.IO does not reconnect. It has
 * jitter, so that the clients of a restarting server do not all reconnect at once.
 * @param chance from 0 to 1
 */
export function reconnectionDelayMs(chance: number): number {
  const spanMs = SOCKET_RECONNECTION_DELAY_MAX_MS - SOCKET_RECONNECTION_DELAY_MS;
  return SOCKET_RECONNECTION_DELAY_MS + chance * spanMs;
}

const LiveFeedContext = createContext<LiveFeed | null>(null);

export const LiveFeedProvider = LiveFeedContext.Provider;

/** Throws outside the panel. */
export function useLiveFeed(): LiveFeed {
  const feed = use(LiveFeedContext);
  if (feed === null) throw new Error("useLiveFeed() outside the panel");
  return feed;
}
