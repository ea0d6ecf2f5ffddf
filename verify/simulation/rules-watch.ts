import type { BuyingHours } from "#domain/buying-rules.ts";
import type { GroupId, PurchaseId } from "#domain/ids.ts";
import type { PurchaseState } from "#domain/purchase.ts";
import { MINUTE_MS } from "#domain/clock.ts";
import type { PurchaseRecord } from "#store/purchase-facts.ts";
import type { Moved } from "#store/purchase-store.ts";
import type { GroupRow, MemoryTables } from "./memory/memory-tables.ts";
import type { Trace } from "./trace.ts";
import type { Violations } from "./violations.ts";

/** Checks groups and purchase rules at each commit, independently of the engine: I18, I19 and I20. */
export interface RulesWatch {
  opened(record: PurchaseRecord): void;
  /** A commit that allows a payment request. */
  paying(record: PurchaseRecord): void;
  moved(before: PurchaseRecord, after: PurchaseRecord, moved: Moved): void;
  /** A wish was refused because a purchase that may still fail occupies its place. */
  waited(wish: string): void;
  /** @returns whether the opened wish was refused in that way before */
  won(wish: string): boolean;
  delivered(purchaseId: PurchaseId): void;
  /** The highest limits of each group at the times of its purchases. */
  readonly highest: ReadonlyMap<GroupId, { readonly maxPurchases: number; readonly budgetCents: number }>;
  /** Purchases whose ends of automatic buying were published. */
  readonly deliveries: ReadonlySet<PurchaseId>;
}

interface RulesWatchParts {
  readonly trace: Trace;
  readonly violations: Violations;
  readonly tables: MemoryTables | null;
}

const FREE: ReadonlySet<PurchaseState> = new Set(["failed", "cancelled"]);

export function createRulesWatch({ trace, violations, tables }: RulesWatchParts): RulesWatch {
  const highest = new Map<GroupId, { maxPurchases: number; budgetCents: number }>();
  const deliveries = new Set<PurchaseId>();
  const waiting = new Set<string>();
  const ended = new Set<GroupId>();

  const judgeGroup = (record: PurchaseRecord): void => {
    const group = groupOf(tables, record);
    if (tables === null || group === null) return;
    const before = highest.get(group.id);
    const budgetCents = group.budgetEur === null ? Infinity : group.budgetEur * 100;
    highest.set(group.id, {
      maxPurchases: Math.max(group.maxPurchases, before?.maxPurchases ?? 0),
      budgetCents: Math.max(budgetCents, before?.budgetCents ?? 0),
    });
    const taken = takenIn(tables, record).filter(({ groupId }) => groupId === group.id);
    if (taken.length > group.maxPurchases)
      violations.report(
        "I18",
        `${record.id} is the ${taken.length}th of ${group.maxPurchases} in ${group.id}`,
      );
    if (record.mode === "live" && centsOf(taken) > budgetCents)
      violations.report("I18", `${record.id}: ${centsOf(taken)} of ${budgetCents} in ${group.id}`);
  };

  return {
    highest,
    deliveries,
    waited: (wish) => void waiting.add(wish),
    won: (wish) => waiting.delete(wish),
    delivered: (purchaseId) => void deliveries.add(purchaseId),
    opened(record) {
      judgeGroup(record);
      if (tables === null) return;
      judgeFilter({ violations, tables }, record, true);
      noteFreedPlace({ trace, tables, ended }, record);
    },
    paying(record) {
      judgeGroup(record);
      if (tables !== null) judgeFilter({ violations, tables }, record, false);
      if (
        record.source === "auto" &&
        record.groupId !== null &&
        groupOf(tables, record) === null &&
        tables !== null
      )
        violations.report("I18", `${record.id} pays for a group that is gone`);
    },
    moved(before, after, { stops }) {
      for (const { reason, groupId } of stops) {
        trace.count(`stop: ${reason}`);
        if (groupId !== null) ended.add(groupId);
      }
      const isByRule = before.state !== "failed" && after.failureReason === "rule_reached";
      if (isByRule && tables !== null && !isGroupFull(tables, after))
        trace.count("budget reached at the quote");
      if (before.groupId !== after.groupId)
        violations.report("I20", `${after.id} left its place in ${before.groupId ?? "no group"}`);
    },
  };
}

function groupOf(tables: MemoryTables | null, { groupId, userId }: PurchaseRecord): GroupRow | null {
  const group = groupId === null ? undefined : tables?.groups.get(groupId);
  return group?.userId === userId ? group : null;
}

/** The group was deleted or has no place left for this purchase. */
function isGroupFull(tables: MemoryTables, record: PurchaseRecord): boolean {
  const group = groupOf(tables, record);
  if (record.groupId === null) return false;
  const others = takenIn(tables, record).filter(({ groupId }) => groupId === record.groupId);
  return group === null || others.length >= group.maxPurchases;
}

/** Purchases of the same person and mode that occupy a place, including this one. */
function takenIn(tables: MemoryTables, { mode, userId }: PurchaseRecord): readonly PurchaseRecord[] {
  return [...tables.purchases.rows()].filter(
    (each) => each.userId === userId && each.mode === mode && !FREE.has(each.state),
  );
}

const centsOf = (records: readonly PurchaseRecord[]): number =>
  records.reduce((sum, { holdCents, chargedCents }) => sum + holdCents + (chargedCents ?? 0), 0);

interface Judge {
  readonly violations: Violations;
  readonly tables: MemoryTables;
}

function judgeFilter({ violations, tables }: Judge, record: PurchaseRecord, isIntent: boolean): void {
  const filter = record.filterId === null ? undefined : tables.filters.get(record.filterId);
  if (record.source !== "auto" || filter === undefined) return;
  const { rules } = filter;
  const taken = takenIn(tables, record);
  const own = taken.filter(({ filterId }) => filterId === filter.id);
  const report = (what: string): void => violations.report("I19", `${record.id} of ${filter.id}: ${what}`);
  const today = own.filter(({ dayKey }) => dayKey === record.dayKey);
  if (record.mode === "live" && centsOf(today) > (rules.dayBudgetEur ?? Infinity) * 100)
    report("the day's budget");
  if (record.mode === "live" && centsOf(own) > (rules.totalBudgetEur ?? Infinity) * 100) report("the budget");
  if (!isIntent) return;
  if (record.listing.totalPriceCents < filter.priceFloorEur * 100) report("the floor");
  if (rules.hours !== null && !isWithin(rules.hours, record.decidedAtMs)) report("the hours");
  if (rules.days.length > 0 && !rules.days.includes(startDayOf(rules.hours, record.decidedAtMs)))
    report("the days");
  const pauseMs = (rules.pauseMinutes ?? 0) * MINUTE_MS;
  const isTooSoon = own.some(
    ({ id, decidedAtMs }) => id !== record.id && record.decidedAtMs < decidedAtMs + pauseMs,
  );
  if (pauseMs > 0 && isTooSoon) report("the pause");
  const ofSeller = taken.filter(
    ({ dayKey, listing }) => dayKey === record.dayKey && listing.seller.id === record.listing.seller.id,
  );
  if (ofSeller.length > (rules.perSellerAndDay ?? Infinity)) report("the seller's count");
}

const DAY_MINUTES = 1_440;

function isWithin({ fromMinute, toMinute }: BuyingHours, atMs: number): boolean {
  return minutesSince(fromMinute, parisTimeOf(atMs).minute) < minutesSince(fromMinute, toMinute);
}

/** The day of the week, 1 (Monday) to 7, on which the hours of this moment began; without hours, of the moment. */
function startDayOf(hours: BuyingHours | null, atMs: number): number {
  const { date, minute } = parisTimeOf(atMs);
  const isSinceYesterday = hours !== null && minutesSince(hours.fromMinute, minute) > minute;
  const dayMs = Date.parse(date) - (isSinceYesterday ? DAY_MINUTES * MINUTE_MS : 0);
  return ((new Date(dayMs).getUTCDay() + 6) % 7) + 1;
}

const minutesSince = (from: number, minute: number): number => (minute - from + DAY_MINUTES) % DAY_MINUTES;

/** Read from the formatted Paris time, independently of the engine. */
function parisTimeOf(atMs: number): { readonly date: string; readonly minute: number } {
  const [date = "", time = ""] = new Date(atMs)
    .toLocaleString("sv-SE", { timeZone: "Europe/Paris" })
    .split(" ");
  return { date, minute: Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5)) };
}

/** Counts purchases that were possible only because an earlier one in the group failed or was cancelled. */
function noteFreedPlace(
  {
    trace,
    tables,
    ended,
  }: Pick<RulesWatchParts, "trace"> & {
    readonly tables: MemoryTables;
    readonly ended: ReadonlySet<GroupId>;
  },
  record: PurchaseRecord,
): void {
  const group = groupOf(tables, record);
  if (group === null || record.mode !== "live") return;
  const inGroup = [...tables.purchases.rows()].filter(
    ({ groupId, mode }) => groupId === group.id && mode === "live",
  );
  const isNeeded = (freed: readonly PurchaseRecord[]): boolean => {
    const taken = inGroup.filter(({ state }) => !FREE.has(state)).length;
    return freed.length > 0 && taken + freed.length > group.maxPurchases;
  };
  const refused = inGroup.filter(({ failureReason }) => failureReason === "not_confirmed");
  const cancelled = inGroup.filter(({ state }) => state === "cancelled");
  if (isNeeded(refused)) trace.count("place freed by a refused confirmation");
  if (ended.has(group.id) && isNeeded(cancelled)) trace.count("place freed by a cancel after the end");
}
