import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createArrivalQueue, BATCH_INTERVAL_MS } from "./arrival-queue.ts";
import { createObservable } from "./observable.ts";
import { withoutFilters, type StreamItem } from "./stream-items.ts";
import { anItem } from "#verify/testing/on-the-wire.ts";

function aQueue(...shownIds: readonly number[]) {
  const shown = createObservable<readonly StreamItem[]>(shownIds.map((id) => anItem(id)));
  const queue = createArrivalQueue(shown);
  return {
    queue,
    receive: (...ids: readonly number[]) => queue.receive(ids.map((id) => anItem(id))),
    shownIds: () => shown.get().map(({ id }) => id),
    heldIds: () => queue.held.get().map(({ id }) => id),
  };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("createArrivalQueue()", () => {
  test("shows the first arrival after a pause without delay", () => {
    const { receive, shownIds } = aQueue(1);
    receive(2);
    vi.advanceTimersByTime(0);
    expect(shownIds()).toEqual([2, 1]);
  });

  test("leaves the list as it is for a while after a change, then shows all that came together", () => {
    const { receive, shownIds } = aQueue(1);
    receive(2);
    vi.advanceTimersByTime(100);
    receive(3);
    vi.advanceTimersByTime(1_000);
    receive(4);
    expect(shownIds()).toEqual([2, 1]);
    vi.advanceTimersByTime(BATCH_INTERVAL_MS - 1_100);
    expect(shownIds()).toEqual([4, 3, 2, 1]);
  });

  test("holds arrivals while asked to, and shows nothing however long it takes", () => {
    const { queue, receive, shownIds, heldIds } = aQueue(1);
    queue.setHolding(true);
    receive(2);
    vi.advanceTimersByTime(60_000);
    receive(3);
    vi.advanceTimersByTime(60_000);
    expect(shownIds()).toEqual([1]);
    expect(heldIds()).toEqual([3, 2]);
  });

  test("an arrival that waits for its batch is held when holding begins before the batch is due", () => {
    const { queue, receive, shownIds, heldIds } = aQueue(1);
    receive(2);
    vi.advanceTimersByTime(10);
    receive(3);
    queue.setHolding(true);
    vi.advanceTimersByTime(60_000);
    expect(shownIds()).toEqual([2, 1]);
    expect(heldIds()).toEqual([3]);
  });

  test("what was held comes once holding ends", () => {
    const { queue, receive, shownIds, heldIds } = aQueue(1);
    queue.setHolding(true);
    receive(2);
    vi.advanceTimersByTime(5_000);
    queue.setHolding(false);
    vi.advanceTimersByTime(BATCH_INTERVAL_MS);
    expect([shownIds(), heldIds()]).toEqual([[2, 1], []]);
  });

  test("showAll() shows what is held and what waits, and goes on holding", () => {
    const { queue, receive, shownIds, heldIds } = aQueue(1);
    queue.setHolding(true);
    receive(2);
    vi.advanceTimersByTime(10);
    receive(3);
    queue.showAll();
    expect([shownIds(), heldIds()]).toEqual([[3, 2, 1], []]);
    receive(4);
    vi.advanceTimersByTime(60_000);
    expect([shownIds(), heldIds()]).toEqual([[3, 2, 1], [4]]);
  });

  test("what a deleted filter found leaves the held ones as well", () => {
    const { queue, receive, heldIds, shownIds } = aQueue();
    queue.setHolding(true);
    receive(2);
    vi.advanceTimersByTime(5_000);
    queue.update((known) => withoutFilters(known, ["f1"]));
    queue.showAll();
    expect([heldIds(), shownIds()]).toEqual([[], []]);
  });
});
