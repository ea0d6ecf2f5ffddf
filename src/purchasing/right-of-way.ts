import type { Clock } from "#domain/clock.ts";
import type { Lane } from "#domain/match.ts";

/**
 * While a Thunder purchase is under way, Acquire purchases let it pass between their steps, for a bounded time:
 * the marketplace's budget and the store serve it first.
 */
export interface RightOfWay {
  enter(lane: Lane): void;
  leave(lane: Lane): void;
  /** Settles at once, but for Acquire while Thunder passes. */
  yieldTurn(lane: Lane): Promise<void>;
}

const LONGEST_YIELD_MS = 500;

export function createRightOfWay(clock: Clock): RightOfWay {
  let passing = 0;
  const waiting = new Set<() => void>();

  const wakeAll = (): void => {
    for (const wake of waiting) wake();
  };

  return {
    enter(lane) {
      if (lane === "thunder") passing += 1;
    },
    leave(lane) {
      if (lane !== "thunder") return;
      passing -= 1;
      // Not at once: from the intent to the attempt it steps out and in again.
      if (passing === 0) clock.schedule(0, () => passing === 0 && wakeAll());
    },
    async yieldTurn(lane) {
      if (lane !== "acquire" || passing === 0) return;
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          waiting.delete(wake);
          forget();
          resolve();
        };
        const forget = clock.schedule(LONGEST_YIELD_MS, wake);
        waiting.add(wake);
      });
    },
  };
}
