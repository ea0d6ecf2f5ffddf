import { drawingDueAtMs } from "./arrival-pace.ts";

/** Says when what has arrived is to be drawn. */
export interface ArrivalClock {
  /** Something waits to be drawn. */
  readonly wait: () => void;
  /** What waited was drawn: so many cards. */
  readonly noteDrawn: (count: number) => void;
  /** A hand is at work: what it does is drawn first. */
  readonly noteHand: () => void;
  readonly stop: () => void;
}

/** @param draw called when what waits is due */
export function createArrivalClock(draw: () => void): ArrivalClock {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let drawnAtMs = Number.NEGATIVE_INFINITY;
  let drawnCount = 0;
  let handAtMs = Number.NEGATIVE_INFINITY;
  let waitingSinceMs = 0;

  const drawWhenDue = (): void => {
    const dueAtMs = drawingDueAtMs({ drawnAtMs, drawnCount, handAtMs, waitingSinceMs });
    const waitMs = dueAtMs - performance.now();
    // A hand meanwhile moves it.
    if (waitMs > 0) {
      timer = setTimeout(drawWhenDue, waitMs);
      return;
    }
    timer = undefined;
    draw();
  };

  const stop = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };

  return {
    wait: () => {
      if (timer !== undefined) return;
      waitingSinceMs = performance.now();
      timer = setTimeout(drawWhenDue);
    },
    noteDrawn: (count) => {
      drawnAtMs = performance.now();
      drawnCount = count;
    },
    noteHand: () => {
      handAtMs = performance.now();
    },
    stop,
  };
}
