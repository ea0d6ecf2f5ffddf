import type { UserId } from "#domain/ids.ts";
import type { UserMatch } from "#domain/match.ts";
import type { FeedState, MatchBatch } from "./feed.ts";
import type { News } from "./ingest.ts";

/**
 * The ways between the parts of the feed: who reads the market, who matches, who serves people. In one process they
 * are calls; over several nodes messages. Places in people's streams are given here, since only here is known in
 * which order all of them are told.
 */
export interface FeedLines {
  /** Settles once the parts hear one another. */
  open(ends: FeedEnds): Promise<void>;
  close(): Promise<void>;
  /**
   * Has news matched and told. The answer is what is left to be recorded by the caller, with the news themselves;
   * null: whoever matches records it.
   */
  match(news: readonly News[]): Promise<readonly UserMatch[] | null>;
  /** Tells what was matched here; the answer are the matches as they were told. */
  tell(batch: MatchBatch): Promise<readonly UserMatch[]>;
  /** Null: it is no longer read here. */
  tellState(state: FeedState | null): void;
  /** A person's first stream on this node was opened, or their last one closed. */
  setWatching(userId: UserId, isWatching: boolean): void;
}

/** What the lines lead to on this node. */
export interface FeedEnds {
  /** Matches news; the places of the answer may not be final. */
  readonly fanOut: (news: readonly News[]) => MatchBatch;
  /** For matches that came by these lines: durable when it settles, or it throws. */
  readonly record: (matches: readonly UserMatch[]) => Promise<void>;
  /** To people and purchases of this node. */
  readonly deliver: (batch: MatchBatch) => void;
  readonly showState: (state: FeedState) => void;
  readonly setWatching: (userId: UserId, isWatching: boolean) => void;
  /** Messages may have been missed: what is known from them is read again. */
  readonly readAgain: () => void;
}

/** All parts in one process. */
export function createLocalLines(): FeedLines {
  let ends: FeedEnds | null = null;
  const open = (): FeedEnds => {
    if (ends === null) throw new Error("the feed's lines are not open");
    return ends;
  };
  return {
    async open(opened) {
      ends = opened;
    },
    async close() {
      // Calls end by themselves.
    },
    async match(news) {
      const batch = open().fanOut(news);
      open().deliver(batch);
      return batch.matches;
    },
    async tell(batch) {
      open().deliver(batch);
      return batch.matches;
    },
    tellState(state) {
      if (state !== null) ends?.showState(state);
    },
    setWatching: (userId, isWatching) => ends?.setWatching(userId, isWatching),
  };
}
