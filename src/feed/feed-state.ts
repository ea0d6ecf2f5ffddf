import { describeError } from "#domain/error-fields.ts";
import type { Log, LogFields } from "#domain/log.ts";
import type { FeedState } from "./feed.ts";

/** What the feed does right now, for whoever wants to know, told once per change. */
export class StateBoard {
  readonly #log: Log;
  readonly #listeners = new Set<(state: FeedState) => void>();
  #state: FeedState = { kind: "idle" };

  constructor(log: Log) {
    this.#log = log;
  }

  get state(): FeedState {
    return this.#state;
  }

  show(state: FeedState): void {
    if (isSame(this.#state, state)) return;
    this.#state = state;
    this.#log.info(fieldsOf(state), "the feed's state");
    for (const listener of this.#listeners) {
      try {
        listener(state);
      } catch (error) {
        this.#log.error(describeError(error), "a listener failed on the feed's state");
      }
    }
  }

  onChange(listener: (state: FeedState) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }
}

function fieldsOf(state: FeedState): LogFields {
  if (state.kind === "loading") return { state: state.kind, percent: state.percent };
  return { state: state.kind === "paused" ? state.reason : state.kind };
}

function isSame(one: FeedState, other: FeedState): boolean {
  if (one.kind === "loading" && other.kind === "loading") return one.percent === other.percent;
  if (one.kind !== "paused" || other.kind !== "paused") return one.kind === other.kind;
  return one.reason === other.reason && one.untilMs === other.untilMs;
}
