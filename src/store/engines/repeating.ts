import { setTimeout as wait } from "node:timers/promises";
import type { Log } from "#domain/log.ts";

export interface Repeating {
  /** Names the work in the log. */
  readonly name: string;
  readonly intervalMs: number;
  readonly log: Log;
  /** @param round from 1 */
  readonly run: (round: number, stopped: AbortSignal) => Promise<unknown>;
}

/**
 * Runs housekeeping after each interval until it is disposed of, and continues after a failure.
 * Uses real time, not the product's clock.
 */
export function startRepeating(repeating: Repeating): AsyncDisposable {
  const stop = new AbortController();
  const work = repeat(repeating, stop.signal);
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await work;
    },
  };
}

async function repeat({ name, intervalMs, log, run }: Repeating, stopped: AbortSignal): Promise<void> {
  for (let round = 1; await pause(intervalMs, stopped); round += 1) {
    try {
      await run(round, stopped);
    } catch (error) {
      log.warn({ work: name, error: error instanceof Error ? error.name : "unknown" }, "store upkeep failed");
    }
  }
}

/** False once stopped. */
async function pause(intervalMs: number, stopped: AbortSignal): Promise<boolean> {
  try {
    await wait(intervalMs, undefined, { ref: false, signal: stopped });
    return true;
  } catch {
    return false;
  }
}
