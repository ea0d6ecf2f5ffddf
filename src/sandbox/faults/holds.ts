import type { Clock } from "#domain/clock.ts";

/**
 * Everything that an armed fault keeps waiting. `releaseAll` lets all of it go at once, which is what ending the
 * faults means for requests that are held already.
 */
export interface Holds {
  /** Settles after this long, or when all are released. */
  wait(durationMs: number): Promise<void>;
  releaseAll(): void;
}

export function createHolds(clock: Clock): Holds {
  const releases = new Set<() => void>();
  return {
    wait: async (durationMs) => {
      if (durationMs <= 0) return;
      await new Promise<void>((resolve) => {
        const finish = (): void => {
          cancel();
          releases.delete(finish);
          resolve();
        };
        const cancel = clock.schedule(durationMs, finish);
        releases.add(finish);
      });
    },
    releaseAll() {
      for (const release of releases) release();
    },
  };
}
