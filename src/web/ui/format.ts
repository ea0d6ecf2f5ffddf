/** French formats of prices, ages and counts. */
import type { Argent } from "#contract/envelope.ts";

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
const JUST_NOW_MS = 3 * SECOND_MS;

const wholeNumber = new Intl.NumberFormat("fr-FR", { maximumFractionDigits: 0 });

/** "1 234". */
export function formatCount(count: number): string {
  return wholeNumber.format(count);
}

/** "12,50 €"; "Prix inconnu" for ""; an invalid amount or currency is shown as received. */
export function formatMoney({ amount, currency_code: currency }: Argent): string {
  const value = Number(amount);
  if (amount.trim() === "") return "Prix inconnu";
  if (!Number.isFinite(value)) return `${amount} ${currency}`.trim();
  try {
    return new Intl.NumberFormat("fr-FR", { style: "currency", currency }).format(value);
  } catch (error) {
    if (error instanceof RangeError) return `${amount} ${currency}`.trim();
    throw error;
  }
}

/** "1 250 €". */
export function formatEuros(euros: number): string {
  return `${formatCount(euros)}\u00A0€`;
}

/** "à l'instant", "il y a 12 s", "il y a 3 min", "il y a 2 h", "il y a 4 j"; a future time counts as now. */
export function formatAge(seenAtMs: number, nowMs: number): string {
  if (seenAtMs <= 0) return "date inconnue";
  const ageMs = nowMs - seenAtMs;
  if (ageMs < JUST_NOW_MS) return "à l'instant";
  if (ageMs < MINUTE_MS) return `il y a ${Math.floor(ageMs / SECOND_MS)}\u00A0s`;
  if (ageMs < HOUR_MS) return `il y a ${Math.floor(ageMs / MINUTE_MS)}\u00A0min`;
  if (ageMs < DAY_MS) return `il y a ${Math.floor(ageMs / HOUR_MS)}\u00A0h`;
  return `il y a ${Math.floor(ageMs / DAY_MS)}\u00A0j`;
}
