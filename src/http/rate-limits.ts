/**
 * Rate limits per person or address, by GCRA: `burst` calls, then one per `everyMs`. Each key stores one number, its
 * theoretical arrival time.
 */
import { LRUCache } from "lru-cache";

export const RATES = {
  /** An open page reads a dozen times a minute; several tabs and a burst of reloads still fit. */
  read: { everyMs: 60_000 / 300, burst: 300 },
  /** Whole lists of filters: the largest answers that a person's own data can cause. */
  list: { everyMs: 500, burst: 120 },
  /**
   * Purchases with their stories, which open pages read again whenever one changes: as often as other reads,
   * but one at a time (plugins/admission.ts).
   */
  history: { everyMs: 60_000 / 300, burst: 300 },
  write: { everyMs: 60_000 / 60, burst: 60 },
  /** Counting over a day's listings costs more than a read: one per second while a person edits a filter. */
  preview: { everyMs: 1_000, burst: 20 },
  settings: { everyMs: 60_000 / 10, burst: 10 },
  /** 'Tout arrêter', which no other change of the settings may delay. */
  stop: { everyMs: 60_000 / 10, burst: 10 },
  /** Changes and tests of alerts; each test sends a message to an external service. */
  alert: { everyMs: 60_000 / 10, burst: 10 },
  token: { everyMs: 3_600_000 / 10, burst: 10 },
  click: { everyMs: 1_000, burst: 30 },
  /** Start and callback count once each. */
  sign_in: { everyMs: 60_000 / 20, burst: 20 },
  /** Refusals written to the audit log; further ones are only in the access log. */
  denial: { everyMs: 60_000 / 10, burst: 10 },
  /** All requests from one address, including files of the web. */
  flood: { everyMs: 60_000 / 1_500, burst: 1_500 },
} as const;

export type RateClass = keyof typeof RATES;

interface RateLimits {
  /**
   * Null if the call is allowed, otherwise the time to wait.
   * @param share the multiple of the limit that applies to the key
   */
  waitMs(rate: RateClass, key: string, nowMs: number, share?: number): number | null;
}

/** The rate for a multiple of the limit. */
export function rateOf(rate: RateClass, share: number): { readonly everyMs: number; readonly burst: number } {
  const { everyMs, burst } = RATES[rate];
  return { everyMs: everyMs / share, burst: burst * share };
}

/** Reached only by a flood from very many addresses: the key that was idle for longest is forgotten. */
const MAX_KEYS = 50_000;

export function createRateLimits(): RateLimits {
  // The theoretical arrival time of each key (GCRA); one in the past is equivalent to no entry.
  const arrivalMs = new LRUCache<string, number>({ max: MAX_KEYS });

  return {
    waitMs(rate, key, nowMs, share = 1) {
      const { everyMs, burst } = rateOf(rate, share);
      const bucket = `${rate} ${key}`;
      const startMs = Math.max(arrivalMs.get(bucket) ?? nowMs, nowMs);
      const waitMs = startMs - nowMs - everyMs * (burst - 1);
      // A rounding error must not refuse the last call of a burst.
      if (waitMs > 1e-6) return waitMs;
      arrivalMs.set(bucket, startMs + everyMs);
      return null;
    },
  };
}
