/** "1 000", "1.000", "50€", "12,50 €", "EUR 20": groups of three digits, then perhaps cents. */
const AMOUNT = /^(?:€|eur)?\s*([1-9]\d{0,2}(?:[\s.]\d{3})+|\d+)(?:\s*[.,€]\d*)?\s*(?:€|eur|euros?)?$/iu;

/**
 * An amount in EUR as a person writes it, in whole euros. Cents are dropped: a limit is never read higher than it was
 * written. Null if the text is not an amount.
 */
export function wholeEurosIn(text: string): number | null {
  const digits = AMOUNT.exec(text.trim())?.[1]?.replaceAll(/\D/gu, "");
  return digits === undefined ? null : Number(digits);
}
