import type { Log } from "#domain/log.ts";
import type { Clock } from "#domain/clock.ts";

/** Background tasks: nothing awaits them except the stop of the service. */
export interface Background {
  /** Never throws: a failure of the task is logged. */
  start(name: string, task: () => Promise<void>): void;
  /** Like `start`, but tasks with the same key run one after another. */
  inOrder(key: string, name: string, task: () => Promise<void>): void;
  /** Settles once no task is running. */
  settled(): Promise<void>;
}

export function createBackground(log: Log): Background {
  const underWay = new Set<Promise<void>>();
  const lastByKey = new Map<string, Promise<void>>();

  const guarded = async (name: string, task: () => Promise<void>): Promise<void> => {
    try {
      await task();
    } catch (error) {
      log.error(
        { task: name, error: error instanceof Error ? error.name : "unknown" },
        "a background task failed",
      );
    }
  };

  const track = (promise: Promise<void>): Promise<void> => {
    underWay.add(promise);
    void promise.finally(() => underWay.delete(promise));
    return promise;
  };

  return {
    start(name, task) {
      void track(guarded(name, task));
    },
    inOrder(key, name, task) {
      const before = lastByKey.get(key) ?? Promise.resolve();
      const last = track(before.then(() => guarded(name, task)));
      lastByKey.set(key, last);
      void last.then(() => {
        if (lastByKey.get(key) === last) lastByKey.delete(key);
      });
    },
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

/**
 * Runs a task periodically and never concurrently: `intervalMs` after the start, then after the last run settled.
 * @returns ends it; a run in progress settles with the background
 */
export function repeat(
  { clock, background }: { readonly clock: Clock; readonly background: Background },
  options: { readonly name: string; readonly intervalMs: number },
  task: () => Promise<void>,
): () => void {
  let isOver = false;
  const runOnce = (): void => {
    background.start(options.name, async () => {
      try {
        await task();
      } finally {
        if (!isOver) forget = clock.schedule(options.intervalMs, runOnce);
      }
    });
  };
  let forget = clock.schedule(options.intervalMs, runOnce);
  return () => {
    isOver = true;
    forget();
  };
}
