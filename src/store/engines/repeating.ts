import type { Clock } from "#domain/clock.ts";
import { repeat } from "#domain/concurrency.ts";
import type { Log } from "#domain/log.ts";

export interface Repeating {
  /** Names the work in the log. */
  readonly name: string;
  readonly intervalMs: number;
  readonly log: Log;
  readonly run: () => Promise<unknown>;
}

/** Real time, not the product's clock; does not keep the process alive. */
const timers: Pick<Clock, "schedule"> = {
  schedule(delayMs, action) {
    const timer = setTimeout(action, delayMs).unref();
    return () => clearTimeout(timer);
  },
};

/** Runs housekeeping after each interval until it is disposed of, and continues after a failure. */
export function startRepeating({ name, intervalMs, log, run }: Repeating): AsyncDisposable {
  return repeat(timers, intervalMs, run, (error) => {
    log.warn({ work: name, error: error instanceof Error ? error.name : "unknown" }, "store upkeep failed");
  });
}
