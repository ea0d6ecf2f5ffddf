import type { AuditEntry } from "./audit-entry.ts";
import type { Filter, FilterCriteria } from "#domain/filter.ts";
import type { FilterId, ListingId, PurchaseId, SessionId, UserId } from "#domain/ids.ts";
import type { SeenListing } from "#domain/listing.ts";
import type { UserMatch } from "#domain/match.ts";
import type { PurchaseState } from "#domain/purchase.ts";
import type { AccountState, MarketplaceSettings, MoneyLimits, Address } from "#domain/settings.ts";
import type { MissedWish, PurchaseOrigin, PurchaseStory } from "#domain/story.ts";
import type { IdentityProvider, PlanTerms, User } from "#domain/user.ts";
import type { PaymentMethodId } from "#catalogue/payment-methods.ts";
import type { PlanKey } from "#catalogue/plans.ts";
import type { Secret } from "#domain/secret.ts";
import type { NodeStore } from "./node-store.ts";
import type { PurchaseStore } from "./purchase-store.ts";

/**
 * The ports of the store: what the rooms may ask for, whichever engine answers.
 * Every write is durable when its promise settles. Every query that belongs to a person takes the
 * person's id: somebody else's row is answered like one that does not exist.
 */
export interface Store extends AsyncDisposable {
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly filters: FilterStore;
  readonly settings: SettingsStore;
  readonly accounts: AccountStore;
  readonly listings: ListingStore;
  readonly purchases: PurchaseStore;
  readonly stories: StoryStore;
  readonly alerts: AlertStore;
  readonly audit: AuditStore;
  readonly nodes: NodeStore;
  /** Whatever `work` asks goes before what others wait for, where there is a queue (urgency.ts). */
  urgently<Result>(work: () => Promise<Result>): Promise<Result>;
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
  /** Seen by every decision about their money that has not committed yet: it stops what is not yet paid. */
  setSuspended(id: UserId, isSuspended: boolean): Promise<void>;
  /** Null for a person who has a plan. Ranks start at 1, first come first. */
  waitlistPlace(id: UserId, nowMs: number): Promise<{ readonly rank: number; readonly total: number } | null>;
  waitlist(nowMs: number): Promise<readonly User[]>;
  /** Those of them who are there, in no particular order. */
  byIds(ids: readonly UserId[]): Promise<readonly User[]>;
  all(): Promise<readonly User[]>;
  /** By id or by unique login; null when nobody or several people answer to it. */
  find(nameOrId: string): Promise<User | null>;
  /** Removes the person and everything of theirs that need not be kept for the books. */
  erase(id: UserId): Promise<void>;
}

export interface Session {
  readonly id: SessionId;
  readonly userId: UserId;
  readonly createdAtMs: number;
  readonly lastSeenAtMs: number;
  /** Browser and system in a few words; "" where the browser did not say. */
  readonly device: string;
}

/** A session and the plan of its person, without anything that is sealed. */
export interface SessionStanding
  extends PlanTerms, Pick<Session, "id" | "userId" | "createdAtMs" | "lastSeenAtMs"> {}

export interface SessionStore {
  create(session: Session): Promise<void>;
  /** The session with its person, read afresh, or null. */
  find(id: SessionId): Promise<{ readonly session: Session; readonly user: User } | null>;
  /** What decides whether a session may go on, of those of them that are there, read afresh. */
  standings(ids: readonly SessionId[]): Promise<readonly SessionStanding[]>;
  /** Notes the last sign of life of those that nobody else is about to change. */
  touch(ids: readonly SessionId[], nowMs: number): Promise<void>;
  end(id: SessionId): Promise<boolean>;
  /** Oldest first. */
  ofUser(userId: UserId): Promise<readonly Session[]>;
  endAll(userId: UserId): Promise<readonly SessionId[]>;
  /** Drops those idle or old beyond the given moments. */
  prune(idleBeforeMs: number, createdBeforeMs: number): Promise<void>;
}

/** A filter without what the store itself decides. */
export type NewFilter = Omit<Filter, "copies">;

export interface FilterStore {
  /** Newest first. */
  ofUser(userId: UserId): Promise<readonly Filter[]>;
  byId(userId: UserId, id: FilterId): Promise<Filter | null>;
  /**
   * False when the person has `limit` filters already, or when all of them would name more than `maxChoices` of the
   * catalogue together. However many are saved at once, they are counted one after the other.
   */
  add(filter: NewFilter, limit: number, maxChoices?: number): Promise<boolean>;
  /** Replaces the whole filter; false when it is not the person's, or would name too many choices with the others. */
  replace(filter: NewFilter, maxChoices?: number): Promise<boolean>;
  /** All or none: 0 when any id is unknown or somebody else's, otherwise how many went. */
  remove(userId: UserId, ids: readonly FilterId[]): Promise<number>;
  /** Turns automatic buying off; the answer names the filters that had it on. */
  stopAutobuy(userId: UserId, ids?: readonly FilterId[]): Promise<readonly FilterId[]>;
  /** Other people's public filters whose tag holds the text (accents and case ignored), most copied first. */
  publicOnes(exceptUserId: UserId, text: string, limit: number): Promise<readonly PublicFilter[]>;
  /** A public filter of somebody else, for copying; counts the copy. */
  takePublic(userId: UserId, id: FilterId): Promise<PublicFilter | null>;
  countActive(): Promise<number>;
  /** Every active filter of every person, in pages, for the index at start; one person's stand together. */
  activePages(pageSize: number): AsyncIterable<readonly Filter[]>;
  activeOf(userId: UserId): Promise<readonly Filter[]>;
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

export interface AccountTokens {
  readonly refreshToken: Secret;
  readonly accessToken: Secret | null;
  readonly accessExpiresAtMs: number;
  /** Grows by one with each rotation and each token that the person saves. */
  readonly generation: number;
  readonly state: AccountState;
  /**
   * When the person last saved a token: orders older than that, which no purchase of ours names, are none of
   * ours. It moves with every token they save, since each may be another account's.
   */
  readonly connectedAtMs: number;
}

/** Who is refreshing; the moment tells one claim of the same owner from the next, and is compared with no clock. */
export interface RefreshClaim {
  readonly owner: string;
  readonly untilMs: number;
}

export type RefreshClaimOutcome =
  | { readonly kind: "claimed" }
  | { readonly kind: "held"; readonly by: RefreshClaim }
  /** Another generation, or an account that is connected no more. */
  | { readonly kind: "moved_on" };

/** The marketplace sessions of people, sealed. */
export interface AccountStore {
  tokens(userId: UserId): Promise<AccountTokens | null>;
  /**
   * The right to refresh this generation, for one holder at a time over all nodes. Nobody's clock decides whether
   * another's claim is over: whoever saw one stand for too long names it as `abandoned`, and gets it if it is the
   * same still.
   */
  claimRefresh(
    userId: UserId,
    claim: RefreshClaim & { readonly generation: number; readonly abandoned: RefreshClaim | null },
  ): Promise<RefreshClaimOutcome>;
  /** Commits a rotated pair and gives the claim back; false when the generation has moved on. */
  saveRotation(
    userId: UserId,
    rotation: { generation: number; refreshToken: Secret; accessToken: Secret; accessExpiresAtMs: number },
  ): Promise<boolean>;
  /** Gives the claim back without a new pair. */
  releaseRefresh(userId: UserId, owner: string): Promise<void>;
  /** The marketplace refused this generation for good. */
  markRefused(userId: UserId, generation: number): Promise<void>;
  /** Everybody whose account is connected: for the reconciliation at start and the sweep of orders. */
  connectedUserIds(): Promise<readonly UserId[]>;
}

export interface FeedSliceMark {
  readonly key: string;
  readonly lastReadAtMs: number;
  readonly highestListingId: number;
}

/** What the feed has seen, and whom it matched. */
export interface ListingStore {
  /**
   * Records a batch whole or not at all: listings new or changed, matches, the slices' marks.
   * When it has settled a restart neither loses nor repeats any of it.
   */
  record(batch: {
    readonly listings: readonly SeenListing[];
    readonly matches: readonly UserMatch[];
    readonly marks: readonly FeedSliceMark[];
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
  /** Drops what is older than the given moment; a listing that a purchase names keeps its copy there. */
  prune(beforeMs: number): Promise<void>;
}

/** What people are told of their purchases afterwards, and of what was never tried. It decides nothing. */
export interface StoryStore {
  /** Written once for a purchase, whose listing was not missed then; for a person who is gone nothing is written. */
  recordOrigin(origin: PurchaseOrigin): Promise<void>;
  /** The latest reason for each listing that became no purchase; beyond some hundreds a person's oldest ones go. */
  recordMiss(miss: MissedWish): Promise<void>;
  /** Newest first. */
  misses(userId: UserId, limit: number): Promise<readonly MissedWish[]>;
  story(key: { readonly id: PurchaseId; readonly userId: UserId }): Promise<PurchaseStory | null>;
  /** Of every purchase, hidden ones and bare attempts too, newest first. */
  stories(userId: UserId, limit: number): Promise<readonly PurchaseStory[]>;
  /** Of those that failed before the checkout, which stand in no other list, newest first. */
  bareAttempts(userId: UserId, limit: number): Promise<readonly PurchaseStory[]>;
  pruneMisses(beforeMs: number): Promise<void>;
}

/** Where people want to be told of their purchases outside of the pages, and what they were told. */
export interface AlertStore {
  /** "id/key" of the person's Discord webhook; null: none. */
  webhook(userId: UserId): Promise<Secret | null>;
  /** Null takes it away; for a person who is gone nothing is written. */
  setWebhook(userId: UserId, webhook: Secret | null): Promise<void>;
  /** True once for each state of a purchase, over all nodes; false for a person who is gone. */
  claim(alert: {
    readonly purchaseId: PurchaseId;
    readonly userId: UserId;
    readonly state: PurchaseState;
    readonly nowMs: number;
  }): Promise<boolean>;
}

export type { AuditEntry };

export interface AuditStore {
  append(entry: AuditEntry): Promise<void>;
  /** Newest first. */
  ofUser(userId: UserId, limit: number): Promise<readonly AuditEntry[]>;
  /** When a person's entries of one kind were written since a moment, newest first. */
  momentsOf(userId: UserId, kind: string, sinceMs: number): Promise<readonly number[]>;
}
