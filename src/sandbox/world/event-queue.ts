/** A priority queue of events by time (a binary heap). */
export interface EventQueue {
  add(entry: QueuedEvent): void;
  /** Removes and returns due events, earliest first, at most `limit`. */
  takeDue(nowMs: number, limit: number): readonly QueuedEvent[];
  readonly size: number;
}

export interface QueuedEvent {
  readonly atMs: number;
  readonly listingId: number;
}

export function createEventQueue(): EventQueue {
  const heap: QueuedEvent[] = [];
  return {
    add(entry) {
      heap.push(entry);
      siftUp(heap, heap.length - 1);
    },
    takeDue(nowMs, limit) {
      const due: QueuedEvent[] = [];
      while (due.length < limit && (heap[0]?.atMs ?? Infinity) <= nowMs) {
        const first = takeFirst(heap);
        if (first !== undefined) due.push(first);
      }
      return due;
    },
    get size() {
      return heap.length;
    },
  };
}

function takeFirst(heap: QueuedEvent[]): QueuedEvent | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (heap.length === 0 || last === undefined) return first;
  heap[0] = last;
  siftDown(heap);
  return first;
}

function siftUp(heap: QueuedEvent[], start: number): void {
  let index = start;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    if (timeAt(heap, parent) <= timeAt(heap, index)) return;
    swap(heap, index, parent);
    index = parent;
  }
}

function siftDown(heap: QueuedEvent[]): void {
  let index = 0;
  for (;;) {
    const left = 2 * index + 1;
    const child = timeAt(heap, left + 1) < timeAt(heap, left) ? left + 1 : left;
    if (timeAt(heap, child) >= timeAt(heap, index)) return;
    swap(heap, index, child);
    index = child;
  }
}

function timeAt(heap: readonly QueuedEvent[], index: number): number {
  return heap[index]?.atMs ?? Infinity;
}

function swap(heap: QueuedEvent[], one: number, other: number): void {
  const first = heap[one];
  const second = heap[other];
  if (first === undefined || second === undefined) return;
  heap[one] = second;
  heap[other] = first;
}
