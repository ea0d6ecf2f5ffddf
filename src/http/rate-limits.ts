/**
 * How often a person or an address may call. Each class is a generic cell rate: `burst` calls at once, then one every
 * `everyMs`; one number per key is all that is kept.
 */
export const RATES = {
  /** A page open all day reads a dozen times a minute; several tabs and a reload storm still fit. */
  read: { everyMs: 60_000 / 300, burst: 300 },
  /** Whole lists of filters: the largest answers that a person may have made themselves. */
  list: { everyMs: 500, burst: 120 },
  /**
   * Purchases with all that is told of them: an open page asks again whenever one of them changes. As often as anything
   * is read, but one after the other (plugins/turns.ts).
   */
  history: { everyMs: 60_000 / 300, burst: 300 },
  write: { everyMs: 60_000 / 60, burst: 60 },
  /** Counting over a day's listings costs more than a read: an answer a second while somebody writes a filter. */
  preview: { everyMs: 1_000, burst: 20 },
  settings: { everyMs: 60_000 / 10, burst: 10 },
  token: { everyMs: 3_600_000 / 10, burst: 10 },
  click: { everyMs: 1_000, burst: 30 },
  /** Its start and its callback count one each. */
  sign_in: { everyMs: 60_000 / 20, burst: 20 },
  /** Refusals that are written to the audit log: beyond them only the access log tells. */
  denial: { everyMs: 60_000 / 10, burst: 10 },
  /** Everything from one address, its pages' files included. */
  flood: { everyMs: 60_000 / 1_500, burst: 1_500 },
} as const;

export type RateClass = keyof typeof RATES;

export interface RateLimits {
  /**
   * Null when the call may go on, else how long to wait.
   * @param share how many times the pace of one the key has
   */
  waitMs(rate: RateClass, key: string, nowMs: number, share?: number): number | null;
}

/** The pace of a key that stands for several. */
export function rateOf(rate: RateClass, share: number): { readonly everyMs: number; readonly burst: number } {
  const { everyMs, burst } = RATES[rate];
  return { everyMs: everyMs / share, burst: burst * share };
}

const MAX_KEYS = 50_000;
const KEYS_AFTER_FLOOD = 40_000;

export function createRateLimits(): RateLimits {
  // When a key will have paid for all of its calls so far; a moment in the past is the same as no entry.
  const paidAtMs = new Map<string, number>();

  function makeRoom(nowMs: number): void {
    if (paidAtMs.size < MAX_KEYS) return;
    for (const [key, atMs] of paidAtMs) if (atMs <= nowMs) paidAtMs.delete(key);
    // Only a flood from very many addresses comes here. Many are forgotten at once, the longest known first, so that
    // the whole list is not walked again for each of them.
    for (const key of paidAtMs.keys()) {
      if (paidAtMs.size <= KEYS_AFTER_FLOOD) return;
      paidAtMs.delete(key);
    }
  }

  return {
    waitMs(rate, key, nowMs, share = 1) {
      const { everyMs, burst } = rateOf(rate, share);
      const bucket = `${rate} ${key}`;
      const paidMs = Math.max(paidAtMs.get(bucket) ?? nowMs, nowMs);
      const waitMs = paidMs - nowMs - everyMs * (burst - 1);
      // A rounding error of a fraction must not refuse the last call of a burst.
      if (waitMs > 1e-6) return waitMs;
      if (!paidAtMs.has(bucket)) makeRoom(nowMs);
      paidAtMs.set(bucket, paidMs + everyMs);
      return null;
    },
  };
}
