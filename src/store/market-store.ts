/** The ports of filters, of the listings that they match, and of what the market's memory keeps. */
import type { Filter, FilterCriteria } from "#domain/market/filter.ts";
import type { FilterGroup } from "#domain/buying-rules.ts";
import type { FilterId, GroupId, ListingId, UserId } from "#domain/ids.ts";
import type { ListingBackground, SeenListing } from "#domain/market/listing.ts";
import type { HeldMatch, UserMatch } from "#domain/market/match.ts";
import type { CoveredLeaves, DayCoverage } from "./schema/tables.ts";
import type { Relist } from "#domain/market/relist.ts";
import type { SellerFacts } from "#domain/market/seller.ts";

export type { CoveredLeaves, DayCoverage };

/** A filter without what the store itself decides: a new one is in no group. */
export type NewFilter = Omit<Filter, "copies" | "groupId" | "autobuyEnd">;

export interface FilterStore {
  /** Newest first. */
  ofUser(userId: UserId): Promise<readonly Filter[]>;
  byId(userId: UserId, id: FilterId): Promise<Filter | null>;
  /**
   * False when the person already has `limit` filters, or when their filters together would select more than
   * `maxChoices` catalogue entries. Concurrent saves are serialised, so the limits hold.
   */
  add(filter: NewFilter, limit: number, maxChoices?: number): Promise<boolean>;
  /**
   * Replaces the whole filter; false when it is not the person's, or would name too many choices with the others.
   * Autobuy that the product ended since the filter was read stays off, and so does autobuy whose end is reached.
   */
  replace(filter: NewFilter, nowMs: number, maxChoices?: number): Promise<boolean>;
  /**
   * Changes several filters in one transaction. A `change` that throws changes none.
   * @returns the changed ones in the order of the ids; null, with none changed, if one is unknown or another person's
   */
  change(
    userId: UserId,
    ids: readonly FilterId[],
    change: (filter: Filter) => NewFilter,
  ): Promise<readonly Filter[] | null>;
  /** Adds and replaces filters, and adds groups of them, in one transaction: all or none. */
  importAll(userId: UserId, wanted: FilterImport, bounds: ImportBounds): Promise<ImportOutcome>;
  /**
   * All or none: 0 when any id is unknown or another person's, otherwise how many were deleted. A group goes with its
   * last filter.
   */
  remove(userId: UserId, ids: readonly FilterId[]): Promise<number>;
  /** Turns automatic buying off. @returns the filters that had it on */
  stopAutobuy(userId: UserId, ids?: readonly FilterId[]): Promise<readonly FilterId[]>;
  /** Other people's public filters whose tag holds the text (accents and case ignored), most copied first. */
  publicOnes(exceptUserId: UserId, text: string, limit: number): Promise<readonly PublicFilter[]>;
  /** Another person's public filter, for copying; increments its copies. */
  takePublic(userId: UserId, id: FilterId): Promise<PublicFilter | null>;
  /** Of each of the person's filters, what it found since the moment and what it bought. */
  activity(
    userId: UserId,
    sinceMs: number,
  ): Promise<{
    readonly filters: readonly FilterActivity[];
    /** More was found than is counted: the figures are lower bounds. */
    readonly isPartial: boolean;
  }>;
  countActive(): Promise<number>;
  /** Every active filter of every person, in pages, for the index at start; grouped by person. */
  activePages(pageSize: number): AsyncIterable<readonly Filter[]>;
  activeOf(userId: UserId): Promise<readonly Filter[]>;
}

/** What is imported of a file; all filters are the person's. */
export interface FilterImport {
  readonly added: readonly NewFilter[];
  readonly replaced: readonly NewFilter[];
  /** New ones, of filters that are in no group. */
  readonly groups: readonly SavedGroup[];
}

/** What one person may have. */
export interface ImportBounds {
  readonly filters: number;
  readonly choices: number;
  /** A filter of up to this number is saved regardless of the others. */
  readonly fewChoices: number;
  readonly groups: number;
  readonly nowMs: number;
}

/** `gone`: a filter to be replaced was deleted, or is in a group by now. */
export type ImportOutcome = "saved" | "too_many_filters" | "too_many_choices" | "too_many_groups" | "gone";

/** A group with its filters and what they bought for real money. */
export interface GroupState extends FilterGroup {
  /** In the order in which they were created. */
  readonly filterIds: readonly FilterId[];
  /** Purchases that take a place, and what they hold and cost. */
  readonly taken: { readonly count: number; readonly cents: number };
  /** Its last place is paid, or less than 1 EUR of its budget is left. */
  readonly isComplete: boolean;
}

/** The id may be new: then the group is. */
export type SavedGroup = Omit<FilterGroup, "createdAtMs"> & { readonly filterIds: readonly FilterId[] };

export type GroupOutcome =
  /** `left`: filters that left it, and no longer buy automatically. */
  | { readonly kind: "saved"; readonly group: GroupState; readonly left: readonly FilterId[] }
  | { readonly kind: "unknown_group" }
  | { readonly kind: "unknown_filter" }
  | { readonly kind: "in_another_group"; readonly filterId: FilterId }
  | { readonly kind: "too_many" };

/** Groups of filters. Seen by every decision to buy that has not committed yet. */
export interface GroupStore {
  /** Newest first. */
  list(userId: UserId): Promise<readonly GroupState[]>;
  /** @param limit groups of one person */
  add(group: SavedGroup, at: { readonly nowMs: number; readonly limit: number }): Promise<GroupOutcome>;
  /** Replaces the whole group. One that is complete by now ends its filters' automatic buying. */
  replace(group: SavedGroup, nowMs: number): Promise<GroupOutcome>;
  /** Its filters stop buying automatically. @returns them; null: no such group of the person */
  remove(userId: UserId, id: GroupId): Promise<readonly FilterId[] | null>;
}

export interface FilterActivity {
  readonly filterId: FilterId;
  /** Listings, each once. */
  readonly foundCount: number;
  /** Null when it found nothing, or no listing that is still known. */
  readonly latest: {
    readonly listingId: ListingId;
    readonly title: string;
    readonly foundAtMs: number;
  } | null;
  /** Open and confirmed purchases, as `maxPurchases` counts them: simulated ones for a filter that simulates. */
  readonly purchaseCount: number;
}

export interface PublicFilter {
  readonly id: FilterId;
  readonly tag: string;
  readonly criteria: FilterCriteria;
  readonly copies: number;
}

export interface FeedSliceMark {
  readonly key: string;
  readonly lastReadAtMs: number;
  readonly highestListingId: number;
}

/** Listings that the feed has seen, and the people they matched. */
export interface ListingStore {
  /**
   * Records a batch atomically: new or changed listings, matches, the slices' marks.
   * Once it has settled, a restart neither loses nor repeats any of it.
   */
  record(batch: {
    readonly listings: readonly SeenListing[];
    readonly matches: readonly UserMatch[];
    readonly marks: readonly FeedSliceMark[];
    /** The same news for the archive; absent: none. */
    readonly archive?: readonly ArchivePiece[];
  }): Promise<void>;
  byId(id: ListingId): Promise<SeenListing | null>;
  /** Those of the given ones that are known, in no particular order. */
  byIds(ids: readonly ListingId[]): Promise<readonly SeenListing[]>;
  /** Those seen since the given moment, newest first: fills memory at start. */
  seenSince(sinceMs: number, limit: number): Promise<readonly SeenListing[]>;
  sliceMarks(): Promise<readonly FeedSliceMark[]>;
  /** The person's latest matches, newest first. */
  recentMatches(userId: UserId, limit: number): Promise<readonly UserMatch[]>;
  /** The person's matches after a cursor and not before a moment, newest first. */
  matchesAfter(
    userId: UserId,
    after: { cursor: string | null; sinceMs: number; limit: number },
  ): Promise<readonly UserMatch[]>;
  /**
   * Everybody's matches of a stretch of time, both ends included, oldest first: what alerts are planned from after a start.
   * @param limit events, each of one listing for any number of people
   * @returns `nextMs`: where the next page begins, with that moment's again; null after the last one
   */
  matchesBetween(
    fromMs: number,
    toMs: number,
    limit: number,
  ): Promise<{ readonly matches: readonly UserMatch[]; readonly nextMs: number | null }>;
  /**
   * Deletes rows older than the given moment; purchases keep their own copy of a listing.
   * @param closing makes the archive's entries of listings that are deleted; absent: none are made
   */
  prune(beforeMs: number, closing?: (dropped: readonly DroppedListing[]) => ArchivePiece): Promise<void>;
}

/** A listing that was not seen any more. */
export type DroppedListing = Pick<SeenListing, "firstSeenAtMs" | "seenAtMs"> & {
  readonly id: ListingId;
  readonly leafIds: readonly number[];
};

/** Versions of listings, encoded (market/archive/block.ts). */
export interface ArchivePiece {
  readonly versions: number;
  readonly data: Uint8Array;
}

/** A stored piece of the archive, without its data. Ids of tail and blocks are counted separately. */
export interface ArchiveHead {
  readonly id: number;
  /** Not packed yet. */
  readonly isTail: boolean;
  /** "2026-03-29" in Paris; "" in the tail. */
  readonly day: string;
  /** 0, or up to which listing of the sandbox's history it goes. */
  readonly example: number;
  readonly isSorted: boolean;
  readonly versions: number;
}

export interface NewArchiveBlock extends ArchivePiece, Pick<ArchiveHead, "day" | "example" | "isSorted"> {
  readonly firstMs: number;
  readonly lastMs: number;
  /** 0: some listings lie in no known leaf. */
  readonly leafIds: readonly number[];
}

/** Pieces that are replaced by blocks, or by nothing. */
export interface ArchiveChange {
  readonly tail: readonly number[];
  readonly blocks: readonly number[];
  readonly made: readonly NewArchiveBlock[];
}

/** The archive of the market's facts: what was seen in the last days, without the people who sell. */
export interface ArchiveStore {
  /**
   * The tail, and the blocks with versions of the period that may lie in one of the leaves (null: in any).
   * One statement, so nothing is listed twice or missing.
   */
  heads(range: {
    readonly fromMs: number;
    readonly toMs: number;
    readonly leafIds: readonly number[] | null;
  }): Promise<readonly ArchiveHead[]>;
  /** Those that are still there. */
  tailData(seqs: readonly number[]): Promise<readonly { readonly id: number; readonly data: Uint8Array }[]>;
  blockData(ids: readonly number[]): Promise<readonly { readonly id: number; readonly data: Uint8Array }[]>;
  /** False, with nothing changed, unless all replaced pieces were there. */
  change(change: ArchiveChange): Promise<boolean>;
  /** Adds to a day's coverage. */
  cover(
    day: string,
    covered: readonly CoveredLeaves[],
    merge: (before: DayCoverage, added: readonly CoveredLeaves[]) => DayCoverage,
  ): Promise<void>;
  /** By day, from this one on. */
  coverage(sinceDay: string): Promise<readonly { readonly day: string; readonly coverage: DayCoverage }[]>;
  forgetCoverage(beforeDay: string): Promise<void>;
  /** With which sellers are hashed; made when it is first asked for. */
  secret(): Promise<Uint8Array>;
  totals(): Promise<{
    readonly versions: number;
    readonly dataBytes: number;
    readonly diskBytes: number;
    readonly exampleVersions: number;
    /** Up to which listing the sandbox's history is there. */
    readonly examplesRead: number;
    /** The first version in a block; null: none. */
    readonly firstMs: number | null;
  }>;
  /** Deletes everything of it, with the secret. */
  erase(): Promise<void>;
}

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
  /** Another node holds the claim until then; 0: the daily limit of requests about the seller is reached. */
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
