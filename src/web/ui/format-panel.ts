/** French formats that only the panel needs, kept out of the public pages' bundle. */
import { DAY_MS, formatCount, HOUR_MS, MINUTE_MS, SECOND_MS } from "./format.ts";

const purchaseDate = new Intl.DateTimeFormat("fr-FR", {
  day: "2-digit",
  month: "2-digit",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});

/**
 * "20/11/2026 14:05", in local time.
 * @param unixSeconds as in purchases
 */
export function formatPurchaseDate(unixSeconds: number): string {
  if (unixSeconds <= 0) return "Date inconnue";
  const parts = new Map(
    purchaseDate.formatToParts(unixSeconds * SECOND_MS).map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? "";
  return `${part("day")}/${part("month")}/${part("year")} ${part("hour")}:${part("minute")}`;
}

/** "24 h", "3 h", "12 min": at least a minute, at most a day. */
export function formatSpan(spanMs: number): string {
  if (spanMs >= DAY_MS - HOUR_MS / 2) return "24\u00A0h";
  if (spanMs >= HOUR_MS) return `${Math.floor(spanMs / HOUR_MS)}\u00A0h`;
  return `${Math.max(1, Math.floor(spanMs / MINUTE_MS))}\u00A0min`;
}

/** ", reprise à 04:29" in local time; ", nouvel essai en cours" once that has passed; "" for null. */
export function formatResumption(atMs: number | null, nowMs: number): string {
  if (atMs === null) return "";
  return atMs > nowMs ? `, reprise à ${timeOfDay.format(atMs)}` : ", nouvel essai en cours";
}

const timeOfDay = new Intl.DateTimeFormat("fr-FR", { hour: "2-digit", minute: "2-digit" });

/** "14:05", in local time. */
export function formatClock(unixSeconds: number): string {
  return timeOfDay.format(unixSeconds * SECOND_MS);
}

/** The plural from 2 on, as in French: "0 article", "1 article", "2 articles". */
export function plural(count: number, one: string, many: string): string {
  return Math.abs(count) < 2 ? one : many;
}

/** "« Robe »", with no-break spaces. */
export function formatQuoted(text: string): string {
  return `«\u00A0${text}\u00A0»`;
}

/** No line begins with a closing quote or a punctuation mark, for texts of the server. */
export function withNoBreaks(text: string): string {
  return text.replaceAll("« ", "«\u00A0").replaceAll(/ (?=[»:;!?€])/gu, "\u00A0");
}

/** "12 articles". */
export function formatCounted(count: number, one: string, many: string): string {
  return `${formatCount(count)} ${plural(count, one, many)}`;
}

/** "1 000", "1.000", "50€", "12,50 €", "EUR 20": groups of three digits, then perhaps cents. */
const AMOUNT = /^(?:€|eur)?\s*([1-9]\d{0,2}(?:[\s.]\d{3})+|\d+)(?:\s*[.,€]\d*)?\s*(?:€|eur|euros?)?$/iu;

/**
 * Parses a typed amount in EUR as whole euros. Cents are dropped, so that a limit never becomes higher than
 * typed. Null if the text is not an amount.
 */
export function wholeEurosIn(text: string): number | null {
  const digits = AMOUNT.exec(text.trim())?.[1]?.replaceAll(/\D/gu, "");
  return digits === undefined ? null : Number(digits);
}
