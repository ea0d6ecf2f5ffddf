import type { Log } from "#domain/log.ts";

/** Work that nobody waits for, but the end of the service does. */
export interface Background {
  /** Never throws: a failure of the task is logged. */
  start(name: string, task: () => Promise<void>): void;
  /** The same, but of tasks about one thing each begins only after the one before has settled. */
  inOrder(about: string, name: string, task: () => Promise<void>): void;
  /** Settles once nothing is under way any more. */
  settled(): Promise<void>;
}

export function createBackground(log: Log): Background {
  const underWay = new Set<Promise<void>>();
  const lastAbout = new Map<string, Promise<void>>();

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
    inOrder(about, name, task) {
      const before = lastAbout.get(about) ?? Promise.resolve();
      const last = track(before.then(() => guarded(name, task)));
      lastAbout.set(about, last);
      void last.then(() => {
        if (lastAbout.get(about) === last) lastAbout.delete(about);
      });
    },
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
