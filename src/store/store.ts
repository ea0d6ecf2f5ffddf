import type { AlertStore } from "./alert-store.ts";
import type { HeldMatchStore, RelistStore, SellerFactStore } from "./facts-store.ts";
import type { AccountTokens, AuditEntry, PurchaseStore } from "./purchase-store.ts";
import type { BlockedSeller, BlockedSellers, SellerName } from "#domain/market/blocked-sellers.ts";
import type { Filter, FilterCriteria } from "#domain/market/filter.ts";
import type { FilterGroup } from "#domain/buying-rules.ts";
import type { FilterId, GroupId, ListingId, PurchaseId, SessionId, UserId } from "#domain/ids.ts";
import type { SeenListing } from "#domain/market/listing.ts";
import type { UserMatch } from "#domain/market/match.ts";
import type { MarketplaceSettings, MoneyLimits, Address } from "#domain/settings.ts";
import type { MissedWish, PurchaseStory, PurchaseSums } from "#domain/story.ts";
import type { CoveredLeaves, DayCoverage } from "./schema/tables.ts";
import type { IdentityProvider, PlanTerms, User } from "#domain/user.ts";
import type { PaymentMethodId } from "#catalogue/payment-methods.ts";
import type { PlanKey } from "#catalogue/plans.ts";
import type { Secret } from "#domain/secret.ts";

/**
 * The ports of the store, the same for both engines. Every write is durable when its promise settles. Every query of a
 * person's data takes the person's id: another person's row is treated as missing.
 */
export interface Store extends AsyncDisposable {
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly filters: FilterStore;
  readonly groups: GroupStore;
  readonly settings: SettingsStore;
  readonly sellers: SellerStore;
  readonly accounts: AccountStore;
  readonly listings: ListingStore;
  readonly held: HeldMatchStore;
  readonly sellerFacts: SellerFactStore;
  readonly relists: RelistStore;
  readonly archive: ArchiveStore;
  readonly purchases: PurchaseStore;
  readonly stories: StoryStore;
  readonly alerts: AlertStore;
  readonly audit: AuditStore;
  readonly nodes: NodeStore;
  /** Throws when the store does not answer. */
  ping(): Promise<void>;
}

export interface Identity {
  readonly provider: IdentityProvider;
  readonly providerId: string;
  readonly login: string;
  readonly displayName: string;
  readonly email: string;
  readonly pictureUrl: string | null;
}

export interface UserStore {
  byId(id: UserId): Promise<User | null>;
  /** Creates the person at level 0 at the end of the waiting list, or updates name, e-mail and picture. */
  signIn(identity: Identity, nowMs: number): Promise<{ readonly user: User; readonly isNew: boolean }>;
  setPlan(id: UserId, plan: PlanKey, endsAtMs: number | null): Promise<void>;
  /** Visible to every decision about their money that has not committed yet: purchases not yet paid are stopped. */
  setSuspended(id: UserId, isSuspended: boolean): Promise<void>;
  /** Null for a person who has a plan. Ranks start at 1, first come first. */
  waitlistPlace(id: UserId, nowMs: number): Promise<{ readonly rank: number; readonly total: number } | null>;
  waitlist(nowMs: number): Promise<readonly User[]>;
  /** The existing ones, in no particular order. */
  byIds(ids: readonly UserId[]): Promise<readonly User[]>;
  all(): Promise<readonly User[]>;
  /** By id or by unique login; null when it matches no person or several. */
  find(nameOrId: string): Promise<User | null>;
  /** Deletes the person and all their data that the ledger need not keep. */
  erase(id: UserId): Promise<void>;
}

export interface Session {
  readonly id: SessionId;
  readonly userId: UserId;
  readonly createdAtMs: number;
  readonly lastSeenAtMs: number;
  /** Browser and system, short; "" where the browser did not say. */
  readonly device: string;
}

/** A session and the plan of its person, without anything that is sealed. */
export interface SessionStanding
  extends PlanTerms, Pick<Session, "id" | "userId" | "createdAtMs" | "lastSeenAtMs"> {
  /** By which `standingChanges` names the person: of one who was erased no id may stay. */
  readonly userKey: string;
}

export interface SessionStore {
  create(session: Session): Promise<void>;
  /** The session with its person, read afresh, or null. */
  find(id: SessionId): Promise<{ readonly session: Session; readonly user: User } | null>;
  /** What decides whether a session may continue, for the existing ones, read afresh. */
  standings(ids: readonly SessionId[]): Promise<readonly SessionStanding[]>;
  /**
   * Whose standing changed since an earlier call: their plan, their suspension, or the end of a session. Nothing is missed,
   * and some may be named again.
   * @param mark that of the earlier call, at most an hour old; null: the answer names no person
   * @returns people by their `userKey`
   */
  standingChanges(
    mark: string | null,
  ): Promise<{ readonly mark: string; readonly userKeys: ReadonlySet<string> }>;
  /** Updates `lastSeenAtMs`; sessions that are locked by another node are skipped. */
  touch(ids: readonly SessionId[], nowMs: number): Promise<void>;
  /** @param devices absent: the devices that the session added receive no more alerts */
  end(id: SessionId, devices?: "kept"): Promise<boolean>;
  /** Oldest first. */
  ofUser(userId: UserId): Promise<readonly Session[]>;
  /** With the devices that they added. */
  endAll(userId: UserId): Promise<readonly SessionId[]>;
  /** Drops those idle or old beyond the given moments. */
  prune(idleBeforeMs: number, createdBeforeMs: number): Promise<void>;
}

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
   * Autobuy that the product ended since the filter was read stays off.
   */
  replace(filter: NewFilter, maxChoices?: number): Promise<boolean>;
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
  /** Replaces the whole group. */
  replace(group: SavedGroup): Promise<GroupOutcome>;
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

export interface SettingsChange {
  readonly paymentMethodId?: PaymentMethodId;
  readonly address?: Address;
  readonly pickupPointNames?: readonly string[];
  readonly limits?: Partial<MoneyLimits>;
  /** A new refresh token, null to disconnect; absent: as it is. */
  readonly refreshToken?: Secret | null;
  /** The version of the mandate that the person gives, null to withdraw it: that turns every autobuy flag off. */
  readonly mandateVersion?: number | null;
}

export interface SettingsStore {
  /** Defaults for a person who saved nothing. */
  get(userId: UserId): Promise<MarketplaceSettings>;
  /** One transaction. Money limits bind decisions as soon as it has settled. */
  change(userId: UserId, change: SettingsChange, nowMs: number): Promise<void>;
  /** The saved refresh token, for the person alone. */
  refreshToken(userId: UserId): Promise<Secret | null>;
}

/** The sellers that people block. */
export interface SellerStore {
  /** Newest first. */
  list(userId: UserId): Promise<readonly BlockedSeller[]>;
  /** For checking listings. Concurrent reads are batched. */
  blockedOf(userId: UserId): Promise<BlockedSellers>;
  /** The same of many people. */
  blockedOfAll(userIds: readonly UserId[]): Promise<(userId: UserId) => BlockedSellers>;
  /**
   * Seen by every decision to buy that has not committed yet.
   * @returns the person's list, newest first; null when it would exceed the limit: then nothing is blocked
   */
  block(
    userId: UserId,
    sellers: readonly SellerName[],
    at: { readonly nowMs: number; readonly limit: number },
  ): Promise<readonly BlockedSeller[] | null>;
  /** Unblocks all entries of a login, case ignored. @returns the list that is left */
  unblock(userId: UserId, login: string): Promise<readonly BlockedSeller[]>;
}

/** Who is refreshing. `untilMs` distinguishes two claims of the same owner; it is never compared with a clock. */
export interface RefreshClaim {
  readonly owner: string;
  readonly untilMs: number;
}

export type RefreshClaimOutcome =
  | { readonly kind: "claimed" }
  | { readonly kind: "held"; readonly by: RefreshClaim }
  /** Another generation, or an account that is no longer connected. */
  | { readonly kind: "moved_on" };

/** The marketplace sessions of people, sealed. */
export interface AccountStore {
  /** Null while no account is connected. */
  tokens(userId: UserId): Promise<AccountTokens | null>;
  /**
   * Claims the right to refresh this generation, for one holder at a time across all nodes. Clocks of different nodes
   * are not compared: a caller that has seen a claim unchanged for too long passes it as `abandoned`, and takes it over
   * if it is still the same.
   */
  claimRefresh(
    userId: UserId,
    claim: RefreshClaim & { readonly generation: number; readonly abandoned: RefreshClaim | null },
  ): Promise<RefreshClaimOutcome>;
  /** Saves a rotated pair and releases the claim; false when the generation has changed. */
  saveRotation(
    userId: UserId,
    rotation: { generation: number; refreshToken: Secret; accessToken: Secret; accessExpiresAtMs: number },
  ): Promise<boolean>;
  /** Releases the claim without a new pair. */
  releaseRefresh(userId: UserId, owner: string): Promise<void>;
  /** The marketplace refused this generation for good: the audit log says so too, and the person's alerts come from there. */
  markRefused(userId: UserId, generation: number, nowMs: number): Promise<void>;
  /** Everybody whose account is connected: for the reconciliation at start and the sweep of orders. */
  connectedUserIds(): Promise<readonly UserId[]>;
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

export interface NewArchiveBlock extends ArchivePiece {
  readonly day: string;
  readonly example: number;
  readonly isSorted: boolean;
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

export type { CoveredLeaves, DayCoverage };

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

/** The history of purchases and missed listings as shown to people; no decision depends on it. */
export interface StoryStore {
  /**
   * The latest reason per listing that was not bought; a person's oldest entries beyond the limit are deleted.
   * @returns whether the person had no entry for the listing with this reason
   */
  recordMiss(miss: MissedWish): Promise<boolean>;
  /** Newest first. */
  misses(userId: UserId, limit: number): Promise<readonly MissedWish[]>;
  story(key: { readonly id: PurchaseId; readonly userId: UserId }): Promise<PurchaseStory | null>;
  /** Real purchases that still stand, without those made elsewhere, newest first, including hidden ones. */
  bought(userId: UserId, limit: number): Promise<readonly PurchaseStory[]>;
  /** Over all purchases, including hidden ones and attempts without checkout. */
  sums(userId: UserId): Promise<PurchaseSums>;
  /** Purchases that failed before the checkout, which no other list contains, newest first. */
  bareAttempts(userId: UserId, limit: number): Promise<readonly PurchaseStory[]>;
  /** The person's automatic attempts since a moment: those that bought, and those for which others were faster. */
  attemptsSince(userId: UserId, sinceMs: number): Promise<{ readonly won: number; readonly lost: number }>;
  pruneMisses(beforeMs: number): Promise<void>;
}

export type { AccountTokens, AuditEntry };

/** An entry with its number, which grows with time, but not strictly: transactions commit out of order. */
export interface NumberedEntry extends AuditEntry {
  readonly id: number;
}

export interface AuditStore {
  append(entry: AuditEntry): Promise<void>;
  /** Those of people, with a greater number, the smallest first. */
  after(id: number, limit: number): Promise<readonly NumberedEntry[]>;
  /** Whether the person has an earlier entry of this kind, since a moment, with this value of a fact. */
  hasEarlier(entry: {
    readonly userId: UserId;
    readonly kind: string;
    readonly beforeId: number;
    readonly sinceMs: number;
    readonly fact: string;
    readonly value: string;
  }): Promise<boolean>;
  /** Newest first. */
  ofUser(userId: UserId, limit: number): Promise<readonly AuditEntry[]>;
  /** When a person's entries of one kind were written since a moment, newest first. */
  momentsOf(userId: UserId, kind: string, sinceMs: number): Promise<readonly number[]>;
}

/**
 * Membership and roles of the nodes that share a database. All timestamps are the database's.
 * A node that was declared dead never returns: its process must end and start again under another id.
 */
export interface NodeStore {
  /** Registers a node that is alive for this long unless it renews. */
  join(id: string, livesForMs: number): Promise<void>;
  /** Alive for this long from now, also when the renewal is late. False: it was declared dead before. */
  renew(id: string, livesForMs: number): Promise<boolean>;
  /** A clean shutdown: releases all leases of the node immediately. */
  leave(id: string): Promise<void>;
  /**
   * Declares dead every node that is silent for `graceMs` beyond the end of its lease, and releases what no living node
   * holds: its purchases become due, its claims on token refreshes and its roles end. Purchases for which no paying
   * request can have been sent become due as soon as the lease ends.
   * @returns the ids of the nodes that were declared dead
   */
  countOut(graceMs: number): Promise<readonly string[]>;
  /** Other living nodes, each with the end of its lease. */
  others(id: string): Promise<ReadonlyMap<string, number>>;
  /** Claims the role for this long. False while another node has it, or the node itself was declared dead. */
  claimRole(role: string, id: string, forMs: number): Promise<boolean>;
  releaseRole(role: string, id: string): Promise<void>;
}
