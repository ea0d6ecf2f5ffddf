import type { ListingId, UserId } from "#domain/ids.ts";
import type { ListingBackground } from "#domain/market/listing.ts";
import type { AutobuyWish, UserMatch } from "#domain/market/match.ts";
import type { Service } from "#domain/service.ts";

/** The matches of one answer of the marketplace, in the order in which they must be served. */
export interface MatchBatch {
  /** Automatic purchases: Thunder, then Acquire; first come, first served within each. */
  readonly wishes: readonly AutobuyWish[];
  /** For people's streams; includes the listings of the wishes. */
  readonly matches: readonly UserMatch[];
}

/** Facts that became known of a listing after it was published. */
export interface KnownBackground {
  readonly listingId: ListingId;
  readonly background: ListingBackground;
}

/**
 * loading: filters are being loaded. idle: no filter is active, and at most a preview is read. paused: the marketplace
 * refuses or fails, or the store has been away for so long that nothing more is read before it is back.
 */
export type FeedState =
  | { readonly kind: "loading"; readonly percent: number }
  | { readonly kind: "live" }
  | { readonly kind: "idle" }
  | {
      readonly kind: "paused";
      readonly reason: "rate_limited" | "blocked" | "unreachable" | "unreadable" | "empty" | "frozen";
      /** When the feed tries again; frozen: when the silence counts as normal. */
      readonly untilMs: number;
    }
  | { readonly kind: "paused"; readonly reason: "store"; readonly untilMs: null };

/** Reads the market once for all people. */
export interface Feed extends Service {
  state(): FeedState;
  /** Called as soon as a batch is matched, before it is recorded. @returns ends the subscription */
  onBatch(listener: (batch: MatchBatch) => void): () => void;
  /** Called when a fact that catalogue pages lack becomes known of a published listing. */
  onBackground(listener: (known: KnownBackground) => void): () => void;
  /**
   * The person's matches of the last five minutes after a cursor (null: all of them), oldest first. Includes every
   * match that `onBatch` delivered before this call, recorded or not.
   */
  replay(userId: UserId, afterCursor: string | null): Promise<readonly UserMatch[]>;
  /** Raises the priority of what the person looks for while their stream is open. @returns ends the watch */
  watch(userId: UserId): () => void;
}

type PauseReason = Extract<FeedState, { readonly kind: "paused" }>["reason"];

const REASON_TEXTS: Readonly<Record<PauseReason, string>> = {
  rate_limited: "Vinted demande d'attendre",
  blocked: "Vinted refuse l'accès",
  unreachable: "Vinted ne répond pas",
  unreadable: "les réponses de Vinted sont illisibles",
  empty: "Vinted ne montre aucun article",
  frozen: "Vinted ne montre plus de nouveaux articles",
  store: "la base de données de Synapse ne répond pas",
};

interface ShownPause {
  /** French, without a full stop: each page appends the time in its viewer's time zone. */
  readonly reason: string;
  /** When the market is read again; null: reading never stopped, or the time is unknown. */
  readonly untilMs: number | null;
}

/** Why the stream is paused, as text for people; null while it is not. */
export function shownPause(state: FeedState): ShownPause | null {
  if (state.kind !== "paused") return null;
  return {
    reason: REASON_TEXTS[state.reason],
    untilMs: state.reason === "frozen" ? null : state.untilMs,
  };
}
