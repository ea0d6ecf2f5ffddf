import type { BlockedSeller } from "#domain/market/blocked-sellers.ts";
import type { Filter } from "#domain/market/filter.ts";
import type { FilterGroup } from "#domain/buying-rules.ts";
import type { FilterId, GroupId, ListingId, PurchaseId, UserId } from "#domain/ids.ts";
import type { SeenListing } from "#domain/market/listing.ts";
import type { UserMatch } from "#domain/market/match.ts";
import type { AccountState, MarketplaceSettings, MoneyLimits } from "#domain/settings.ts";
import type { Secret } from "#domain/secret.ts";
import type { User } from "#domain/user.ts";
import type { FilterTerms, PurchaseRecord } from "#store/purchase-facts.ts";
import type { Evidence, StopSwitch, StopSwitchName } from "#store/purchase-store.ts";
import type { budgets, buyingAccounts, ledger } from "#store/schema/purchase-tables.ts";
import type { FeedSliceMark } from "#store/market-store.ts";
import type { AuditEntry } from "#store/store.ts";

/** The rows that purchases need, named as in the real schema. */
export interface SettingsRow extends Pick<
  MarketplaceSettings,
  "paymentMethodId" | "address" | "pickupPointNames" | "mandate"
> {
  readonly limits: MoneyLimits;
  /** When the person last re-enabled automatic purchases. */
  readonly resumedAtMs: number;
}

export interface AccountRow {
  readonly state: AccountState;
  readonly refreshToken: Secret | null;
  /** The token as the person entered it, before any rotation. */
  readonly givenToken: Secret | null;
  readonly accessToken: Secret | null;
  readonly accessExpiresAtMs: number;
  readonly generation: number;
  readonly connectedAtMs: number;
  readonly ordersSinceMs: number;
  readonly askedToWaitUntilMs: number;
  readonly refreshOwner: string | null;
  readonly refreshUntilMs: number;
}

export interface AttemptRow {
  readonly purchaseId: PurchaseId;
  readonly n: number;
  readonly userId: UserId;
  readonly startedAtMs: number;
  readonly digest: string | null;
  readonly sentAtMs: number | null;
  readonly deadlineMs: number | null;
  readonly endedAtMs: number | null;
  readonly outcome: string | null;
  readonly evidence: Evidence | null;
}

export type GroupRow = FilterGroup;
export type BudgetRow = typeof budgets.$inferSelect;
export type LedgerRow = typeof ledger.$inferSelect;
export type BuyingAccountRow = typeof buyingAccounts.$inferSelect;

/** A composite primary key of two parts, joined into one string. */
type PairKey = `${string} ${string}`;
export const pairKey = (one: string, other: string | number): PairKey => `${one} ${other}`;

export type FilterRow = Filter & Pick<FilterTerms, "criteriaSinceMs">;

export type MemoryTables = ReturnType<typeof createTables>;

export function createTables() {
  const database = new Database();
  const audited: AuditEntry[] = [];
  const versions = new Map<UserId, number>();
  const revisions = new Map<PurchaseId, number>();
  /** Invalidates decisions based on earlier facts of the person (optimistic lock). */
  const raiseVersion = (userId: UserId): void => void versions.set(userId, (versions.get(userId) ?? 0) + 1);
  return {
    transaction: <Result>(work: () => Result): Result => database.transaction(work),
    versionOf: (userId: UserId): number => versions.get(userId) ?? 0,
    raiseVersion,
    /** The number of updates of each purchase. */
    revisions,
    users: database.table<UserId, User>(raiseVersion),
    settings: database.table<UserId, SettingsRow>(raiseVersion),
    accounts: database.table<UserId, AccountRow>(raiseVersion),
    filters: database.table<FilterId, FilterRow>((_id, { userId }) => raiseVersion(userId)),
    groups: database.table<GroupId, GroupRow>((_id, { userId }) => raiseVersion(userId)),
    blockedSellers: database.table<UserId, readonly BlockedSeller[]>(raiseVersion),
    listings: database.table<ListingId, SeenListing>(),
    matches: database.table<PairKey, UserMatch>(),
    marks: database.table<string, FeedSliceMark>(),
    purchases: database.table<PurchaseId, PurchaseRecord>((id) => {
      revisions.set(id, (revisions.get(id) ?? -1) + 1);
    }),
    /** Purchases with an unpublished event. */
    unpublished: database.table<PurchaseId, PurchaseId>(),
    attempts: database.table<PairKey, AttemptRow>(),
    budgets: database.table<PairKey, BudgetRow>(),
    ledger: database.table<number, LedgerRow>(),
    switches: database.table<StopSwitchName, StopSwitch>(),
    buyingAccounts: database.table<UserId, BuyingAccountRow>(raiseVersion),
    audited,
  };
}

/**
 * Tables in memory with atomic transactions. A transaction is synchronous, so none can run between the reads
 * and writes of another.
 */
class Database {
  #undo: (() => void)[] | null = null;

  /** @param onChange a trigger, called for each row that is written or removed */
  table<Key, Row>(onChange: (key: Key, row: Row) => void = () => undefined): Table<Key, Row> {
    return new Table<Key, Row>((undo) => this.#undo?.push(undo), onChange);
  }

  /** Rolls back when the work throws. Nested calls join the outer transaction. */
  transaction<Result>(work: () => Result): Result {
    if (this.#undo !== null) return work();
    const undo: (() => void)[] = [];
    this.#undo = undo;
    try {
      return work();
    } catch (error) {
      for (const step of undo.reverse()) step();
      throw error;
    } finally {
      this.#undo = null;
    }
  }
}

/** Rows by primary key, in insertion order. Rows are never mutated. */
class Table<Key, Row> {
  readonly #rows = new Map<Key, Row>();
  readonly #noteUndo: (undo: () => void) => void;
  readonly #onChange: (key: Key, row: Row) => void;
  /** Incremented with every change, to invalidate values derived from the rows. */
  version = 0;

  constructor(noteUndo: (undo: () => void) => void, onChange: (key: Key, row: Row) => void) {
    this.#noteUndo = noteUndo;
    this.#onChange = onChange;
  }

  get size(): number {
    return this.#rows.size;
  }

  get(key: Key): Row | undefined {
    return this.#rows.get(key);
  }

  put(key: Key, row: Row): void {
    const before = this.#rows.get(key);
    this.#noteUndo(() => (before === undefined ? this.#rows.delete(key) : this.#rows.set(key, before)));
    this.#rows.set(key, row);
    this.version += 1;
    this.#onChange(key, row);
  }

  remove(key: Key): void {
    const before = this.#rows.get(key);
    if (before === undefined) return;
    this.#noteUndo(() => this.#rows.set(key, before));
    this.#rows.delete(key);
    this.version += 1;
    this.#onChange(key, before);
  }

  entries(): MapIterator<[Key, Row]> {
    return this.#rows.entries();
  }

  rows(): MapIterator<Row> {
    return this.#rows.values();
  }
}

/** A constraint violation, as a database would report it. */
export class ConstraintViolated extends Error {
  override readonly name = "ConstraintViolated";
}
