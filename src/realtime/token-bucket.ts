export interface TokenBucket {
  /** True while the pace is kept; false for what is too much, of which nothing is taken. */
  take(nowMs: number, count?: number): boolean;
}

/** Lets `burst` through at once and `perSecond` in the long run. */
export function createTokenBucket(rate: { readonly perSecond: number; readonly burst: number }): TokenBucket {
  let tokens = rate.burst;
  let filledAtMs: number | null = null;
  return {
    take(nowMs, count = 1) {
      const elapsedMs = filledAtMs === null ? 0 : Math.max(0, nowMs - filledAtMs);
      filledAtMs = nowMs;
      tokens = Math.min(rate.burst, tokens + (elapsedMs / 1_000) * rate.perSecond);
      if (tokens < count) return false;
      tokens -= count;
      return true;
    },
  };
}
