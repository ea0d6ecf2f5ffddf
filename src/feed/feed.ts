import type { UserId } from "#domain/ids.ts";
import type { AutobuyWish, UserMatch } from "#domain/match.ts";
import type { Service } from "#domain/service.ts";

/** What one answer of the marketplace brought, in the order in which it must be served. */
export interface MatchBatch {
  /** Automatic purchases: Thunder, then Acquire, first come first within each. */
  readonly wishes: readonly AutobuyWish[];
  /** For the people's streams; the wishes' listings are among them. */
  readonly matches: readonly UserMatch[];
}

/** loading: the filters are still read. idle: nobody has an active filter. paused: the marketplace asked for it or is at fault. */
export type FeedState =
  | { readonly kind: "loading"; readonly percent: number }
  | { readonly kind: "live" }
  | { readonly kind: "idle" }
  | {
      readonly kind: "paused";
      readonly reason: "rate_limited" | "blocked" | "unreachable" | "unreadable" | "empty" | "frozen";
      /** When the feed tries again. */
      readonly untilMs: number;
    };

/** The one reader of the market for everybody. */
export interface Feed extends Service {
  state(): FeedState;
  /** Called as soon as a batch is matched, before it is recorded; the answer ends the subscription. */
  onBatch(listener: (batch: MatchBatch) => void): () => void;
  onState(listener: (state: FeedState) => void): () => void;
  /**
   * The person's matches of the last five minutes that came after a cursor (null: all of them), oldest first.
   * Whatever `onBatch` told before this call is among them, recorded or not.
   */
  replay(userId: UserId, afterCursor: string | null): Promise<readonly UserMatch[]>;
  /** The person's stream is open: what they look for is read more often until the answer is called. */
  watch(userId: UserId): () => void;
}
