/** An amount on the wire: decimal text and currency. */
export interface Money {
  readonly amount: string;
  readonly currency_code: string;
}

const DECIMAL_AMOUNT = /^(\d{1,7})(?:\.(\d{1,2}))?$/;

/**
 * Cents of a decimal text such as "12.5" or "12.34". Null for anything else ("12,50", "1e3", "-1", "NaN", three
 * decimals): an amount is never guessed.
 */
export function parseCents(amount: string): number | null {
  const match = DECIMAL_AMOUNT.exec(amount);
  if (match === null) return null;
  const [, euros = "0", fraction = ""] = match;
  return Number(euros) * 100 + Number(fraction.padEnd(2, "0"));
}

/** Cents of an amount in EUR; null for another currency or an amount that is not a plain decimal. */
export function parseEurCents(money: Money): number | null {
  return money.currency_code === "EUR" ? parseCents(money.amount) : null;
}

/** 1234 becomes "12.34". Negative amounts do not occur in the product. */
export function formatCents(cents: number): string {
  return `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
}

export function eur(cents: number): Money {
  return { amount: formatCents(cents), currency_code: "EUR" };
}
