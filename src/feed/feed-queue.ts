import type { UserId } from "#domain/ids.ts";
import type { HeldMatch, UserMatch } from "#domain/market/match.ts";
import type { FeedState, MatchBatch } from "./feed.ts";
import type { News } from "./read/ingest.ts";

/** The result of matching news. */
export interface FanOutResult extends MatchBatch {
  /** Matches that wait for facts before they are published. */
  readonly held: readonly HeldMatch[];
}

/** The part of a result that must be recorded. */
export type Found = Pick<FanOutResult, "matches" | "held">;

/**
 * The port between the parts of the feed: reading the market, matching, serving people. Within one process it
 * is a function call, across nodes a message queue. It assigns the final cursors, because only it knows the
 * global order of publication.
 */
export interface FeedQueue {
  /** Settles once messages are being received. */
  open(handlers: FeedQueueHandlers): Promise<void>;
  close(): Promise<void>;
  /**
   * Matches and publishes news, on this or another node.
   * @returns what the caller must record together with the news; null when the matcher records them
   */
  match(news: readonly News[]): Promise<Found | null>;
  /** Publishes the matches found on this node. @returns them with their final cursors */
  publish(batch: MatchBatch): Promise<readonly UserMatch[]>;
  /** @param state null: this node no longer reads the market */
  publishState(state: FeedState | null): void;
  /** Called when a person's first stream on this node opens and when the last one closes. */
  setWatching(userId: UserId, isWatching: boolean): void;
}

/** What the queue calls on this node. */
export interface FeedQueueHandlers {
  /** Matches news; the cursors of the result may not be final. */
  readonly fanOut: (news: readonly News[]) => FanOutResult;
  /** Records what was found and published through the queue: durable when it settles, otherwise it throws. */
  readonly record: (found: Found) => Promise<void>;
  /** Hands a batch to the streams and purchases of this node. */
  readonly deliver: (batch: MatchBatch) => void;
  readonly showState: (state: FeedState) => void;
  readonly setWatching: (userId: UserId, isWatching: boolean) => void;
  /** Messages may have been lost: everything derived from them must be loaded again. */
  readonly reload: () => void;
}

/** All parts in one process. */
export function createLocalQueue(): FeedQueue {
  let opened: FeedQueueHandlers | null = null;
  const handlers = (): FeedQueueHandlers => {
    if (opened === null) throw new Error("the feed's queue is not open");
    return opened;
  };
  return {
    async open(given) {
      opened = given;
    },
    async close() {
      // Nothing is in flight: every message is a synchronous call.
    },
    async match(news) {
      const batch = handlers().fanOut(news);
      handlers().deliver(batch);
      return batch;
    },
    async publish(batch) {
      handlers().deliver(batch);
      return batch.matches;
    },
    publishState(state) {
      if (state !== null) opened?.showState(state);
    },
    setWatching: (userId, isWatching) => opened?.setWatching(userId, isWatching),
  };
}
