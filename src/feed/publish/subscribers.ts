import { describeError, type Log, type LogFields } from "#domain/log.ts";
import type { FeedState } from "../feed.ts";

/** Calls its subscribers synchronously and in order; a subscriber that throws is logged and affects no other. */
export class Subscribers<Message> {
  readonly #log: Log;
  readonly #listeners = new Set<(message: Message) => void>();

  constructor(log: Log) {
    this.#log = log;
  }

  notify(message: Message): void {
    for (const listener of this.#listeners) {
      try {
        listener(message);
      } catch (error) {
        this.#log.error(describeError(error), "a subscriber of the feed failed");
      }
    }
  }

  /** @returns ends the subscription */
  subscribe(listener: (message: Message) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }
}

/** The feed's current state; each change is logged once. */
export class StateBoard {
  readonly #log: Log;
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
