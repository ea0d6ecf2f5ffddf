/** Amounts and counts as French people read them; the wire's own amounts stay decimal texts (domain/money.ts). */

// French typography keeps the amount and its sign on one line.
const NO_BREAK_SPACE = "\u00A0";
const NARROW_NO_BREAK_SPACE = "\u202F";

/** "12,50 €" of 1250, "1 234,00 €" of 123400. */
export function euroText(cents: number): string {
  const euros = String(Math.trunc(cents / 100)).replace(/\B(?=(?:\d{3})+$)/gu, NARROW_NO_BREAK_SPACE);
  return `${euros},${String(cents % 100).padStart(2, "0")}${NO_BREAK_SPACE}€`;
}

/** "1 filtre", "2 filtres", and "0 filtre": French counts nothing in the singular. */
export function countText(count: number, singular: string, plural: string): string {
  return `${count} ${count < 2 ? singular : plural}`;
}
