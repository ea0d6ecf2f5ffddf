import { createHash } from "node:crypto";
import type { Clock } from "#domain/clock.ts";

/**
 * The log of a run. The same seed and code give the same lines, compared by hash (I17), so no line may
 * contain real randomness, such as a token.
 */
export interface Trace {
  note(kind: string, text: string): void;
  /** Counts how often rare states occur. */
  count(state: string): void;
  readonly counts: ReadonlyMap<string, number>;
  /** Whole hours since the start. */
  hour(): number;
  hash(): string;
}

/** @param onLine called with every line */
export function createTrace(time: Clock, onLine: ((line: string) => void) | null): Trace {
  const hash = createHash("sha256");
  const counts = new Map<string, number>();
  const startMs = time.nowMs();
  let pending = "";
  const flush = (): void => {
    hash.update(pending);
    pending = "";
  };
  return {
    counts,
    hour: () => Math.floor((time.nowMs() - startMs) / 3_600_000),
    note(kind, text) {
      const line = `${((time.nowMs() - startMs) / 1_000).toFixed(3).padStart(10)} ${kind.padEnd(9)} ${text}`;
      pending += `${line}\n`;
      if (pending.length > 65_536) flush();
      onLine?.(line);
    },
    count(state) {
      counts.set(state, (counts.get(state) ?? 0) + 1);
    },
    hash() {
      flush();
      return hash.copy().digest("hex").slice(0, 16);
    },
  };
}
