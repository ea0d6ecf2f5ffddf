import { BlockedSellers } from "#domain/market/blocked-sellers.ts";
import type { UserId } from "#domain/ids.ts";
import type { PurchaseState } from "#domain/purchase.ts";
import type { BudgetTotals, PurchaseRecord, RuleSums, SpendingFacts } from "#store/purchase-facts.ts";
import type { PersonFacts, Question, Versions } from "#store/purchase-store.ts";
import { NO_SPENDING, NOTHING_SPENT } from "#store/purchases/operations.ts";
import type { User } from "#domain/user.ts";
import { settingsIn, tokensIn } from "./memory-people.ts";
import { readRuleFacts } from "./memory-rules.ts";
import { type FilterRow, pairKey, type MemoryTables } from "./memory-tables.ts";

/** The facts for decisions on a person's money, as in store/sql/facts.sql. */

const DOUBTS_WINDOW_MS = 10 * 60_000;
const BEING_PAID: ReadonlySet<PurchaseState> = new Set(["intent", "submitting", "unknown"]);
export const OVER: ReadonlySet<PurchaseState> = new Set(["failed", "cancelled"]);

/** The equivalent of facts.sql. */
export function readFacts(tables: MemoryTables, question: Question): PersonFacts | null {
  const { userId, nowMs } = question;
  const record = question.kind === "purchase" ? tables.purchases.get(question.id) : undefined;
  if (question.kind === "purchase" && record?.userId !== userId) return null;
  const wish = record ?? (question.kind === "wish" ? wishOf(question) : null);
  if (wish === null) return null;
  const own = [...tables.purchases.rows()]
    .filter((each) => each.userId === userId && each.listingId === wish.listingId)
    .toSorted((one, other) => other.epoch - one.epoch);
  const user = tables.users.get(userId);
  return {
    versions: versionsOf(tables, userId),
    tokens: tokensIn(tables, userId),
    purchase: record === undefined ? null : { record, revision: tables.revisions.get(record.id) ?? 0 },
    settings: settingsIn(tables, userId),
    spending: readSpending(tables, wish, nowMs),
    own,
    ...(user === undefined ? NO_PERSON : personOf(tables, user, { ...wish, record })),
  };
}

type Wish = Pick<PurchaseRecord, "userId" | "listing" | "listingId" | "filterId" | "dayKey" | "monthKey">;

function wishOf(wish: Extract<Question, { kind: "wish" }>): Wish {
  return { ...wish, listingId: wish.listing.id };
}

export function versionsOf(tables: MemoryTables, userId: UserId): Versions {
  const person = tables.users.get(userId) === undefined ? null : tables.versionOf(userId);
  return { person, switches: tables.switches.version };
}

type OfPerson = Pick<
  PersonFacts,
  "user" | "filter" | "beingPaidCount" | "awaitingCount" | "rivalState" | "isSellerBlocked" | "ruleFacts"
>;

const NO_SUMS: RuleSums = {
  groupCount: 0,
  groupCents: 0,
  filterCount: 0,
  filterCents: 0,
  filterDayCents: 0,
  latestAtMs: null,
  sellerCount: 0,
};

const NO_PERSON: OfPerson = {
  user: null,
  filter: null,
  beingPaidCount: 0,
  awaitingCount: 0,
  rivalState: null,
  isSellerBlocked: false,
  ruleFacts: { group: null, taken: NO_SUMS, paid: NO_SUMS },
};

function personOf(
  tables: MemoryTables,
  { plan, planEndsAtMs, isSuspended }: User,
  wish: Wish & { readonly record: PurchaseRecord | undefined },
): OfPerson {
  const filter = filterOf(tables, wish);
  return {
    user: { plan, planEndsAtMs, isSuspended },
    filter,
    ruleFacts: readRuleFacts(tables, { ...wish, filter }),
    isSellerBlocked: blocksSeller(tables, wish),
    ...countsOf(tables, wish),
  };
}

/** Whether the person blocks the listing's seller. */
export function blocksSeller(
  { blockedSellers }: MemoryTables,
  { userId, listing }: Pick<PurchaseRecord, "userId" | "listing">,
): boolean {
  return new BlockedSellers(blockedSellers.get(userId) ?? []).has(listing.seller);
}

function filterOf(
  tables: MemoryTables,
  { userId, filterId }: Pick<Wish, "userId" | "filterId">,
): FilterRow | null {
  const filter = filterId === null ? undefined : tables.filters.get(filterId);
  return filter?.userId === userId ? filter : null;
}

type Booked = Pick<PurchaseRecord, "userId" | "dayKey" | "monthKey">;

function readSpending(tables: MemoryTables, booked: Booked, nowMs: number): SpendingFacts {
  const { userId } = booked;
  const settings = tables.settings.get(userId);
  if (settings === undefined) return NO_SPENDING;
  return {
    isEveryoneStopped: tables.switches.rows().some(({ isOn }) => isOn),
    isAccountStopped: isAccountStopped(tables, userId, nowMs),
    limits: settings.limits,
    mandateVersion: settings.mandate?.version ?? null,
    day: totalsOf(tables, userId, booked.dayKey),
    month: totalsOf(tables, userId, booked.monthKey),
    recentUnknownOutcomes: countRecentUnknownOutcomes(
      tables,
      userId,
      Math.max(nowMs - DOUBTS_WINDOW_MS, settings.resumedAtMs),
    ),
  };
}

/** Whether the account is stopped or paused, or its person suspended. */
export function isAccountStopped(tables: MemoryTables, userId: UserId, nowMs: number): boolean {
  const account = tables.buyingAccounts.get(userId);
  if (account !== undefined && (account.isStopped || account.pausedUntilMs > nowMs)) return true;
  return tables.users.get(userId)?.isSuspended ?? false;
}

export function totalsOf(tables: MemoryTables, userId: UserId, period: string): BudgetTotals {
  const row = tables.budgets.get(pairKey(userId, period));
  if (row === undefined) return NOTHING_SPENT;
  const { heldCents, capturedCents, extraCents, purchases } = row;
  return { heldCents, capturedCents, extraCents, purchases };
}

function countRecentUnknownOutcomes(tables: MemoryTables, userId: UserId, afterMs: number): number {
  let count = 0;
  for (const attempt of tables.attempts.rows())
    if (attempt.userId === userId && attempt.outcome === "unknown" && (attempt.endedAtMs ?? 0) > afterMs)
      count += 1;
  return count;
}

type Counts = Pick<PersonFacts, "beingPaidCount" | "awaitingCount" | "rivalState">;

function countsOf(tables: MemoryTables, { userId, listingId }: Wish): Counts {
  let beingPaidCount = 0;
  let awaitingCount = 0;
  let rivalState: PurchaseState | null = null;
  for (const record of tables.purchases.rows()) {
    const isLive = record.mode === "live";
    if (record.userId === userId && isLive && BEING_PAID.has(record.state)) beingPaidCount += 1;
    if (record.userId === userId && isLive && record.state === "awaiting") awaitingCount += 1;
    if (record.listingId === listingId && occupiesListing(record)) rivalState = record.state;
  }
  return { beingPaidCount, awaitingCount, rivalState };
}

/** The predicate of the partial unique index `purchases_one_live_per_listing`. */
export function occupiesListing({ mode, source, state }: PurchaseRecord): boolean {
  return mode === "live" && source !== "external" && !OVER.has(state);
}
