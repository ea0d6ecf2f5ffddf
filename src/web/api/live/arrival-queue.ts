/** Batches arriving listings before they are shown, or holds them while the list must not move. */
import { createObservable, type Observable } from "./observable.ts";
import { withArrivals, withEarlier, withHeld, withRoomFor, type StreamItem } from "./stream-items.ts";

/**
 * Minimum interval between two batches: long enough to look, decide and press before the list moves again.
 */
export const BATCH_INTERVAL_MS = 3_000;
/** Minimum interval between two updates of the number of held listings. */
const COUNT_EVERY_MS = 1_000;

interface ArrivalQueue {
  /** Received while arrivals were held, newest first. */
  readonly held: Observable<readonly StreamItem[]>;
  /** All that is not shown yet. */
  readonly pending: () => readonly StreamItem[];
  /** While true, arrivals are held instead of shown; afterwards they are shown with the next batch. */
  readonly holding: Observable<boolean>;
  readonly setHolding: (isHolding: boolean) => void;
  /** Newest first; shown without delay if the last batch is older than `BATCH_INTERVAL_MS`. */
  readonly receive: (arrivals: readonly StreamItem[]) => void;
  /** Older than shown ones; inserted by age together with the next batch that is shown. */
  readonly receiveEarlier: (earlier: readonly StreamItem[]) => void;
  /** Shows held and batched arrivals immediately. */
  readonly showAll: () => void;
  /** Ends the current batch: its arrivals are shown or held. */
  readonly flush: () => void;
  /** Changes all that is not shown yet. */
  readonly update: (change: (items: readonly StreamItem[]) => readonly StreamItem[]) => void;
}

/** @param shown the list on the screen, newest first */
export function createArrivalQueue(shown: Observable<readonly StreamItem[]>): ArrivalQueue {
  const held = createObservable<readonly StreamItem[]>([]);
  const holding = createObservable(false);
  let waiting: readonly StreamItem[] = [];
  let earlier: readonly StreamItem[] = [];
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

  const pending = () => [...withArrivals(held.get(), waiting), ...earlier];

  const showAll = (): void => {
    const arrivals = withArrivals(held.get(), waiting);
    const inserted = earlier;
    if (arrivals.length + inserted.length === 0) return;
    shownAtMs = performance.now();
    waiting = [];
    earlier = [];
    held.set([]);
    shown.update((known) => withEarlier(withArrivals(known, arrivals), inserted));
  };

  const flush = (): void => {
    clearTimeout(timer);
    if (holding.get()) hold();
    else showAll();
  };

  const flushWhenDue = (): void => {
    clearTimeout(timer);
    const dueAtMs = holding.get() ? countedAtMs + COUNT_EVERY_MS : shownAtMs + BATCH_INTERVAL_MS;
    timer = setTimeout(flush, Math.max(0, dueAtMs - performance.now()));
  };

  return {
    held,
    pending,
    holding,
    setHolding: (next) => {
      if (next === holding.get()) return;
      holding.set(next);
      flushWhenDue();
    },
    receive: (arrivals) => {
      waiting = withArrivals(waiting, arrivals);
      flushWhenDue();
    },
    receiveEarlier: (more) => {
      earlier = withArrivals(earlier, more);
      flushWhenDue();
    },
    showAll,
    flush,
    update: (change) => {
      held.update(change);
      waiting = change(waiting);
      earlier = change(earlier);
    },
  };
}
