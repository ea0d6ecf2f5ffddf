import type { BuyingHours, BuyingRules } from "#domain/buying-rules.ts";
import type { FilterId, GroupId } from "#domain/ids.ts";
import type { PurchaseMode } from "#domain/purchase.ts";
import type { FilterTerms, GroupTerms, RuleFacts, RuleSums } from "#store/purchase-facts.ts";
import { capCents } from "./limits.ts";

/** The buying rules of filters and groups (docs/purchase.md), checked against past purchases. Pure. */

/** The rules in the order in which they are checked. */
export type ReachedRule =
  | "pause"
  | "seller_count"
  | "filter_full"
  | "group_full"
  | "group_budget"
  | "budget_day"
  | "budget_total";

/** A wish, or a purchase with its last quote. */
interface Amount {
  readonly mode: PurchaseMode;
  /** For a wish the listing's price; at the quote the total including shipping. */
  readonly cents: number;
}

export type RuleAnswer =
  | { readonly kind: "reached"; readonly rule: ReachedRule }
  /** Only purchases that may still fail use up the rule: one that fails makes room. */
  | { readonly kind: "waits"; readonly key: GroupId | FilterId };

/** The rule that forbids the wish now; null if none does. */
export function ruleAgainst(
  facts: RuleFacts,
  terms: Pick<FilterTerms, "rules" | "maxPurchases">,
  wish: Amount & { readonly nowMs: number; readonly filterId: FilterId },
): RuleAnswer | null {
  const reached = firstReached(facts.group, facts.taken, terms, wish);
  if (reached === null) return null;
  if (firstReached(facts.group, facts.paid, terms, wish) === null)
    return { kind: "waits", key: facts.group?.id ?? wish.filterId };
  return { kind: "reached", rule: reached };
}

function firstReached(
  group: GroupTerms | null,
  sums: RuleSums,
  { rules, maxPurchases }: Pick<FilterTerms, "rules" | "maxPurchases">,
  wish: Amount & { readonly nowMs: number },
): ReachedRule | null {
  const { pauseMinutes, perSellerAndDay } = rules;
  const { latestAtMs } = sums;
  if (pauseMinutes !== null && latestAtMs !== null && wish.nowMs < latestAtMs + pauseMinutes * 60_000)
    return "pause";
  if (perSellerAndDay !== null && sums.sellerCount >= perSellerAndDay) return "seller_count";
  if (isFull(maxPurchases, sums)) return "filter_full";
  return groupReached(group, sums, wish) ?? budgetReached(rules, sums, wish);
}

/**
 * The rule that forbids paying the last quote: counts, which may have been lowered since the intent, and
 * budgets, since the quote adds shipping.
 */
export function ruleAgainstQuote(
  { group, taken }: RuleFacts,
  { rules, maxPurchases }: Pick<FilterTerms, "rules" | "maxPurchases">,
  cents: number,
): ReachedRule | null {
  const amount = { mode: "live", cents } as const;
  if (isFull(maxPurchases, taken)) return "filter_full";
  return groupReached(group, taken, amount) ?? budgetReached(rules, taken, amount);
}

function isFull(maxPurchases: number | null, { filterCount }: RuleSums): boolean {
  return maxPurchases !== null && filterCount >= maxPurchases;
}

function groupReached(group: GroupTerms | null, sums: RuleSums, amount: Amount): ReachedRule | null {
  if (group === null) return null;
  if (sums.groupCount + 1 > group.maxPurchases) return "group_full";
  return exceeds(group.budgetEur, sums.groupCents, amount) ? "group_budget" : null;
}

function budgetReached(rules: BuyingRules, sums: RuleSums, amount: Amount): ReachedRule | null {
  if (exceeds(rules.dayBudgetEur, sums.filterDayCents, amount)) return "budget_day";
  return exceeds(rules.totalBudgetEur, sums.filterCents, amount) ? "budget_total" : null;
}

/** A simulation pays nothing: no budget applies. */
function exceeds(budgetEur: number | null, spentCents: number, { mode, cents }: Amount): boolean {
  return mode === "live" && budgetEur !== null && spentCents + cents > capCents(budgetEur);
}

const parisTime = new Intl.DateTimeFormat("en-GB", {
  timeZone: "Europe/Paris",
  weekday: "short",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** The time of day in Europe/Paris, and the day of the week from 1 (Monday) to 7. */
function parisMoment(atMs: number): { readonly minute: number; readonly day: number } {
  const parts = new Map(parisTime.formatToParts(atMs).map(({ type, value }) => [type, value]));
  return {
    minute: Number(parts.get("hour")) * 60 + Number(parts.get("minute")),
    day: WEEKDAYS.indexOf(parts.get("weekday") ?? "") + 1,
  };
}

/** Whether a filter may buy at this moment, by its hours and days. */
export function isWithinHours({ hours, days }: Pick<BuyingRules, "hours" | "days">, atMs: number): boolean {
  if (hours === null && days.length === 0) return true;
  const { minute, day } = parisMoment(atMs);
  if (hours !== null && !isBetween(hours, minute)) return false;
  // The hours after midnight belong to the day before, on which they began.
  const beganYesterday = hours !== null && hours.fromMinute > hours.toMinute && minute < hours.toMinute;
  const startDay = beganYesterday ? ((day + 5) % 7) + 1 : day;
  return days.length === 0 || days.includes(startDay);
}

function isBetween({ fromMinute, toMinute }: BuyingHours, minute: number): boolean {
  return fromMinute < toMinute
    ? minute >= fromMinute && minute < toMinute
    : minute >= fromMinute || minute < toMinute;
}
