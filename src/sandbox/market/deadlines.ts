import type { Clock } from "#domain/clock.ts";
import { nextDeadlineMs, type MarketOrder } from "./order.ts";

/** Wakes the market when an order must be decided by the passing of time. One timer, for the earliest. */
export interface Deadlines extends Disposable {
  /** To be told of every order that changed. */
  note(order: MarketOrder): void;
  /** Orders whose moment has come; each is named once, until it is noted again. */
  takeDue(): readonly number[];
}

export function createDeadlines(clock: Clock, onDue: () => void): Deadlines {
  const dueAtMs = new Map<number, number>();
  let cancelTimer: (() => void) | null = null;

  const arm = (): void => {
    cancelTimer?.();
    cancelTimer = null;
    if (dueAtMs.size === 0) return;
    const earliestMs = dueAtMs.values().reduce((least, atMs) => Math.min(least, atMs), Infinity);
    cancelTimer = clock.schedule(Math.max(0, earliestMs - clock.nowMs()), onDue);
  };

  return {
    note(order) {
      const deadlineMs = nextDeadlineMs(order);
      if (deadlineMs === null && !dueAtMs.has(order.id)) return;
      if (deadlineMs === null) dueAtMs.delete(order.id);
      else dueAtMs.set(order.id, deadlineMs);
      arm();
    },
    takeDue() {
      const nowMs = clock.nowMs();
      const due = [...dueAtMs].filter(([, atMs]) => atMs <= nowMs).map(([id]) => id);
      if (due.length === 0) return due;
      for (const id of due) dueAtMs.delete(id);
      arm();
      return due;
    },
    [Symbol.dispose]() {
      cancelTimer?.();
      dueAtMs.clear();
    },
  };
}
