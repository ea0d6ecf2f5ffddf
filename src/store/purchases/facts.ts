import { and, desc, eq, sql, type SQL } from "drizzle-orm";
import { alias, type AnyPgColumn } from "drizzle-orm/pg-core";
import type { UserId } from "#domain/ids.ts";
import type { PurchaseState } from "#domain/purchase.ts";
import type { Tx } from "../engines/db.ts";
import {
  budgets,
  buyingAccounts,
  purchaseAttempts,
  purchases,
  stopSwitches,
} from "../schema/purchase-tables.ts";
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
} from "../purchase-store.ts";
import { preparedRead, type Slot } from "../sql/prepared.ts";
import { toRecord } from "./rows.ts";
import { filters, marketplaceAccounts, settings, users } from "../schema/tables.ts";
import { settingsColumns, settingsOf, UNSAVED_SETTINGS } from "../people/settings.ts";
import type { Vault } from "../vault/vault.ts";

/**
 * The facts of a decision about a person's money, read under locks: until the transaction ends, no stop switch, no
 * limit of the person and no other decision about their money can change.
 */

/** How long an unknown outcome counts towards the breaker that stops the person's automatic purchases. */
const UNKNOWN_OUTCOMES_WINDOW_MS = 10 * 60_000;

const dayBudgets = alias(budgets, "day_budgets");
const monthBudgets = alias(budgets, "month_budgets");

/** The engines return the bigint of an expression differently: as a number or as a text. */
const orZero = (column: AnyPgColumn) => sql`coalesce(${column}, 0)`.mapWith(Number);

const totalsOf = (table: typeof dayBudgets | typeof monthBudgets) => ({
  heldCents: orZero(table.heldCents),
  capturedCents: orZero(table.capturedCents),
  extraCents: orZero(table.extraCents),
  purchases: orZero(table.purchases),
});

const isAnySwitchOn = sql<boolean>`exists (select 1 from ${stopSwitches} where ${stopSwitches.isOn})`;

/** A suspended person's account counts as stopped: nothing more is paid. */
const isAccountStopped = (nowMs: SQL) =>
  sql<boolean>`(coalesce(${buyingAccounts.isStopped} or ${buyingAccounts.pausedUntilMs} > ${nowMs}, false)
    or exists (select 1 from ${users} where ${users.id} = ${settings.userId} and ${users.isSuspended}))`;

/** Those since the person last switched the automatic purchases back on. */
const recentUnknownOutcomes = (nowMs: SQL) =>
  sql<number>`(select count(*)::int from ${purchaseAttempts}
    where ${purchaseAttempts.userId} = ${settings.userId} and ${purchaseAttempts.outcome} = 'unknown'
      and ${purchaseAttempts.endedAtMs} > greatest(${nowMs}::bigint - ${UNKNOWN_OUTCOMES_WINDOW_MS}, ${settings.resumedAtMs}))`;

export const NOTHING_SPENT: BudgetTotals = { heldCents: 0, capturedCents: 0, extraCents: 0, purchases: 0 };
/** An erased person may spend nothing. */
const NO_SPENDING: SpendingFacts = {
  isEveryoneStopped: false,
  isAccountStopped: true,
  limits: { dayEur: 0, monthEur: 0, purchasesPerDay: 0, isStopped: true },
  mandateVersion: null,
  day: NOTHING_SPENT,
  month: NOTHING_SPENT,
  recentUnknownOutcomes: 0,
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
  recentUnknownOutcomes: recentUnknownOutcomes(nowMs),
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
    // This row holds the person's own stop switch and limits.
    .for("share", { of: settings }),
);

/** In one statement, since each costs as much as a small commit. */
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
  return purchase === undefined
    ? null
    : { record: toRecord(purchase), facts: { ...NO_SPENDING, filter: null } };
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
  spending: NO_SPENDING,
  own: [],
  beingPaidCount: 0,
  awaitingCount: 0,
  rivalState: null,
  filterPurchases: { live: 0, simulation: 0 },
};

/** The proposals as a table of one row each. */
const asked = {
  userId: sql`asked.user_id`,
  listingId: sql`asked.listing_id`,
  filterId: sql`asked.filter_id`,
  dayKey: sql`asked.day_key`,
  monthKey: sql`asked.month_key`,
  nowMs: sql`asked.now_ms`,
};

type ProposalColumn = "userIds" | "listingIds" | "filterIds" | "dayKeys" | "monthKeys" | "nowsMs";

const proposalTable = (slot: Slot<ProposalColumn>) => sql`unnest(
    ${slot("userIds")}::text[], ${slot("listingIds")}::bigint[], ${slot("filterIds")}::text[],
    ${slot("dayKeys")}::text[], ${slot("monthKeys")}::text[], ${slot("nowsMs")}::bigint[]
  ) as asked (user_id, listing_id, filter_id, day_key, month_key, now_ms)`;

const proposalValues = (proposals: readonly Proposal[]): Record<ProposalColumn, readonly unknown[]> => ({
  userIds: proposals.map(({ userId }) => userId),
  listingIds: proposals.map(({ listing }) => listing.id),
  filterIds: proposals.map(({ filterId }) => filterId),
  dayKeys: proposals.map(({ dayKey }) => dayKey),
  monthKeys: proposals.map(({ monthKey }) => monthKey),
  nowsMs: proposals.map(({ nowMs }) => nowMs),
});

const hasOwn = sql<boolean>`exists (select 1 from ${purchases} where ${purchases.userId} = ${asked.userId}
  and ${purchases.listingId} = ${asked.listingId})`;

/** @param isInState the predicate of the partial index that holds these purchases */
const liveCount = (isInState: SQL) =>
  sql<number>`(select count(*)::int from ${purchases} where ${purchases.userId} = ${asked.userId}
    and ${purchases.mode} = 'live' and ${isInState})`;

/** The predicate of the unique index `purchases_one_live_per_listing`. */
const rivalState = sql<PurchaseState | null>`(select ${purchases.state} from ${purchases}
  where ${purchases.listingId} = ${asked.listingId}
    and ${purchases.mode} = 'live' and ${purchases.source} <> 'external'
    and ${purchases.state} not in ('failed', 'cancelled'))`;

const filterPurchases = (mode: "live" | "simulation") =>
  sql<number>`(select count(*)::int from ${purchases} where ${purchases.filterId} = ${asked.filterId}
    and ${purchases.mode} = ${mode} and ${purchases.state} not in ('failed', 'cancelled'))`;

const factsOfProposals = preparedRead((db, slot: Slot<ProposalColumn>) =>
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
    .innerJoin(proposalTable(slot), eq(users.id, asked.userId))
    .innerJoin(settings, eq(settings.userId, users.id))
    .leftJoin(buyingAccounts, eq(buyingAccounts.userId, settings.userId))
    .leftJoin(dayBudgets, isOfPeriod(dayBudgets, asked.dayKey))
    .leftJoin(monthBudgets, isOfPeriod(monthBudgets, asked.monthKey))
    .leftJoin(marketplaceAccounts, eq(marketplaceAccounts.userId, users.id))
    .leftJoin(filters, and(eq(filters.id, asked.filterId), eq(filters.userId, users.id)))
    .for("share", { of: settings }),
);

/** The existing ones, with the bounds of their spending, in one statement. */
async function readPeople(
  tx: Tx,
  vault: Vault,
  proposals: readonly Proposal[],
): Promise<ReadonlyMap<UserId, Person>> {
  const rows = await factsOfProposals(tx, proposalValues(proposals));
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
