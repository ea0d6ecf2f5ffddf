import type { Clock } from "#domain/clock.ts";
import type { Background } from "./background.ts";

/**
 * Runs a task again and again, never twice at once: first after `startsAfterMs`, then `intervalMs` after the last one settled.
 * The answer ends it; what is under way settles with the background.
 */
export function repeat(
  { clock, background }: { readonly clock: Clock; readonly background: Background },
  options: { readonly name: string; readonly intervalMs: number; readonly startsAfterMs: number },
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
  let forget = clock.schedule(options.startsAfterMs, runOnce);
  return () => {
    isOver = true;
    forget();
  };
}
