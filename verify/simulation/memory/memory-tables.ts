import type { Filter } from "#domain/filter.ts";
import type { FilterId, ListingId, PurchaseId, UserId } from "#domain/ids.ts";
import type { SeenListing } from "#domain/listing.ts";
import type { UserMatch } from "#domain/match.ts";
import type { AccountState, MarketplaceSettings, MoneyLimits } from "#domain/settings.ts";
import type { Secret } from "#domain/secret.ts";
import type { User } from "#domain/user.ts";
import type { Evidence, PurchaseRecord, StopSwitch, StopSwitchName } from "#store/purchase-store.ts";
import type { budgets, buyingAccounts, ledger } from "#store/purchase-schema.ts";
import type { AuditEntry, FeedSliceMark } from "#store/store.ts";
import { Database } from "./table.ts";

/** The rows that buying needs, as the schema of the real store names them. */
export interface SettingsRow extends Pick<
  MarketplaceSettings,
  "paymentMethodId" | "address" | "pickupPointNames" | "mandate"
> {
  readonly limits: MoneyLimits;
  /** When the person last switched automatic purchases back on. */
  readonly resumedAtMs: number;
}

export interface AccountRow {
  readonly state: AccountState;
  readonly refreshToken: Secret | null;
  /** As the person gave it, before any rotation. */
  readonly givenToken: Secret | null;
  readonly accessToken: Secret | null;
  readonly accessExpiresAtMs: number;
  readonly generation: number;
  readonly connectedAtMs: number;
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

export type BudgetRow = typeof budgets.$inferSelect;
export type LedgerRow = typeof ledger.$inferSelect;
export type BuyingAccountRow = typeof buyingAccounts.$inferSelect;

/** Of how many rows the primary key has two parts: written as one text. */
export type PairKey = `${string} ${string}`;
export const pairKey = (one: string, other: string | number): PairKey => `${one} ${other}`;

export type MemoryTables = ReturnType<typeof createTables>;

export function createTables() {
  const database = new Database();
  const audited: AuditEntry[] = [];
  return {
    transaction: <Result>(work: () => Result): Result => database.transaction(work),
    users: database.table<UserId, User>(),
    settings: database.table<UserId, SettingsRow>(),
    accounts: database.table<UserId, AccountRow>(),
    filters: database.table<FilterId, Filter>(),
    listings: database.table<ListingId, SeenListing>(),
    matches: database.table<PairKey, UserMatch>(),
    marks: database.table<string, FeedSliceMark>(),
    purchases: database.table<PurchaseId, PurchaseRecord>(),
    /** Those of which somebody is still to be told. */
    untold: database.table<PurchaseId, PurchaseId>(),
    attempts: database.table<PairKey, AttemptRow>(),
    budgets: database.table<PairKey, BudgetRow>(),
    ledger: database.table<number, LedgerRow>(),
    switches: database.table<StopSwitchName, StopSwitch>(),
    buyingAccounts: database.table<UserId, BuyingAccountRow>(),
    audited,
  };
}
