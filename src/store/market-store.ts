/** The ports of filters, of the listings that they match, and of what the market's memory keeps. */
import type { Filter, FilterActivity, PublicFilter } from "#domain/market/filter.ts";
import type { BuyingStop, FilterGroup, GroupState } from "#domain/buying-rules.ts";
import type { FilterId, GroupId, ListingId, UserId } from "#domain/ids.ts";
import type { ListingBackground, SeenListing } from "#domain/market/listing.ts";
import type { HeldMatch, UserMatch } from "#domain/market/match.ts";
import type { Relist } from "#domain/market/relist.ts";
import type { SellerFacts } from "#domain/market/seller.ts";

/** A filter without the fields that the store sets. */
export type NewFilter = Omit<Filter, "copies" | "groupId" | "autobuyEnd">;

/** Finds a filter whose tag holds the text (accents and case ignored), or that has one of the brands or categories. */
export interface PublicSearch {
  readonly text: string;
  readonly brandIds?: readonly number[];
  readonly categoryIds?: readonly number[];
}

export interface FilterStore {
  /** Newest first. */
  ofUser(userId: UserId): Promise<readonly Filter[]>;
  byId(userId: UserId, id: FilterId): Promise<Filter | null>;
  /**
   * The person may have `limit` filters. Concurrent saves are serialised, so the limits hold.
   * @param bounds absent: none
   * @param copiedId the filter of which it is a copy, which is counted there
   */
  add(filter: NewFilter, limit: number, bounds?: ChoiceBounds, copiedId?: FilterId): Promise<SaveOutcome>;
  /**
   * Changes filters of one person: all or none. Autobuy whose end is reached stays off, and so does autobuy that the
   * product ended unless its start changes.
   * @param change receives each filter as stored, locked against concurrent changes; if it throws, nothing is changed
   * @returns the filters as stored afterwards, in the order of the ids; `gone` if one is unknown or another person's
   */
  change(
    userId: UserId,
    ids: readonly FilterId[],
    change: (known: Filter) => NewFilter,
    at: FilterChange,
  ): Promise<readonly Filter[] | "gone" | "too_many_choices">;
  /** Adds and replaces filters, and adds groups of them, in one transaction: all or none. */
  importAll(userId: UserId, wanted: FilterImport, bounds: ImportBounds): Promise<ImportOutcome>;
  /**
   * All or none: 0 when any id is unknown or another person's, otherwise how many were deleted. A group goes with its
   * last filter.
   */
  remove(userId: UserId, ids: readonly FilterId[]): Promise<number>;
  /** Turns automatic buying off. @returns the filters that had it on */
  stopAutobuy(userId: UserId): Promise<readonly FilterId[]>;
  /** Other people's public filters that the search finds, most copied first. */
  publicOnes(exceptUserId: UserId, search: PublicSearch, limit: number): Promise<readonly PublicFilter[]>;
  /** Another person's public filter, for copying. */
  publicOne(userId: UserId, id: FilterId): Promise<PublicFilter | null>;
  /** For each of the person's filters: what it found since the moment, and how much it bought in all. */
  activity(
    userId: UserId,
    sinceMs: number,
  ): Promise<{
    readonly filters: readonly FilterActivity[];
    /** Whether more was found than is counted: the figures are then lower bounds. */
    readonly isPartial: boolean;
  }>;
  countActive(): Promise<number>;
  /** Every active filter of every person, in pages, for the index at start; grouped by person. */
  activePages(pageSize: number): AsyncIterable<readonly Filter[]>;
  activeOf(userId: UserId): Promise<readonly Filter[]>;
}

/** The content of an imported file; all filters are the person's. */
export interface FilterImport {
  readonly added: readonly NewFilter[];
  readonly replaced: readonly NewFilter[];
  /** New groups, of filters that are in no group. */
  readonly groups: readonly SavedGroup[];
}

export interface FilterChange {
  readonly nowMs: number;
  /** Absent: none. */
  readonly bounds?: ChoiceBounds;
}

/** Upper bound of the choices of all filters of a person. */
export interface ChoiceBounds {
  readonly choices: number;
  /** A filter of up to this number is saved regardless of the others. */
  readonly fewChoices: number;
}

/** Upper bounds per person. */
export interface ImportBounds extends ChoiceBounds {
  readonly filters: number;
  readonly groups: number;
  readonly nowMs: number;
}

/** `gone`: the person, or their filter that is to be replaced, does not exist. */
export type SaveOutcome = "saved" | "too_many_filters" | "too_many_choices" | "gone";

/** `gone`: a filter to be replaced has been deleted, or is in a group. */
export type ImportOutcome = SaveOutcome | "too_many_groups";

/** A group to save; its id may be new. */
export type SavedGroup = Omit<FilterGroup, "createdAtMs"> & { readonly filterIds: readonly FilterId[] };

export type GroupOutcome =
  /** `left`: the filters that are no longer members; they stop buying automatically. */
  | { readonly kind: "saved"; readonly group: GroupState; readonly left: readonly FilterId[] }
  | { readonly kind: "unknown_group" }
  | { readonly kind: "unknown_filter" }
  | { readonly kind: "in_another_group"; readonly filterId: FilterId }
  | { readonly kind: "too_many" };

/** Groups of filters. Changes apply to every decision to buy that has not committed yet. */
export interface GroupStore {
  /** Newest first. */
  list(userId: UserId): Promise<readonly GroupState[]>;
  /** @param at.limit of groups per person */
  add(group: SavedGroup, at: { readonly nowMs: number; readonly limit: number }): Promise<GroupOutcome>;
  /** Replaces the whole group. If it is complete by now, its filters stop buying automatically. */
  replace(group: SavedGroup, nowMs: number): Promise<GroupOutcome>;
  /** Its filters stop buying automatically. @returns these filters; null: no such group of the person */
  remove(userId: UserId, id: GroupId): Promise<readonly FilterId[] | null>;
}

/** The name of the group or filter whose automatic buying ended; null if it was deleted. */
export async function nameOfStop(
  { userId, groupId, filterIds }: BuyingStop,
  {
    filters,
    groups,
  }: { readonly filters: Pick<FilterStore, "byId">; readonly groups: Pick<GroupStore, "list"> },
): Promise<string | null> {
  if (groupId !== null) return (await groups.list(userId)).find(({ id }) => id === groupId)?.name ?? null;
  const [filterId] = filterIds;
  return filterId === undefined ? null : ((await filters.byId(userId, filterId))?.tag ?? null);
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
  /** The known ones among these, in no particular order. */
  byIds(ids: readonly ListingId[]): Promise<readonly SeenListing[]>;
  /** Newest first, to fill the cache at start. */
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
   * Everyone's matches of a period, both ends included, oldest first, to plan alerts after a start.
   * @param limit number of events, each of one listing for any number of people
   * @returns `nextMs`: where the next page begins (that moment included again); null after the last page
   */
  matchesBetween(
    fromMs: number,
    toMs: number,
    limit: number,
  ): Promise<{ readonly matches: readonly UserMatch[]; readonly nextMs: number | null }>;
  /**
   * Deletes rows older than the given moment; purchases keep their own copy of a listing.
   * @param closing encodes the archive's entry for deleted listings
   */
  prune(beforeMs: number, closing: (dropped: readonly DroppedListing[]) => ArchivePiece): Promise<void>;
}

/** A listing that is no longer seen. */
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
  /** Not packed into a block yet. */
  readonly isTail: boolean;
  /** "2026-03-29" in Paris; "" in the tail. */
  readonly day: string;
  /** In the sandbox's history: the highest listing covered; 0 otherwise. */
  readonly example: number;
  readonly isSorted: boolean;
  readonly versions: number;
  /** Length of its data. */
  readonly bytes: number;
}

export interface NewArchiveBlock extends ArchivePiece, Pick<ArchiveHead, "day" | "example" | "isSorted"> {
  readonly firstMs: number;
  readonly lastMs: number;
  /** Contains 0 if the leaf category of some listings is unknown. */
  readonly leafIds: readonly number[];
}

/** Pieces to delete, and the blocks that replace them, if any. */
export interface ArchiveChange {
  readonly tail: readonly number[];
  readonly blocks: readonly number[];
  readonly made: readonly NewArchiveBlock[];
}

/** Leaf categories and a colour that were read between two minutes of a day; minutes count from 1970. */
export interface CoveredLeaves {
  /** 0: any. */
  readonly colourId: number;
  /** [0]: the whole market. */
  readonly leafIds: readonly number[];
  readonly firstMinute: number;
  readonly lastMinute: number;
  /** Whether it belongs to the sandbox's history. */
  readonly isExample: boolean;
}
export type DayCoverage = readonly CoveredLeaves[];

/** The archive of the market's facts: listings of the last days, without their sellers. */
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
  /** Those that still exist. */
  tailData(seqs: readonly number[]): Promise<readonly { readonly id: number; readonly data: Uint8Array }[]>;
  blockData(ids: readonly number[]): Promise<readonly { readonly id: number; readonly data: Uint8Array }[]>;
  /** Compare-and-set: false, with nothing changed, unless all replaced pieces existed. */
  change(change: ArchiveChange): Promise<boolean>;
  /** Adds to a day's coverage. */
  cover(
    day: string,
    covered: readonly CoveredLeaves[],
    merge: (before: DayCoverage, added: readonly CoveredLeaves[]) => DayCoverage,
  ): Promise<void>;
  /** Per day, beginning with this one. */
  coverage(sinceDay: string): Promise<readonly { readonly day: string; readonly coverage: DayCoverage }[]>;
  forgetCoverage(beforeDay: string): Promise<void>;
  /** The key of the sellers' hashes; created at first use. */
  secret(): Promise<Uint8Array>;
  totals(): Promise<{
    readonly versions: number;
    readonly dataBytes: number;
    readonly diskBytes: number;
    readonly exampleVersions: number;
    /** The highest listing of the sandbox's history that was imported. */
    readonly examplesRead: number;
  }>;
  /** Deletes the whole archive, including its secret. */
  erase(): Promise<void>;
}

/** Identifies a held match: a filter holds a listing once. */
export type HeldKey = Pick<HeldMatch, "filterId"> & { readonly listingId: ListingId };

/** Matches that wait for facts. A node leases the rows that it wrote or took up, and renews the lease. */
export interface HeldMatchStore {
  /** Durable when it settles. A match held already gets the latest version of its listing. */
  hold(held: readonly HeldMatch[], dueAtMs: number): Promise<void>;
  /** Takes up to `limit` rows whose lease has expired, with their listings as last recorded. */
  takeDue(at: {
    readonly nowMs: number;
    readonly dueAtMs: number;
    readonly limit: number;
  }): Promise<readonly HeldMatch[]>;
  renew(keys: readonly HeldKey[], dueAtMs: number): Promise<void>;
  /** Removes matches that were published or dropped. */
  end(keys: readonly HeldKey[]): Promise<void>;
  prune(beforeMs: number): Promise<void>;
}

export interface NewSellerClaim {
  readonly nowMs: number;
  /** Also identifies the claim. */
  readonly untilMs: number;
  /** An expired claim of another node, to be taken over; null: none. */
  readonly lapsedUntilMs: number | null;
}

type SellerClaim =
  /** The caller may send one request, and must save its answer before the claim ends. */
  | { readonly kind: "claimed" }
  | { readonly kind: "known"; readonly facts: SellerFacts }
  /** Another node holds the claim until then; 0: the daily limit of requests about the seller is reached. */
  | { readonly kind: "taken"; readonly untilMs: number }
  | { readonly kind: "paused"; readonly untilMs: number };

/** The marketplace's facts about sellers, shared by all nodes. */
export interface SellerFactStore {
  /** Those of the given sellers that are known and not older than a day. */
  known(sellerIds: readonly number[], nowMs: number): Promise<ReadonlyMap<number, SellerFacts>>;
  /**
   * Claims the right to request a seller's facts: one node at a time, not within a day of an answer, and at
   * most `MAX_SELLER_REQUESTS` times a day. Clocks of nodes are not compared: a caller takes over another
   * node's claim only after it has seen it unchanged for the length of a claim.
   */
  claim(sellerId: number, claim: NewSellerClaim): Promise<SellerClaim>;
  /** Saves the answer, and resets the count of consecutive refusals. */
  save(sellerId: number, facts: SellerFacts, nowMs: number): Promise<void>;
  /** Ends a claim without an answer: the seller may be requested again. */
  release(sellerId: number, untilMs: number): Promise<void>;
  /**
   * The marketplace refused: pauses the look-ups of all nodes.
   * @param retryAfterMs as the market asked; null: 10 minutes, doubled by each refusal in a row up to a day
   * @returns the end of the pause
   */
  pause(nowMs: number, retryAfterMs: number | null): Promise<number>;
  /** The end of the current pause; null: none. */
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
   * Records listings and returns the relists among them: first seen `apartMs` or more after the previous one.
   * Recording a listing again changes only a price that fell.
   */
  note(articles: readonly ListedArticle[], apartMs: number): Promise<ReadonlyMap<ListingId, Relist>>;
  /** The known facts of these listings; listings without any are absent. Relists: of an article the latest listing only. */
  backgrounds(
    listings: readonly SeenListing[],
    nowMs: number,
  ): Promise<ReadonlyMap<ListingId, ListingBackground>>;
  /** Deletes articles last seen before the moment, and the oldest beyond the limit. */
  prune(beforeMs: number, limit: number): Promise<void>;
}

/** First request and retries. */
export const MAX_SELLER_REQUESTS = 4;
