import { and, desc, eq, sql, type SQL } from "drizzle-orm";
import { alias, type AnyPgColumn } from "drizzle-orm/pg-core";
import type { UserId } from "#domain/ids.ts";
import type { PurchaseState } from "#domain/purchase.ts";
import type { Tx } from "./engines/db.ts";
import { budgets, buyingAccounts, purchaseAttempts, purchases, stopSwitches } from "./purchase-schema.ts";
import type {
  BindingTerms,
  BudgetTotals,
  FilterTerms,
  Proposal,
  ProposalFacts,
  PurchaseFacts,
  PurchaseKey,
  PurchaseRecord,
  SpendingFacts,
} from "./purchase-store.ts";
import { preparedRead, type Slot } from "./prepared-read.ts";
import { toRecord } from "./purchases-rows.ts";
import { filters, marketplaceAccounts, settings, users } from "./schema.ts";
import { settingsColumns, settingsOf, UNSAVED_SETTINGS } from "./settings.ts";
import type { Vault } from "./vault.ts";

/**
 * What a decision about a person's money must know, read under locks: until the transaction ends nobody can
 * throw a stop switch, change the person's limits or decide about the person's money.
 */

/** Any constant: names the lock of the switches that stop everybody. */
const SWITCHES_LOCK = 5_929_806;

/** Every decision shares the switches' lock with the others; throwing a switch takes it alone. */
export async function lockPerson(tx: Tx, userId: UserId): Promise<void> {
  await lockPeople(tx, [userId]);
}

/**
 * In one order for all, so that no two transactions wait for each other.
 * @param patienceMs how long any lock of the transaction is waited for; absent: as long as a statement may take
 */
export async function lockPeople(tx: Tx, userIds: readonly UserId[], patienceMs?: number): Promise<void> {
  const patience =
    patienceMs === undefined ? sql`` : sql`set_config('lock_timeout', ${String(patienceMs)}, true),`;
  await tx.execute(
    sql`select pg_advisory_xact_lock_shared(${SWITCHES_LOCK}::bigint), ${patience}
        pg_advisory_xact_lock(place), set_config('plan_cache_mode', 'force_generic_plan', true)
      from (select hashtextextended(id, 0) as place from unnest(${sql.param(userIds)}::text[]) as id order by 1) as people`,
  );
}

/** Waits until no decision is under way. */
export async function lockSwitches(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${SWITCHES_LOCK}::bigint)`);
}

/** How long a doubtful payment counts towards the breaker that stops the person's automatic purchases. */
const DOUBTS_WINDOW_MS = 10 * 60_000;

const dayBudgets = alias(budgets, "day_budgets");
const monthBudgets = alias(budgets, "month_budgets");

/** The engines disagree about how a bigint of an expression arrives: as a number, or as a text. */
const orZero = (column: AnyPgColumn) => sql`coalesce(${column}, 0)`.mapWith(Number);

const totalsOf = (table: typeof dayBudgets | typeof monthBudgets) => ({
  heldCents: orZero(table.heldCents),
  capturedCents: orZero(table.capturedCents),
  extraCents: orZero(table.extraCents),
  purchases: orZero(table.purchases),
});

const isAnySwitchOn = sql<boolean>`exists (select 1 from ${stopSwitches} where ${stopSwitches.isOn})`;

/** Whoever is suspended has an account that is stopped: what is not yet paid is not paid. */
const isAccountStopped = (nowMs: SQL) =>
  sql<boolean>`(coalesce(${buyingAccounts.isStopped} or ${buyingAccounts.pausedUntilMs} > ${nowMs}, false)
    or exists (select 1 from ${users} where ${users.id} = ${settings.userId} and ${users.isSuspended}))`;

/** Those since the person last switched the automatic purchases back on. */
const recentDoubts = (nowMs: SQL) =>
  sql<number>`(select count(*)::int from ${purchaseAttempts}
    where ${purchaseAttempts.userId} = ${settings.userId} and ${purchaseAttempts.outcome} = 'unknown'
      and ${purchaseAttempts.endedAtMs} > greatest(${nowMs}::bigint - ${DOUBTS_WINDOW_MS}, ${settings.resumedAtMs}))`;

export const NOTHING_SPENT: BudgetTotals = { heldCents: 0, capturedCents: 0, extraCents: 0, purchases: 0 };
/** Somebody whose settings are gone may spend nothing. */
const NOBODY: SpendingFacts = {
  isEveryoneStopped: false,
  isAccountStopped: true,
  limits: { dayEur: 0, monthEur: 0, purchasesPerDay: 0, isStopped: true },
  mandateVersion: null,
  day: NOTHING_SPENT,
  month: NOTHING_SPENT,
  recentDoubts: 0,
};

const spendingColumns = (nowMs: SQL) => ({
  isEveryoneStopped: isAnySwitchOn,
  isAccountStopped: isAccountStopped(nowMs),
  isStopped: settings.isStopped,
  dayEur: settings.dayEur,
  monthEur: settings.monthEur,
  purchasesPerDay: settings.purchasesPerDay,
  mandateVersion: settings.mandateVersion,
  day: totalsOf(dayBudgets),
  month: totalsOf(monthBudgets),
  recentDoubts: recentDoubts(nowMs),
});

type SpendingRow = Omit<SpendingFacts, "limits"> & SpendingFacts["limits"];

function spendingOf({ isStopped, dayEur, monthEur, purchasesPerDay, ...facts }: SpendingRow): SpendingFacts {
  return { ...facts, limits: { isStopped, dayEur, monthEur, purchasesPerDay } };
}

const isOfPeriod = (
  table: typeof dayBudgets | typeof monthBudgets,
  period: SQL | AnyPgColumn,
): SQL | undefined => and(eq(table.userId, settings.userId), eq(table.period, period));

const bindingTerms = {
  isActive: filters.isActive,
  isAutobuy: filters.isAutobuy,
  isSimulation: filters.isSimulation,
  priceCapEur: filters.priceCapEur,
  activatedAtMs: filters.activatedAtMs,
} satisfies Record<keyof BindingTerms, AnyPgColumn>;

const purchaseAndFacts = preparedRead((db, slot: Slot<"id" | "userId" | "nowMs">) =>
  db
    .select({ purchase: purchases, filter: bindingTerms, ...spendingColumns(sql`${slot("nowMs")}`) })
    .from(settings)
    .innerJoin(purchases, and(eq(purchases.id, slot("id")), eq(purchases.userId, slot("userId"))))
    .leftJoin(filters, and(eq(filters.id, purchases.filterId), eq(filters.userId, settings.userId)))
    .leftJoin(buyingAccounts, eq(buyingAccounts.userId, settings.userId))
    .leftJoin(dayBudgets, isOfPeriod(dayBudgets, purchases.dayKey))
    .leftJoin(monthBudgets, isOfPeriod(monthBudgets, purchases.monthKey))
    .where(eq(settings.userId, slot("userId")))
    // The person's own stop switch and limits stand in this row.
    .for("share", { of: settings }),
);

/** One purchase, its filter's terms and what bounds its person's spending: one statement, since each costs as much as a small commit. */
export async function readPurchase(
  tx: Tx,
  { id, userId }: PurchaseKey,
  nowMs: number,
): Promise<{ readonly record: PurchaseRecord; readonly facts: PurchaseFacts } | null> {
  const [row] = await purchaseAndFacts(tx, { id, userId, nowMs });
  if (row !== undefined) {
    const { purchase, filter, ...spending } = row;
    return { record: toRecord(purchase), facts: { ...spendingOf(spending), filter } };
  }
  const isIt = and(eq(purchases.id, id), eq(purchases.userId, userId));
  const [purchase] = await tx.select().from(purchases).where(isIt);
  return purchase === undefined ? null : { record: toRecord(purchase), facts: { ...NOBODY, filter: null } };
}

/** @param proposals of different people */
export async function readProposalFacts(
  tx: Tx,
  vault: Vault,
  proposals: readonly Proposal[],
): Promise<(proposal: Proposal) => ProposalFacts> {
  const people = await readPeople(tx, vault, proposals);
  const known = proposals.filter(({ userId }) => people.get(userId)?.hasOwn === true);
  const own = Map.groupBy(known.length === 0 ? [] : await readOwn(tx, known), ({ userId }) => userId);
  return ({ userId }) => {
    const person = people.get(userId);
    return person === undefined ? NO_PERSON : { ...person.facts, own: own.get(userId) ?? [] };
  };
}

const purchasesOfListings = preparedRead((db, slot: Slot<"userIds" | "listingIds">) =>
  db
    .select()
    .from(purchases)
    .where(
      sql`(${purchases.userId}, ${purchases.listingId}) in (select * from unnest(
        ${slot("userIds")}::text[], ${slot("listingIds")}::bigint[]))`,
    )
    .orderBy(desc(purchases.epoch)),
);

async function readOwn(tx: Tx, proposals: readonly Proposal[]): Promise<readonly PurchaseRecord[]> {
  const userIds = proposals.map(({ userId }) => userId);
  const listingIds = proposals.map(({ listing }) => listing.id);
  return (await purchasesOfListings(tx, { userIds, listingIds })).map(toRecord);
}

interface Person {
  readonly facts: Omit<ProposalFacts, "own">;
  readonly hasOwn: boolean;
}

const NO_PERSON: ProposalFacts = {
  user: null,
  settings: UNSAVED_SETTINGS,
  filter: null,
  spending: NOBODY,
  own: [],
  beingPaidCount: 0,
  awaitingCount: 0,
  rivalState: null,
  filterPurchases: { live: 0, simulation: 0 },
};

/** What is asked of each person, as a table of one row for each. */
const asked = {
  userId: sql`asked.user_id`,
  listingId: sql`asked.listing_id`,
  filterId: sql`asked.filter_id`,
  dayKey: sql`asked.day_key`,
  monthKey: sql`asked.month_key`,
  nowMs: sql`asked.now_ms`,
};

type AskedColumn = "userIds" | "listingIds" | "filterIds" | "dayKeys" | "monthKeys" | "nowsMs";

const askedTable = (slot: Slot<AskedColumn>) => sql`unnest(
    ${slot("userIds")}::text[], ${slot("listingIds")}::bigint[], ${slot("filterIds")}::text[],
    ${slot("dayKeys")}::text[], ${slot("monthKeys")}::text[], ${slot("nowsMs")}::bigint[]
  ) as asked (user_id, listing_id, filter_id, day_key, month_key, now_ms)`;

const askedValues = (proposals: readonly Proposal[]): Record<AskedColumn, readonly unknown[]> => ({
  userIds: proposals.map(({ userId }) => userId),
  listingIds: proposals.map(({ listing }) => listing.id),
  filterIds: proposals.map(({ filterId }) => filterId),
  dayKeys: proposals.map(({ dayKey }) => dayKey),
  monthKeys: proposals.map(({ monthKey }) => monthKey),
  nowsMs: proposals.map(({ nowMs }) => nowMs),
});

const hasOwn = sql<boolean>`exists (select 1 from ${purchases} where ${purchases.userId} = ${asked.userId}
  and ${purchases.listingId} = ${asked.listingId})`;

/** @param isInState in the words of the index that holds these purchases alone */
const liveCount = (isInState: SQL) =>
  sql<number>`(select count(*)::int from ${purchases} where ${purchases.userId} = ${asked.userId}
    and ${purchases.mode} = 'live' and ${isInState})`;

/** The words of the unique index that keeps our people from racing one another. */
const rivalState = sql<PurchaseState | null>`(select ${purchases.state} from ${purchases}
  where ${purchases.listingId} = ${asked.listingId}
    and ${purchases.mode} = 'live' and ${purchases.source} <> 'external'
    and ${purchases.state} not in ('failed', 'cancelled'))`;

const filterPurchases = (mode: "live" | "simulation") =>
  sql<number>`(select count(*)::int from ${purchases} where ${purchases.filterId} = ${asked.filterId}
    and ${purchases.mode} = ${mode} and ${purchases.state} not in ('failed', 'cancelled'))`;

const factsOfAsked = preparedRead((db, slot: Slot<AskedColumn>) =>
  db
    .select({
      ...spendingColumns(asked.nowMs),
      hasOwn,
      user: { plan: users.plan, planEndsAtMs: users.planEndsAtMs, isSuspended: users.isSuspended },
      ...settingsColumns,
      filter: filters,
      beingPaidCount: liveCount(sql`${purchases.state} in ('intent', 'submitting', 'unknown')`),
      awaitingCount: liveCount(sql`${purchases.state} = 'awaiting'`),
      rivalState,
      live: filterPurchases("live"),
      simulation: filterPurchases("simulation"),
    })
    .from(users)
    .innerJoin(askedTable(slot), eq(users.id, asked.userId))
    .innerJoin(settings, eq(settings.userId, users.id))
    .leftJoin(buyingAccounts, eq(buyingAccounts.userId, settings.userId))
    .leftJoin(dayBudgets, isOfPeriod(dayBudgets, asked.dayKey))
    .leftJoin(monthBudgets, isOfPeriod(monthBudgets, asked.monthKey))
    .leftJoin(marketplaceAccounts, eq(marketplaceAccounts.userId, users.id))
    .leftJoin(filters, and(eq(filters.id, asked.filterId), eq(filters.userId, users.id)))
    .for("share", { of: settings }),
);

/** Without those who are gone; what bounds their spending is read in the same statement. */
async function readPeople(
  tx: Tx,
  vault: Vault,
  proposals: readonly Proposal[],
): Promise<ReadonlyMap<UserId, Person>> {
  const rows = await factsOfAsked(tx, askedValues(proposals));
  return new Map(
    rows.map(({ user, filter, hasOwn: isKnown, ...others }) => {
      const { beingPaidCount, awaitingCount, rivalState: rival, live, simulation, ...facts } = others;
      const { wrappedDataKey, saved, account, ...spending } = facts;
      const person = {
        hasOwn: isKnown,
        facts: {
          user,
          settings: settingsOf(vault, { wrappedDataKey, saved, account }),
          filter: filter satisfies FilterTerms | null,
          beingPaidCount,
          awaitingCount,
          rivalState: rival,
          filterPurchases: { live, simulation },
          spending: spendingOf(spending),
        },
      };
      return [saved.userId, person] as const;
    }),
  );
}
