import type { Clock } from "#domain/clock.ts";
import type { Lane } from "#domain/market/match.ts";

/**
 * While a Thunder purchase is in progress, Acquire purchases yield between their steps for a bounded time, so that the
 * request budget and the store serve Thunder first.
 */
export interface RightOfWay {
  /** Runs one step of a purchase when it is its turn. */
  run<Result>(lane: Lane, work: () => Promise<Result>): Promise<Result>;
  /** The same for a step that uses only the store: a store with parallel queries delays no lane. */
  runOnStore<Result>(lane: Lane, work: () => Promise<Result>): Promise<Result>;
  /** Resolves immediately, except for Acquire while Thunder is in progress. */
  yieldTurn(lane: Lane): Promise<void>;
}

const LONGEST_YIELD_MS = 500;

/** @param isStoreParallel the store runs queries in parallel */
export function createRightOfWay(clock: Clock, isStoreParallel = false): RightOfWay {
  let thunderCount = 0;
  const waiting = new Set<() => void>();

  const wakeAll = (): void => {
    for (const wake of waiting) wake();
  };

  const runThunder = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    thunderCount += 1;
    try {
      return await work();
    } finally {
      thunderCount -= 1;
      // Delayed: between intent and attempt a purchase leaves and enters again.
      if (thunderCount === 0) clock.schedule(0, () => thunderCount === 0 && wakeAll());
    }
  };

  const yieldTurn = async (lane: Lane): Promise<void> => {
    if (lane !== "acquire" || thunderCount === 0) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        waiting.delete(wake);
        forget();
        resolve();
      };
      const forget = clock.schedule(LONGEST_YIELD_MS, wake);
      waiting.add(wake);
    });
  };

  const run: RightOfWay["run"] = async (lane, work) => {
    if (lane === "thunder") return await runThunder(work);
    await yieldTurn(lane);
    return await work();
  };

  return {
    run,
    async runOnStore(lane, work) {
      return lane === "acquire" && isStoreParallel ? await work() : await run(lane, work);
    },
    yieldTurn,
  };
}
