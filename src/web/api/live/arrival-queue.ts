/** Batches arriving listings before they are shown, or holds them while the list must not move. */
import type { Argent } from "#contract/envelope.ts";
import { createObservable, type Observable } from "./observable.ts";
import {
  type ArticleFacts,
  atPrice,
  withArrivals,
  withFacts,
  withHeld,
  withoutFilters,
  withRoomFor,
  type StreamItem,
} from "./stream-items.ts";

/**
 * Minimum interval between two batches: long enough to look, decide and press before the list moves again.
 */
export const BATCH_INTERVAL_MS = 3_000;
/** Minimum interval between two updates of the number of held listings. */
const COUNT_EVERY_MS = 1_000;

interface ArrivalQueue {
  /** Received while arrivals were held, newest first. */
  readonly held: Observable<readonly StreamItem[]>;
  /** Held and batched arrivals, newest first. */
  readonly pending: () => readonly StreamItem[];
  readonly isHolding: () => boolean;
  /** While true, arrivals are held instead of shown; afterwards they are shown with the next batch. */
  readonly setHolding: (isHolding: boolean) => void;
  /** Newest first; shown without delay if the last batch is older than `BATCH_INTERVAL_MS`. */
  readonly receive: (arrivals: readonly StreamItem[]) => void;
  /** Shows held and batched arrivals immediately. */
  readonly showAll: () => void;
  /** Ends the current batch: its arrivals are shown or held. */
  readonly flush: () => void;
  readonly dropFilters: (ids: readonly string[]) => void;
  readonly setPrice: (id: number, price: Argent) => void;
  readonly setFacts: (facts: ArticleFacts) => void;
  readonly clear: () => void;
}

/** @param shown the list on the screen, newest first */
export function createArrivalQueue(shown: Observable<readonly StreamItem[]>): ArrivalQueue {
  const held = createObservable<readonly StreamItem[]>([]);
  let waiting: readonly StreamItem[] = [];
  let isHolding = false;
  let shownAtMs = Number.NEGATIVE_INFINITY;
  let countedAtMs = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const hold = (): void => {
    if (waiting.length === 0) return;
    countedAtMs = performance.now();
    held.update((known) => withHeld(known, waiting));
    waiting = [];
    shown.update((known) => withRoomFor(known, held.get().length));
  };

  const pending = () => withArrivals(held.get(), waiting);

  const showAll = (): void => {
    const all = pending();
    if (all.length === 0) return;
    shownAtMs = performance.now();
    waiting = [];
    held.set([]);
    shown.update((known) => withArrivals(known, all));
  };

  const flush = (): void => {
    clearTimeout(timer);
    if (isHolding) hold();
    else showAll();
  };

  const flushWhenDue = (): void => {
    clearTimeout(timer);
    const dueAtMs = isHolding ? countedAtMs + COUNT_EVERY_MS : shownAtMs + BATCH_INTERVAL_MS;
    timer = setTimeout(flush, Math.max(0, dueAtMs - performance.now()));
  };

  return {
    held,
    pending,
    isHolding: () => isHolding,
    setHolding: (next) => {
      if (next === isHolding) return;
      isHolding = next;
      flushWhenDue();
    },
    receive: (arrivals) => {
      waiting = withArrivals(waiting, arrivals);
      flushWhenDue();
    },
    showAll,
    flush,
    dropFilters: (ids) => {
      held.update((known) => withoutFilters(known, ids));
      waiting = withoutFilters(waiting, ids);
    },
    setPrice: (id, price) => {
      held.update((known) => atPrice(known, id, price));
      waiting = atPrice(waiting, id, price);
    },
    setFacts: (facts) => {
      held.update((known) => withFacts(known, facts));
      waiting = withFacts(waiting, facts);
    },
    clear: () => {
      held.set([]);
      waiting = [];
    },
  };
}
