import { type BuyingStop, type EndReason, type GroupState, LEAST_LEFT_CENTS } from "#domain/buying-rules.ts";
import type { Filter } from "#domain/market/filter.ts";
import type { FilterId, GroupId, UserId } from "#domain/ids.ts";
import type { PurchaseState } from "#domain/purchase.ts";
import type { PurchaseRecord, RuleFacts, RuleSums } from "#store/purchase-facts.ts";
import type { GroupOutcome, GroupStore, SavedGroup } from "#store/market-store.ts";
import type { FilterRow, GroupRow, MemoryTables } from "./memory-tables.ts";

/** Groups and purchase rules, as in store/sql/facts.sql, store/sql/move.sql and store/market/groups.ts. */

const OVER: ReadonlySet<PurchaseState> = new Set(["failed", "cancelled"]);
const PAID: ReadonlySet<PurchaseState> = new Set(["confirmed", "cancelling", "cancel_unknown"]);

const amountOf = ({ holdCents, chargedCents }: PurchaseRecord): number => holdCents + (chargedCents ?? 0);

const sumOf = (records: readonly PurchaseRecord[]): number =>
  records.reduce((sum, record) => sum + amountOf(record), 0);

interface AskedAbout extends Pick<PurchaseRecord, "userId" | "dayKey" | "listing"> {
  readonly filter: Filter | null;
  /** The purchase under decision; undefined for a wish. */
  readonly record: PurchaseRecord | undefined;
}

export function readRuleFacts(tables: MemoryTables, asked: AskedAbout): RuleFacts {
  const { record, filter, userId } = asked;
  const mode = record?.mode ?? (filter?.isSimulation === true ? "simulation" : "live");
  const groupId = record === undefined ? filter?.groupId : record.groupId;
  const group = groupOf(tables, userId, groupId ?? null);
  const taken = [...tables.purchases.rows()].filter(
    (each) => each.id !== record?.id && each.mode === mode && !OVER.has(each.state),
  );
  const terms = { ...asked, groupId: group?.id ?? null };
  return {
    group: group === null ? null : termsOf(group),
    taken: sumsOf(taken, terms),
    paid: sumsOf(
      taken.filter(({ state }) => PAID.has(state)),
      terms,
    ),
  };
}

const termsOf = ({ id, maxPurchases, budgetEur }: GroupRow) => ({ id, maxPurchases, budgetEur });

function groupOf(tables: MemoryTables, userId: UserId, id: GroupId | null): GroupRow | null {
  const group = id === null ? undefined : tables.groups.get(id);
  return group?.userId === userId ? group : null;
}

function sumsOf(
  records: readonly PurchaseRecord[],
  { filter, groupId, userId, dayKey, listing }: AskedAbout & { readonly groupId: GroupId | null },
): RuleSums {
  const ofGroup = groupId === null ? [] : records.filter((record) => record.groupId === groupId);
  const ofFilter = filter === null ? [] : records.filter(({ filterId }) => filterId === filter.id);
  const isCounted = filter !== null && filter.rules.perSellerAndDay !== null;
  const ofSeller = records.filter(
    (record) =>
      record.userId === userId && record.dayKey === dayKey && record.listing.seller.id === listing.seller.id,
  );
  return {
    groupCount: ofGroup.length,
    groupCents: sumOf(ofGroup),
    filterCount: ofFilter.length,
    filterCents: sumOf(ofFilter),
    filterDayCents: sumOf(ofFilter.filter((record) => record.dayKey === dayKey)),
    latestAtMs: ofFilter.length === 0 ? null : Math.max(...ofFilter.map(({ decidedAtMs }) => decidedAtMs)),
    sellerCount: isCounted ? ofSeller.length : 0,
  };
}

/** Stops the filters that this purchase completes, with an audit entry for each. */
export function endBuying(
  tables: MemoryTables,
  record: PurchaseRecord,
  nowMs: number,
): readonly BuyingStop[] {
  const { userId } = record;
  const fullGroup = completeGroup(tables, record);
  const filter = record.filterId === null ? undefined : tables.filters.get(record.filterId);
  const own = filter?.userId === userId && filter.isAutobuy ? endOfFilter(tables, filter, record) : null;
  const ended = new Map<EndReason, FilterId[]>();
  for (const each of tables.filters.rows()) {
    if (each.userId !== userId || !each.isAutobuy) continue;
    const isOfGroup = fullGroup !== null && each.groupId === fullGroup.id;
    const reason = isOfGroup ? "group" : each.id === filter?.id ? own : null;
    if (reason === null) continue;
    tables.filters.put(each.id, { ...each, isAutobuy: false, autobuyEnd: { reason, atMs: nowMs } });
    ended.set(reason, [...(ended.get(reason) ?? []), each.id]);
  }
  return Array.from(ended, ([reason, filterIds]) => {
    const groupId = reason === "group" ? (fullGroup?.id ?? null) : null;
    const details = { reason, groupId, filterIds: filterIds.toSorted().join(","), purchaseId: record.id };
    tables.audited.push({ atMs: nowMs, kind: "autobuy.stopped", userId, details });
    return { userId, reason, filterIds: filterIds.toSorted(), groupId };
  });
}

function completeGroup(
  tables: MemoryTables,
  { mode, state, groupId, userId }: PurchaseRecord,
): GroupRow | null {
  const group = groupOf(tables, userId, groupId);
  if (group === null || mode !== "live" || state !== "confirmed") return null;
  return isComplete(tables, group) ? group : null;
}

function isComplete(tables: MemoryTables, { id, maxPurchases, budgetEur }: GroupRow): boolean {
  const paid = paidOf(tables, (each) => each.groupId === id && each.mode === "live");
  return paid.length >= maxPurchases || isSpent(budgetEur, paid);
}

function isSpent(budgetEur: number | null, paid: readonly PurchaseRecord[]): boolean {
  return budgetEur !== null && budgetEur * 100 - sumOf(paid) < LEAST_LEFT_CENTS;
}

function paidOf(
  { purchases }: MemoryTables,
  isMeant: (record: PurchaseRecord) => boolean,
): readonly PurchaseRecord[] {
  return [...purchases.rows()].filter((record) => PAID.has(record.state) && isMeant(record));
}

function endOfFilter(tables: MemoryTables, filter: Filter, record: PurchaseRecord): EndReason | null {
  if (record.mode !== modeOf(filter)) return null;
  const spent = record.state === "confirmed" ? spentOf(tables, filter) : null;
  if (spent !== null) return spent;
  const isCounted = record.isSetback && record.decidedAtMs >= (filter.autobuySinceMs ?? 0);
  return isCounted ? failuresOf(tables, filter) : null;
}

const modeOf = ({ isSimulation }: Filter) => (isSimulation ? "simulation" : "live");

function spentOf(tables: MemoryTables, filter: Filter): EndReason | null {
  const { id, maxPurchases, rules } = filter;
  const paid = paidOf(tables, (each) => each.filterId === id && each.mode === modeOf(filter));
  if (maxPurchases !== null && paid.length >= maxPurchases) return "max_purchases";
  return modeOf(filter) === "live" && isSpent(rules.totalBudgetEur, paid) ? "total_budget" : null;
}

function failuresOf(tables: MemoryTables, { id, rules, autobuySinceMs }: Filter): EndReason | null {
  if (rules.maxFailures === null) return null;
  const setbacks = [...tables.purchases.rows()].filter(
    (each) => each.filterId === id && each.isSetback && each.decidedAtMs >= (autobuySinceMs ?? 0),
  );
  return setbacks.length >= rules.maxFailures ? "failures" : null;
}

/** The limit that the purchases have reached, whether or not the filter is switched on. */
export function reachedEndOf(tables: MemoryTables, filter: Filter): EndReason | null {
  const group = groupOf(tables, filter.userId, filter.groupId);
  if (group !== null && isComplete(tables, group)) return "group";
  return spentOf(tables, filter) ?? failuresOf(tables, filter);
}

export function endAutobuyAtLimit(tables: MemoryTables, userId: UserId, nowMs: number): void {
  for (const filter of tables.filters.rows()) {
    const reason = filter.userId === userId && filter.isAutobuy ? reachedEndOf(tables, filter) : null;
    if (reason !== null)
      tables.filters.put(filter.id, { ...filter, isAutobuy: false, autobuyEnd: { reason, atMs: nowMs } });
  }
}

export function createMemoryGroups(tables: MemoryTables): GroupStore {
  const { groups, transaction } = tables;
  return {
    list: async (userId) => groupsOf(tables, userId),
    add: async (group, { nowMs, limit }) =>
      transaction((): GroupOutcome => {
        if (groupsOf(tables, group.userId).length >= limit) return { kind: "too_many" };
        return save(tables, group, nowMs);
      }),
    replace: async (group, nowMs) =>
      transaction((): GroupOutcome => {
        const known = groupOf(tables, group.userId, group.id);
        if (known === null) return { kind: "unknown_group" };
        const outcome = save(tables, group, known.createdAtMs);
        endAutobuyAtLimit(tables, group.userId, nowMs);
        return outcome;
      }),
    remove: async (userId, id) =>
      transaction(() => {
        if (groupOf(tables, userId, id) === null) return null;
        const left = leave(tables, { userId, id, filterIds: [] });
        groups.remove(id);
        return left;
      }),
  };
}

function save(tables: MemoryTables, group: SavedGroup, createdAtMs: number): GroupOutcome {
  const { filterIds, ...row } = group;
  const members: FilterRow[] = [];
  for (const id of filterIds) {
    const filter = tables.filters.get(id);
    if (filter?.userId !== group.userId) return { kind: "unknown_filter" };
    if (filter.groupId !== null && filter.groupId !== group.id)
      return { kind: "in_another_group", filterId: id };
    members.push(filter);
  }
  tables.groups.put(group.id, { ...row, createdAtMs });
  const left = leave(tables, group);
  for (const filter of members)
    if (filter.groupId === null) tables.filters.put(filter.id, { ...filter, groupId: group.id });
  const state = groupsOf(tables, group.userId).find(({ id }) => id === group.id);
  return state === undefined ? { kind: "unknown_group" } : { kind: "saved", group: state, left };
}

function leave(
  tables: MemoryTables,
  { userId, id, filterIds }: Pick<SavedGroup, "userId" | "id" | "filterIds">,
): readonly FilterId[] {
  const left = [...tables.filters.rows()].filter(
    (filter) => filter.userId === userId && filter.groupId === id && !filterIds.includes(filter.id),
  );
  for (const filter of left) tables.filters.put(filter.id, { ...filter, groupId: null, isAutobuy: false });
  return left.map((filter) => filter.id);
}

/** Deletes groups without filters. */
export function dropEmptyGroups(tables: MemoryTables, userId: UserId): void {
  for (const group of groupsOf(tables, userId))
    if (group.filterIds.length === 0) tables.groups.remove(group.id);
}

function groupsOf(tables: MemoryTables, userId: UserId): readonly GroupState[] {
  return [...tables.groups.rows()]
    .filter((group) => group.userId === userId)
    .toReversed()
    .map((group) => {
      const taken = [...tables.purchases.rows()].filter(
        (each) => each.groupId === group.id && each.mode === "live" && !OVER.has(each.state),
      );
      return {
        ...group,
        filterIds: [...tables.filters.rows()].filter((each) => each.groupId === group.id).map(({ id }) => id),
        taken: { count: taken.length, cents: sumOf(taken) },
        isComplete: isComplete(tables, group),
      };
    });
}
