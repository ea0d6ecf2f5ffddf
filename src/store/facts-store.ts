/** The ports of what becomes known of a listing after its match: matches that wait, sellers, relists. */
import type { ListingId } from "#domain/ids.ts";
import type { ListingBackground, SeenListing } from "#domain/market/listing.ts";
import type { HeldMatch } from "#domain/market/match.ts";
import type { Relist } from "#domain/market/relist.ts";
import type { SellerFacts } from "#domain/market/seller.ts";

/** Names a held match: a filter holds a listing once. */
export type HeldKey = Pick<HeldMatch, "filterId"> & { readonly listingId: ListingId };

/** Matches that wait for facts. A node has the rows that it wrote or took up until a moment, and renews that. */
export interface HeldMatchStore {
  /** Durable when it settles. A match that is held already waits for the latest version of its listing. */
  hold(held: readonly HeldMatch[], dueAtMs: number): Promise<void>;
  /** Takes up to `limit` rows that no node has any more, with their listings as last recorded. */
  takeDue(at: {
    readonly nowMs: number;
    readonly dueAtMs: number;
    readonly limit: number;
  }): Promise<readonly HeldMatch[]>;
  renew(keys: readonly HeldKey[], dueAtMs: number): Promise<void>;
  /** They were published or dropped. */
  end(keys: readonly HeldKey[]): Promise<void>;
  prune(beforeMs: number): Promise<void>;
}

export interface NewSellerClaim {
  readonly nowMs: number;
  /** Names the claim. */
  readonly untilMs: number;
  /** The claim of a node that is gone; null: none is known. */
  readonly lapsedUntilMs: number | null;
}

export type SellerClaim =
  /** The caller may send one request, and must save its answer before the claim ends. */
  | { readonly kind: "claimed" }
  | { readonly kind: "known"; readonly facts: SellerFacts }
  /** Another node asks, until its claim lapses; 0: nobody does, the seller was asked about too often in a day. */
  | { readonly kind: "taken"; readonly untilMs: number }
  | { readonly kind: "paused"; readonly untilMs: number };

/** What the market says of sellers, for all nodes. */
export interface SellerFactStore {
  /** Those of the given sellers that are known and not older than a day. */
  known(sellerIds: readonly number[], nowMs: number): Promise<ReadonlyMap<number, SellerFacts>>;
  /**
   * The right to ask about a seller: one node at a time, not within a day of an answer, `MAX_SELLER_REQUESTS` times a day.
   * Clocks of nodes differ: another node's claim is taken over only by one that has seen it stand for as long as one lasts.
   */
  claim(sellerId: number, claim: NewSellerClaim): Promise<SellerClaim>;
  /** The answer, which also ends a row of refusals. */
  save(sellerId: number, facts: SellerFacts, nowMs: number): Promise<void>;
  /** The request of this claim came to nothing: the seller may be asked about again. */
  release(sellerId: number, untilMs: number): Promise<void>;
  /**
   * The market refused: no look-up of any node for a while.
   * @param retryAfterMs as the market asked; null: 10 minutes, doubled by each refusal in a row up to a day
   * @returns the end of the pause
   */
  pause(nowMs: number, retryAfterMs: number | null): Promise<number>;
  /** The end of the pause in effect; null: there is none. */
  pausedUntil(nowMs: number): Promise<number | null>;
  prune(beforeMs: number): Promise<void>;
}

/** A listing that matched a filter. */
export interface ListedArticle {
  /** The same for all listings of an article (feed/facts/relist-book.ts). */
  readonly key: bigint;
  readonly seen: SeenListing;
}

/** The earlier listings of articles. */
export interface RelistStore {
  /**
   * Notes listings and says which of them are relists: first seen `apartMs` or more after the one before. Noting one again
   * changes nothing but a price that fell.
   */
  note(articles: readonly ListedArticle[], apartMs: number): Promise<ReadonlyMap<ListingId, Relist>>;
  /** The known facts of these listings; those of which nothing is known are absent. */
  backgrounds(
    listings: readonly SeenListing[],
    nowMs: number,
  ): Promise<ReadonlyMap<ListingId, ListingBackground>>;
  /** Deletes articles last seen before the moment, and the oldest beyond the limit. */
  prune(beforeMs: number, limit: number): Promise<void>;
}

/** First request and retries. */
export const MAX_SELLER_REQUESTS = 4;
