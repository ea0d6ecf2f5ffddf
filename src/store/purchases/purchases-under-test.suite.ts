import { eq } from "drizzle-orm";
import { asPurchaseId, type UserId } from "#domain/ids.ts";
import type { MoneyLimits } from "#domain/settings.ts";
import type { User } from "#domain/user.ts";
import { aListing } from "#verify/testing/a-listing.ts";
import type { OpenStore } from "../open-store.ts";
import { budgets, ledger } from "../schema/purchase-tables.ts";
import type { ProposalFacts, PurchaseRecord } from "../purchase-facts.ts";
import type { Admission, Change, MoneyMove, Proposal, PurchaseStore } from "../purchase-store.ts";
import type { FilterStore, GroupStore } from "../market-store.ts";
import type { AuditEntry, SellerStore, SettingsStore, UserStore } from "../store.ts";
import { NOW_MS } from "../suite-store.suite.ts";

/** A store of purchases under test, with access to its tables. */
export interface PurchaseStoreUnderTest {
  readonly users: Pick<UserStore, "signIn" | "setPlan" | "setSuspended">;
  readonly settings: Pick<SettingsStore, "get" | "change">;
  readonly sellers: SellerStore;
  readonly filters: Pick<FilterStore, "add" | "byId" | "remove" | "change">;
  readonly groups: GroupStore;
  readonly purchases: PurchaseStore;
  readonly behind: RawTables;
}

interface RawTables {
  /** The person's audit entries. */
  auditOf(userId: UserId): Promise<readonly AuditEntry[]>;
  budgetsOf(userId: UserId): Promise<readonly (typeof budgets.$inferSelect)[]>;
  /** Oldest first. */
  ledgerOf(userId: UserId): Promise<readonly Pick<typeof ledger.$inferSelect, "kind" | "amountCents">[]>;
  /** Falsifies the budgets of the period, so that they contradict the ledger. */
  miscount(period: string, heldCents: number): Promise<void>;
}

/** Wraps a store with SQL tables. */
export function underTest(store: OpenStore): PurchaseStoreUnderTest {
  const { db, users, settings, sellers, filters, groups, purchases, audit } = store;
  const behind: RawTables = {
    auditOf: (userId) => audit.ofUser(userId, 100),
    budgetsOf: (userId) => db.select().from(budgets).where(eq(budgets.userId, userId)),
    ledgerOf: (userId) => db.select().from(ledger).where(eq(ledger.userId, userId)).orderBy(ledger.id),
    async miscount(period, heldCents) {
      await db.update(budgets).set({ heldCents }).where(eq(budgets.period, period));
    },
  };
  return { users, settings, sellers, filters, groups, purchases, behind };
}

export interface PurchasesUnderTest {
  /** For tests that look only at their own data. */
  readonly shared: () => PurchaseStoreUnderTest;
  /** For tests that look at the whole store. */
  readonly open: () => Promise<AsyncDisposable & { readonly store: PurchaseStoreUnderTest }>;
}

export const DAY = "2030-03-17";
export const MONTH = "2030-03";

let count = 0;

/** A number that is unique within the test file. */
export function nextNumber(): number {
  count += 1;
  return count;
}

export function aProposal(
  user: Pick<User, "id">,
  traits: Partial<Proposal> & { readonly listingId?: number } = {},
): Proposal {
  const number = nextNumber();
  const { listingId = 7_000_000 + number, ...others } = traits;
  return {
    id: asPurchaseId(`purchase-${number}`),
    userId: user.id,
    listing: aListing({ id: listingId, totalPriceCents: 1_000 }),
    source: "auto",
    filterId: null,
    wishedAtMs: NOW_MS,
    nowMs: NOW_MS,
    dayKey: DAY,
    monthKey: MONTH,
    owner: "node-1",
    leaseUntilMs: NOW_MS + 30_000,
    ...others,
  };
}

export const admitted = (
  traits: Partial<Extract<Admission<string>, { kind: "admit" }>> = {},
): Admission<string> => ({
  kind: "admit",
  mode: "live",
  lane: "acquire",
  epoch: 0,
  priceCapCents: 5_000,
  holdCents: 1_000,
  paymentMethodId: 1,
  hadUnknownOutcome: false,
  ...traits,
});

/** A minimal admission rule. */
export function withinLimits({ spending, own, rivalState }: ProposalFacts): Admission<string> {
  const { limits, day, month } = spending;
  if (spending.isEveryoneStopped || spending.isAccountStopped || limits.isStopped)
    return { kind: "refuse", refusal: "stopped" };
  if (own.length > 0) return { kind: "refuse", refusal: "already" };
  if (rivalState !== null) return { kind: "refuse", refusal: "taken" };
  const spent = (totals: typeof day): number => totals.heldCents + totals.capturedCents + totals.extraCents;
  const isWithin = spent(day) + 1_000 <= limits.dayEur * 100 && spent(month) + 1_000 <= limits.monthEur * 100;
  return isWithin ? admitted() : { kind: "refuse", refusal: "limit" };
}

export const changed = (
  next: PurchaseRecord,
  money: readonly MoneyMove[] = [],
  traits: Partial<Change> = {},
): Change => ({ next, money, attempts: [], stopsUser: false, ...traits });

export function released(record: PurchaseRecord): Change {
  const next = { ...record, state: "failed" as const, holdCents: 0, leaseOwner: null, dueAtMs: null };
  return changed(next, [{ kind: "release", heldCents: record.holdCents }]);
}

export function captured(record: PurchaseRecord, chargedCents: number): Change {
  const next = {
    ...record,
    state: "confirmed" as const,
    holdCents: 0,
    chargedCents,
    transactionId: 42,
    reachedCheckout: true,
    leaseOwner: null,
    dueAtMs: null,
  };
  return changed(next, [{ kind: "capture", heldCents: record.holdCents, cents: chargedCents }]);
}

/** Operations that most tests need as preparation. */
export function actsOn(at: () => PurchaseStoreUnderTest) {
  return {
    opened: async (user: User, traits: Parameters<typeof aProposal>[1] = {}): Promise<PurchaseRecord> => {
      const outcome = await at().purchases.propose(aProposal(user, traits), () => admitted());
      if (outcome.kind !== "opened") throw new Error(`not opened: ${outcome.kind}`);
      return outcome.record;
    },
    limit: (user: User, limits: Partial<MoneyLimits>): Promise<void> =>
      at().settings.change(user.id, { limits }, NOW_MS),
    budgetsOf: (user: User) => at().behind.budgetsOf(user.id),
  };
}
