export interface TokenBucket {
  /** True within the rate; false beyond it, and then nothing is deducted. */
  take(nowMs: number, count?: number): boolean;
}

/** Allows a `burst`, and `perSecond` in the long run. */
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
