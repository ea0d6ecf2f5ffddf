/** Calendar days of Europe/Paris, by which limits, charts and the archive count. */
import { DAY_MS, HOUR_MS } from "#domain/clock.ts";
import { budgetKeys } from "#purchasing/decide/limits.ts";

/** The Paris date of a moment, such as "2026-03-29". */
export function parisDayOf(atMs: number): string {
  return budgetKeys(atMs).dayKey;
}

/** Days from 1970-01-01 to a date such as "2026-03-29". */
export function dayNumber(day: string): number {
  return Math.floor(Date.parse(`${day}T00:00:00Z`) / DAY_MS);
}

export function dayOfNumber(number: number): string {
  return new Date(number * DAY_MS).toISOString().slice(0, 10);
}

/** When a date begins in Paris. */
export function startOfParisDay(day: string): number {
  // Paris is one or two hours ahead of UTC.
  const utcMs = Date.parse(`${day}T00:00:00Z`);
  const summerMs = utcMs - 2 * HOUR_MS;
  return parisDayOf(summerMs) === day ? summerMs : utcMs - HOUR_MS;
}

/** Converts times to day numbers; caches the last day's bounds, because formatting takes microseconds. */
export function createDayCounter(): (atMs: number) => number {
  let number = 0;
  let startMs = Infinity;
  let endMs = -Infinity;
  return (atMs) => {
    if (atMs >= startMs && atMs < endMs) return number;
    const day = parisDayOf(atMs);
    number = dayNumber(day);
    startMs = startOfParisDay(day);
    endMs = startOfParisDay(dayOfNumber(number + 1));
    return number;
  };
}
