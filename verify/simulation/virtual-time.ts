import type { Clock } from "#domain/clock.ts";
import type { Draws } from "#sandbox/world/draws.ts";

/** The world's clock: it advances only when all work at the current time is done. */
export interface VirtualTime extends Clock {
  /** Advances to a moment; returns false when `isOver` became true before. */
  runUntil(atMs: number, isOver: () => boolean): Promise<boolean>;
}

interface Appointment {
  readonly atMs: number;
  /** Random tie-break between actions due at the same time, replayed from the seed. */
  readonly lot: number;
  readonly number: number;
  readonly action: () => void;
  isCancelled: boolean;
}

/** @param settled waits for work that takes no simulated time; by default for all settled promises */
export function createVirtualTime(
  startMs: number,
  draws: Draws,
  settled: () => Promise<void> = nextTurn,
): VirtualTime {
  const heap: Appointment[] = [];
  let nowMs = startMs;
  let count = 0;
  return {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    schedule(delayMs, action) {
      count += 1;
      const atMs = nowMs + Math.max(0, Math.ceil(delayMs));
      const appointment = { atMs, lot: draws.next(), number: count, action, isCancelled: false };
      push(heap, appointment);
      return () => {
        appointment.isCancelled = true;
      };
    },
    async runUntil(endMs, isOver) {
      await settled();
      while (!isOver()) {
        const next = heap[0];
        if (next === undefined || next.atMs > endMs) {
          nowMs = endMs;
          return true;
        }
        pop(heap);
        if (next.isCancelled) continue;
        nowMs = next.atMs;
        next.action();
        await settled();
      }
      return false;
    },
  };
}

/** One turn of the event loop: every promise that needs no outside event has settled. */
async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

function isBefore(one: Appointment, other: Appointment): boolean {
  if (one.atMs !== other.atMs) return one.atMs < other.atMs;
  return one.lot === other.lot ? one.number < other.number : one.lot < other.lot;
}

function push(heap: Appointment[], appointment: Appointment): void {
  let index = heap.length;
  heap.push(appointment);
  while (index > 0) {
    const parentIndex = (index - 1) >> 1;
    const parent = heap[parentIndex];
    if (parent === undefined || !isBefore(appointment, parent)) break;
    heap[index] = parent;
    index = parentIndex;
  }
  heap[index] = appointment;
}

function pop(heap: Appointment[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let index = 0;
  for (;;) {
    let childIndex = index * 2 + 1;
    let child = heap[childIndex];
    const right = heap[childIndex + 1];
    if (child !== undefined && right !== undefined && isBefore(right, child)) {
      childIndex += 1;
      child = right;
    }
    if (child === undefined || !isBefore(child, last)) break;
    heap[index] = child;
    index = childIndex;
  }
  heap[index] = last;
}
