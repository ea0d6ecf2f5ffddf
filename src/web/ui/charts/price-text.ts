/** Short formats of prices on a scale. */

/** Cents are shown below this amount. */
const SMALL_EUR = 10;

/** "45–60 €", "4,50–6 €". */
export function formatPriceRange({ low, high }: { readonly low: number; readonly high: number }): string {
  const format = formatFor(high);
  const [from, to] = [format.format(low), format.format(high)];
  return from === to ? `${to}\u00A0€` : `${from}–${to}\u00A0€`;
}

/** "52 €", "4,50 €". */
export function formatPrice(euros: number): string {
  return `${formatFor(euros).format(euros)}\u00A0€`;
}

const inEuros = new Intl.NumberFormat("fr-FR", { maximumFractionDigits: 0 });
/** Rounded to ten cents: a statistic of many prices is no more exact. */
const inTenCents = new Intl.NumberFormat("fr-FR", {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
  roundingIncrement: 10,
  trailingZeroDisplay: "stripIfInteger",
});

function formatFor(euros: number): Intl.NumberFormat {
  return euros < SMALL_EUR ? inTenCents : inEuros;
}

/** A round number of EUR that no price exceeds, for the end of a scale. */
export function scaleOf(prices: readonly number[]): number {
  const most = Math.max(1, ...prices);
  const unit = 10 ** Math.floor(Math.log10(most));
  const step = [1, 1.5, 2, 3, 4, 5, 6, 8].find((each) => each * unit >= most) ?? 10;
  return step * unit;
}
