import { describeError } from "#domain/error-fields.ts";
import type { Log } from "#domain/log.ts";
import type { MatchBatch } from "./feed.ts";

/** Hands batches to whoever listens, at once and in order; one listener's failure is no other's. */
export class BatchOutlet {
  readonly #log: Log;
  readonly #listeners = new Set<(batch: MatchBatch) => void>();

  constructor(log: Log) {
    this.#log = log;
  }

  tell(batch: MatchBatch): void {
    if (batch.wishes.length === 0 && batch.matches.length === 0) return;
    for (const listener of this.#listeners) {
      try {
        listener(batch);
      } catch (error) {
        this.#log.error(describeError(error), "a listener failed on a batch");
      }
    }
  }

  subscribe(listener: (batch: MatchBatch) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }
}
