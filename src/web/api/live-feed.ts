/**
 * The one connection of a page: it brings listings and news of purchases. It knows nothing of the screens; they read
 * its observables.
 */
import type { ProduitDuFlux } from "#contract/produit.ts";
import type { PurchasePayload } from "#contract/socket.ts";
import {
  FLUX_MAX_ITEMS,
  FLUX_POLL_INTERVAL_MS,
  SOCKET_RECONNECTION_DELAY_MAX_MS,
} from "#contract/timings.ts";
import { keepHiddenSellers, readHiddenSellers } from "./hidden-sellers.ts";
import { createArrivalClock } from "./arrival-clock.ts";
import { createObservable, type Observable } from "./observable.ts";
import { openSocket, type LiveSocket } from "./socket.ts";
import {
  fallenAmong,
  inFrontOf,
  notAmong,
  withArrivals,
  withEarlier,
  withHeld,
  withoutFilters,
  withRoomFor,
  type StreamItem,
} from "./stream-items.ts";

export type Connection =
  | { readonly kind: "connecting" }
  | { readonly kind: "live" }
  | { readonly kind: "reconnecting" }
  | { readonly kind: "paused"; readonly reason: string };

export interface LiveFeedListeners {
  readonly onPurchase: (payload: PurchasePayload) => void;
  /** What has just arrived, but for what the connection began with. */
  readonly onListings: (items: readonly ProduitDuFlux[]) => void;
  /** The connection is there, or back: listings come by themselves, what else changed before was told to nobody. */
  readonly onConnected: () => void;
  /** The server ended or refused the connection: the session or the level may be gone. */
  readonly onRefused: () => void;
}

export interface LiveFeed {
  readonly connection: Observable<Connection>;
  /** What is shown, newest first. */
  readonly items: Observable<readonly StreamItem[]>;
  /** What arrived while the person was reading further down, newest first. */
  readonly held: Observable<readonly StreamItem[]>;
  /** While true, arrivals are held instead of shown; afterwards they come as if they had just arrived. */
  readonly setHolding: (isHolding: boolean) => void;
  /** The person asks for what is held: it is shown at once. */
  readonly showHeld: () => void;
  /** A hand is at work: what it does is drawn before what arrives meanwhile. */
  readonly noteHand: () => void;
  /** Takes away what only these filters, now deleted, had found. */
  readonly dropFilters: (ids: readonly string[]) => void;
  /** Sellers whose listings the person does not want to see; kept in the browser until they sign out. */
  readonly hiddenSellers: Observable<ReadonlySet<string>>;
  /** What was there before the stream opened; it takes its place by age. */
  readonly addEarlier: (earlier: readonly ProduitDuFlux[]) => void;
  /** Connects; the answer disconnects. */
  readonly run: (listeners: LiveFeedListeners) => () => void;
  /** Forgets all listings and where the stream stood. */
  readonly forget: () => void;
}

/** @param earlier what is known of the time before, newest first: the first drawing shows it */
export function createLiveFeed(earlier: readonly ProduitDuFlux[] = []): LiveFeed {
  const connection = createObservable<Connection>({ kind: "connecting" });
  const items = createObservable<readonly StreamItem[]>(earlier);
  const held = createObservable<readonly StreamItem[]>([]);
  const hiddenSellers = createObservable(readHiddenSellers());
  hiddenSellers.subscribe(() => keepHiddenSellers(hiddenSellers.get()));
  let cursor: string | undefined;
  let isInBacklog = true;
  let isHolding = false;
  let arrived: readonly StreamItem[] = [];

  const flush = (): void => {
    clock.stop();
    if (arrived.length === 0) return;
    clock.noteDrawn(isHolding ? 0 : arrived.length);
    if (isHolding) {
      held.update((known) => withHeld(known, arrived));
      items.update((known) => withRoomFor(known, held.get().length));
    } else {
      items.update((known) => withArrivals(known, arrived));
    }
    arrived = [];
  };
  const clock = createArrivalClock(flush);

  const release = (): void => {
    const waiting = held.get();
    if (waiting.length === 0) return;
    held.set([]);
    // Behind those that came meanwhile, and in their turn: whoever scrolls up sees first where they are.
    arrived = withArrivals(waiting, arrived);
    clock.wait();
  };

  const arrive = (news: readonly ProduitDuFlux[]): void => {
    arrived = withArrivals(arrived, news);
    clock.wait();
  };

  const addEarlier = (more: readonly ProduitDuFlux[]): void => {
    // Whoever points before the stream is open finds the list still, too: what would come in front waits like arrivals.
    const inFront = isHolding ? inFrontOf(items.get(), notAmong(more, held.get())) : [];
    arrive(inFront);
    items.update((known) => withEarlier(known, notAmong(more, [...held.get(), ...inFront])));
  };

  const isFromShownSeller = ({ user }: ProduitDuFlux): boolean => !hiddenSellers.get().has(user.login);

  const listen = (socket: LiveSocket, listeners: LiveFeedListeners): (() => void) => {
    socket.on("flux_handler", (payload) => {
      cursor = payload.curseur;
      connection.set(payload.pause === undefined ? { kind: "live" } : paused(payload.pause));
      if (isInBacklog) {
        // Before anything new, the last minutes come, the oldest event first; the last of them is not full.
        isInBacklog = payload.items.length >= FLUX_MAX_ITEMS;
        const fallen = fallenAmong(items.get(), payload.items);
        addEarlier(payload.items);
        arrive(fallen);
      } else {
        listeners.onListings(payload.items.filter(isFromShownSeller));
        arrive(payload.items);
      }
    });
    socket.on("purchaseData", listeners.onPurchase);
    const stopWatching = watchConnection(socket, connection, listeners);
    const poll = setInterval(() => {
      if (socket.connected) socket.emit("flux_handler");
    }, FLUX_POLL_INTERVAL_MS);
    return () => {
      clearInterval(poll);
      flush();
      stopWatching();
      socket.disconnect();
    };
  };

  const run = (listeners: LiveFeedListeners): (() => void) => {
    let isOver = false;
    let end: (() => void) | undefined;
    const open = (): void => {
      openSocket(() => cursor).then(
        (socket) => {
          if (isOver) socket.disconnect();
          else end = listen(socket, listeners);
        },
        () => {
          connection.set(paused(navigator.onLine ? CODE_GONE_REASON : OFFLINE_REASON));
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
    held,
    hiddenSellers,
    dropFilters: (ids) => {
      items.update((known) => withoutFilters(known, ids));
      held.update((known) => withoutFilters(known, ids));
      arrived = withoutFilters(arrived, ids);
    },
    setHolding: (next) => {
      isHolding = next;
      if (!next) release();
    },
    showHeld: () => {
      isHolding = false;
      release();
      flush();
    },
    noteHand: clock.noteHand,
    addEarlier,
    run,
    forget: () => {
      cursor = undefined;
      isInBacklog = true;
      arrived = [];
      items.set([]);
      held.set([]);
      hiddenSellers.set(new Set());
    },
  };
}

const OFFLINE_REASON = "vous êtes hors ligne";
/** The files of this page have made room for those of a newer version. */
const CODE_GONE_REASON = "rechargez la page";

function watchConnection(
  socket: LiveSocket,
  connection: Observable<Connection>,
  { onConnected, onRefused }: Pick<LiveFeedListeners, "onConnected" | "onRefused">,
): () => void {
  let again: ReturnType<typeof setTimeout> | undefined;
  const connectLater = (): void => {
    clearTimeout(again);
    again = setTimeout(() => socket.connect(), SOCKET_RECONNECTION_DELAY_MAX_MS);
  };
  const lose = (): void =>
    connection.set(navigator.onLine ? { kind: "reconnecting" } : paused(OFFLINE_REASON));
  socket.on("connect", () => {
    connection.set({ kind: "live" });
    socket.emit("flux_handler");
    onConnected();
  });
  socket.on("disconnect", () => {
    lose();
    if (socket.active) return;
    // The server closed it on purpose, so the library does not try again by itself.
    onRefused();
    connectLater();
  });
  socket.on("connect_error", (error) => {
    if (socket.active) return lose();
    connection.set(paused(error.message));
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

function paused(reason: string): Connection {
  return { kind: "paused", reason };
}
