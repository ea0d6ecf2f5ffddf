/** Which states have been answered on this node. Another node's replay fails at the provider: a code works once. */
export interface UsedStates {
  /** True the first time; false for a state that was taken already. */
  take(state: string, nowMs: number): boolean;
}

// A state is remembered only once somebody brought its cookie: this many need as many sign-ins within ten minutes.
const MAX_REMEMBERED = 100_000;

/** @param memoryMs how long a state could still be valid */
export function createUsedStates(memoryMs: number): UsedStates {
  // In order of use: what is over stands in front.
  const usedAtMs = new Map<string, number>();

  function forgetOver(nowMs: number): void {
    for (const [state, atMs] of usedAtMs) {
      if (nowMs - atMs < memoryMs && usedAtMs.size < MAX_REMEMBERED) return;
      usedAtMs.delete(state);
    }
  }

  return {
    take(state, nowMs) {
      forgetOver(nowMs);
      if (usedAtMs.has(state)) return false;
      usedAtMs.set(state, nowMs);
      return true;
    },
  };
}
