/** When arrivals are drawn: pure, so that every order of arrivals and touches can be tested. */

/** However fast listings come, the page draws them a few times a second: the eye sees no more. */
export const MIN_GAP_MS = 250;
/** What a hand does is drawn first: arrivals wait this long after a touch or a key. */
export const HAND_MS = 200;
/** A hand that never rests holds nothing up for longer than this. */
export const MAX_WAIT_MS = 1_000;

export interface ArrivalPace {
  /** When arrivals were last drawn. */
  readonly drawnAtMs: number;
  /** When the person last touched or pressed something. */
  readonly handAtMs: number;
  /** Since when the oldest arrival waits. */
  readonly waitingSinceMs: number;
}

/** At which moment what waits is to be drawn; the first after a pause at once. */
export function drawingDueAtMs({ drawnAtMs, handAtMs, waitingSinceMs }: ArrivalPace): number {
  const restedAtMs = Math.max(drawnAtMs + MIN_GAP_MS, handAtMs + HAND_MS, waitingSinceMs);
  return Math.min(restedAtMs, waitingSinceMs + MAX_WAIT_MS);
}
