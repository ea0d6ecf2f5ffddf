/** When arrivals are drawn: pure, so that every order of arrivals and touches can be tested. */

/** However fast listings come, the page draws them a few times a second: the eye sees no more. */
export const MIN_GAP_MS = 250;
/** What a hand does is drawn first: arrivals wait this long after a touch, a key, a scroll or the pointer's travel. */
export const HAND_MS = 200;
/** A flood or a hand that never rests holds nothing up for longer than this. */
export const MAX_WAIT_MS = 1_000;
/** Each card that was just drawn is left alone for so long: in a flood, most of what comes next is never drawn at all. */
export const CARD_MS = 60;

export interface ArrivalPace {
  /** When arrivals were last drawn. */
  readonly drawnAtMs: number;
  /** How many cards that drawing brought. */
  readonly drawnCount: number;
  /** When the person last touched, pressed, scrolled or pointed. */
  readonly handAtMs: number;
  /** Since when the oldest arrival waits. */
  readonly waitingSinceMs: number;
}

/** At which moment what waits is to be drawn; the first after a pause at once. */
export function drawingDueAtMs({ drawnAtMs, drawnCount, handAtMs, waitingSinceMs }: ArrivalPace): number {
  const gapMs = Math.max(MIN_GAP_MS, drawnCount * CARD_MS);
  const restedAtMs = Math.max(drawnAtMs + gapMs, handAtMs + HAND_MS, waitingSinceMs);
  return Math.min(restedAtMs, waitingSinceMs + MAX_WAIT_MS);
}
