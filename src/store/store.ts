import type { AlertStore } from "./alert-store.ts";
import type { AccountTokens } from "./purchase-facts.ts";
import type { AuditEntry, PurchaseStore } from "./purchase-store.ts";
import type { BlockedSeller, BlockedSellers, SellerName } from "#domain/market/blocked-sellers.ts";
import type { PurchaseId, SessionId, UserId } from "#domain/ids.ts";
import type { MarketplaceSettings, SettingsChange } from "#domain/settings.ts";
import type { MissedWish, PurchaseStory, PurchaseSums } from "#domain/story.ts";
import type { PlanTerms, Subscriber, User } from "#domain/user.ts";
import type { PlanKey } from "#catalogue/plans.ts";
import type { Secret } from "#domain/secret.ts";
import type {
  ArchiveStore,
  FilterStore,
  GroupStore,
  HeldMatchStore,
  ListingStore,
  RelistStore,
  SellerFactStore,
} from "./market-store.ts";

export type { AuditEntry };

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

/** A person, as the sign-in provider knows them. */
export type Identity = Pick<
  User,
  "provider" | "providerId" | "login" | "displayName" | "email" | "pictureUrl"
>;

/** What a person has from their first sign-in. */
export interface Welcome {
  /** Without an end. */
  readonly plan: PlanKey;
  readonly settings: SettingsChange;
}

export interface UserStore {
  byId(id: UserId): Promise<User | null>;
  /**
   * Creates the person at level 0 at the end of the waiting list, or updates name, e-mail and picture.
   * @param welcome what a new person has instead, in the same transaction; others keep what they have
   */
  signIn(
    identity: Identity,
    nowMs: number,
    welcome?: Welcome,
  ): Promise<{ readonly user: User; readonly isNew: boolean }>;
  setPlan(id: UserId, plan: PlanKey, endsAtMs: number | null): Promise<void>;
  /** Visible to every decision about their money that has not committed yet: purchases not yet paid are stopped. */
  setSuspended(id: UserId, isSuspended: boolean): Promise<void>;
  /** Null for a person who has a plan. Ranks start at 1, in order of arrival. */
  waitlistPlace(id: UserId, nowMs: number): Promise<{ readonly rank: number; readonly total: number } | null>;
  /** The existing ones, in no particular order; opens no sealed value. */
  subscribers(ids: readonly UserId[]): Promise<readonly Subscriber[]>;
  /** Like `all` and `find`, contains people whose profile cannot be opened: it is empty, and the login is the id. */
  waitlist(nowMs: number): Promise<readonly User[]>;
  all(): Promise<readonly User[]>;
  /** By id or by unique login; null when it matches no person or several. */
  find(nameOrId: string): Promise<User | null>;
  /**
   * Deletes the person and all their data that the ledger need not keep.
   * @param stopReason only while the account is stopped for this reason
   * @param entry written to the audit log in the same transaction
   * @returns false if it is not: nothing is deleted
   */
  erase(
    id: UserId,
    options?: { readonly stopReason?: string; readonly entry?: AuditEntry },
  ): Promise<boolean>;
}

export interface Session {
  readonly id: SessionId;
  readonly userId: UserId;
  readonly createdAtMs: number;
  readonly lastSeenAtMs: number;
  /** Browser and system, short; "" if unknown. */
  readonly device: string;
}

/** A session and its person's plan, without sealed values. */
export interface SessionStatus
  extends PlanTerms, Pick<Session, "id" | "userId" | "createdAtMs" | "lastSeenAtMs"> {
  /** The person in `statusChanges`: a hash, since no id of an erased person may be kept. */
  readonly userKey: string;
}

export interface SessionStore {
  create(session: Session): Promise<void>;
  /** The session with its person, read afresh, or null. */
  find(id: SessionId): Promise<{ readonly session: Session; readonly user: User } | null>;
  /** The facts that decide whether sessions may continue, read afresh; unknown ids are omitted. */
  statuses(ids: readonly SessionId[]): Promise<readonly SessionStatus[]>;
  /**
   * People whose status changed since an earlier call: their plan, their suspension, or the end of a
   * session. Nothing is missed, and some may be returned again.
   * @param mark of the earlier call, at most an hour old; null: no person is returned
   * @returns people by their `userKey`
   */
  statusChanges(
    mark: string | null,
  ): Promise<{ readonly mark: string; readonly userKeys: ReadonlySet<string> }>;
  /** Updates `lastSeenAtMs`; sessions that are locked by another node are skipped. */
  touch(ids: readonly SessionId[], nowMs: number): Promise<void>;
  /**
   * Ends the session, and removes the devices that it added, which receive no more alerts and are recorded as removed;
   * devices are also removed when the session has ended before.
   * @param devicesKeptFor the devices of this person are kept
   * @returns `isEnded`: false if there was no such session; `deviceOwners`: the people whose devices were removed
   */
  end(
    id: SessionId,
    nowMs: number,
    devicesKeptFor?: UserId,
  ): Promise<{ readonly isEnded: boolean; readonly deviceOwners: readonly UserId[] }>;
  /** Oldest first. */
  ofUser(userId: UserId): Promise<readonly Session[]>;
  /** Also removes the devices that they added. */
  endAll(userId: UserId, nowMs: number): Promise<readonly SessionId[]>;
  /** Deletes sessions that are idle or older than the given moments. */
  prune(idleBeforeMs: number, createdBeforeMs: number): Promise<void>;
}

export interface SettingsStore {
  /** Returns defaults for a person who saved nothing. */
  get(userId: UserId): Promise<MarketplaceSettings>;
  /** One transaction. Money limits apply to decisions as soon as it has settled. */
  change(userId: UserId, change: SettingsChange, nowMs: number): Promise<void>;
  /** The saved refresh token, shown to the person alone. */
  refreshToken(userId: UserId): Promise<Secret | null>;
}

/** The sellers that people block. */
export interface SellerStore {
  /** Newest first. */
  list(userId: UserId): Promise<readonly BlockedSeller[]>;
  /** For checking listings. Concurrent reads are batched. */
  blockedOf(userId: UserId): Promise<BlockedSellers>;
  /** The same for many people. */
  blockedOfAll(userIds: readonly UserId[]): Promise<(userId: UserId) => BlockedSellers>;
  /**
   * Applies to every decision to buy that has not committed yet.
   * @returns the person's list, newest first; null if it would exceed the limit: then nothing is blocked
   */
  block(
    userId: UserId,
    sellers: readonly SellerName[],
    at: { readonly nowMs: number; readonly limit: number },
  ): Promise<readonly BlockedSeller[] | null>;
  /** Unblocks all entries of a login, case ignored. @returns the remaining list */
  unblock(userId: UserId, login: string): Promise<readonly BlockedSeller[]>;
}

/** The claim of a refresh. `untilMs` only distinguishes claims of one owner; no clock is compared with it. */
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
  /** The marketplace refused this generation for good. Audited; alerts are planned from the audit log. */
  markRefused(userId: UserId, generation: number, nowMs: number): Promise<void>;
  /** The marketplace asked to send nothing for this account until then. A longer wait that is known already stays. */
  askToWait(userId: UserId, untilMs: number): Promise<void>;
  /** Everyone with a connected account, for the reconciliation at start and the sweep of orders. */
  connectedUserIds(): Promise<readonly UserId[]>;
}

/** The history of purchases and missed listings for display; no decision depends on it. */
export interface StoryStore {
  /**
   * The latest reason per listing that was not bought; a person's oldest entries beyond the limit are deleted, apart
   * from those that await a decision. Nothing is recorded of a seller whom the person blocks, nor for a person whose
   * plan does not buy automatically.
   * @returns whether the person had no entry for the listing with this reason, other than this very one
   */
  recordMiss(miss: MissedWish): Promise<boolean>;
  /** Newest first. */
  misses(userId: UserId, limit: number): Promise<readonly MissedWish[]>;
  story(key: { readonly id: PurchaseId; readonly userId: UserId }): Promise<PurchaseStory | null>;
  /** Paid and not refunded purchases, without orders made elsewhere; newest first, including hidden ones. */
  bought(userId: UserId, limit: number): Promise<readonly PurchaseStory[]>;
  /** Over all purchases, including hidden ones and attempts without checkout. */
  sums(userId: UserId): Promise<PurchaseSums>;
  /** Purchases that failed before the checkout, which no other list contains, newest first. */
  bareAttempts(userId: UserId, limit: number): Promise<readonly PurchaseStory[]>;
  /** The person's automatic attempts since a moment: those that bought, and those that another buyer won. */
  attemptsSince(userId: UserId, sinceMs: number): Promise<{ readonly won: number; readonly lost: number }>;
  pruneMisses(beforeMs: number): Promise<void>;
}

/** Numbers increase with time, but not strictly: transactions commit out of order. */
export interface NumberedEntry extends AuditEntry {
  readonly id: number;
}

export interface AuditStore {
  append(entry: AuditEntry): Promise<void>;
  /** Entries of people with a greater number, in ascending order. */
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
  /** The times of a person's entries of one kind since a moment, newest first. */
  momentsOf(userId: UserId, kind: string, sinceMs: number): Promise<readonly number[]>;
}

/**
 * Membership and roles of the nodes that share a database. All timestamps are the database's.
 * A node that was declared dead never returns: its process must end and start again under another id.
 */
export interface NodeStore {
  /**
   * Registers a node that is alive for this long unless it renews.
   * @returns the time by the database's clock
   */
  join(id: string, livesForMs: number): Promise<number>;
  /**
   * Extends the lease from now, also when the renewal is late.
   * @returns the time by the database's clock; null: the node was declared dead before
   */
  renew(id: string, livesForMs: number): Promise<number | null>;
  /** A clean shutdown: releases all leases of the node immediately. */
  leave(id: string): Promise<void>;
  /**
   * Declares dead every node that is silent for `graceMs` beyond the end of its lease, and releases what no
   * living node holds: its purchases become due, its refresh claims and roles end. Purchases for which no
   * paying request can have been sent become due as soon as the lease ends.
   * @returns the ids of the nodes that were declared dead
   */
  countOut(graceMs: number): Promise<readonly string[]>;
  /** Other living nodes, each with the end of its lease. */
  others(id: string): Promise<ReadonlyMap<string, number>>;
  /** Claims the role for this long. False if another node has it, or the node itself was declared dead. */
  claimRole(role: string, id: string, forMs: number): Promise<boolean>;
  releaseRole(role: string, id: string): Promise<void>;
}
