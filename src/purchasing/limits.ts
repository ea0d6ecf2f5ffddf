import type { MoneyLimits } from "#domain/settings.ts";
import type { BudgetTotals, SpendingFacts } from "#store/purchase-store.ts";

/** The arithmetic of what may be spent without asking. Limits count in Europe/Paris. */

export type ReachedLimit = "day" | "month" | "count";

type SpendingTerms = Pick<SpendingFacts, "limits" | "day" | "month">;

/** Everything that counts against a limit: held, captured, and what was spent without our decision. */
export function spentCents(totals: BudgetTotals): number {
  return totals.heldCents + totals.capturedCents + totals.extraCents;
}

/**
 * Whether the limits bear so much more (or less), all in, for a purchase that is counted already.
 * A limit lowered since the hold binds here too, that of the day's purchases as well.
 */
export function hasRoomFor(facts: SpendingTerms, addedCents: number): boolean {
  const { limits, day, month } = facts;
  return (
    day.purchases <= limits.purchasesPerDay &&
    spentCents(day) + addedCents <= capCents(limits.dayEur) &&
    spentCents(month) + addedCents <= capCents(limits.monthEur)
  );
}

/** The limit that forbids one more purchase of so much; null when none does. */
export function limitAgainst(facts: SpendingTerms, amountCents: number): ReachedLimit | null {
  const { limits, day, month } = facts;
  if (day.purchases + 1 > limits.purchasesPerDay) return "count";
  if (spentCents(day) + amountCents > capCents(limits.dayEur)) return "day";
  if (spentCents(month) + amountCents > capCents(limits.monthEur)) return "month";
  return null;
}

/** Limits are whole EUR, those of filters as well. */
export function capCents(limitEur: MoneyLimits["dayEur"]): number {
  return limitEur * 100;
}

const parisDay = new Intl.DateTimeFormat("en-CA", {
  timeZone: "Europe/Paris",
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
});

/** "2026-03-29" and "2026-03" of a moment, as the clocks of Paris show it. */
export function budgetKeys(atMs: number): { readonly dayKey: string; readonly monthKey: string } {
  const dayKey = parisDay.format(atMs);
  return { dayKey, monthKey: dayKey.slice(0, 7) };
}
