import type { MoneyLimits } from "#domain/settings.ts";
import type { BudgetTotals, SpendingFacts } from "#store/purchase-facts.ts";

/** Arithmetic of the money limits, in the time zone Europe/Paris. */

export type ReachedLimit = "day" | "month" | "count";

type SpendingTerms = Pick<SpendingFacts, "limits" | "day" | "month">;

/** Everything that counts against a limit: held, captured, and spent without a decision of the product. */
export function spentCents(totals: BudgetTotals): number {
  return totals.heldCents + totals.capturedCents + totals.extraCents;
}

/**
 * Whether the limits allow this difference, all in, for a purchase that is already counted. A limit lowered since the
 * hold applies too, including the number of purchases per day.
 */
export function hasRoomFor(facts: SpendingTerms, addedCents: number): boolean {
  const { limits, day, month } = facts;
  return (
    day.purchases <= limits.purchasesPerDay &&
    spentCents(day) + addedCents <= capCents(limits.dayEur) &&
    spentCents(month) + addedCents <= capCents(limits.monthEur)
  );
}

/** The limit that forbids one more purchase of this amount; null if none does. */
export function limitAgainst(facts: SpendingTerms, amountCents: number): ReachedLimit | null {
  const { limits, day, month } = facts;
  if (day.purchases + 1 > limits.purchasesPerDay) return "count";
  if (spentCents(day) + amountCents > capCents(limits.dayEur)) return "day";
  if (spentCents(month) + amountCents > capCents(limits.monthEur)) return "month";
  return null;
}

/** Limits are in whole EUR, as are those of filters. */
export function capCents(limitEur: MoneyLimits["dayEur"]): number {
  return limitEur * 100;
}

const parisDay = new Intl.DateTimeFormat("en-CA", {
  timeZone: "Europe/Paris",
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
});

/** "2026-03-29" and "2026-03" of a moment in Paris time. */
export function budgetKeys(atMs: number): { readonly dayKey: string; readonly monthKey: string } {
  const dayKey = parisDay.format(atMs);
  return { dayKey, monthKey: dayKey.slice(0, 7) };
}

/** The end of the day in Paris. */
export function nextDayMs(atMs: number): number {
  const day = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO("Europe/Paris");
  return day.startOfDay().add({ days: 1 }).epochMilliseconds;
}
