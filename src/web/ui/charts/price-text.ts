/** Prices on a scale, in few signs. */

/** Cents matter below this amount. */
const SMALL_EUR = 10;

/** "45–60 €", "4,5–6 €". */
export function formatPriceRange({ low, high }: { readonly low: number; readonly high: number }): string {
  const format = formatFor(high);
  const [from, to] = [format.format(low), format.format(high)];
  return from === to ? `${to}\u00A0€` : `${from}–${to}\u00A0€`;
}

/** "52 €", "4,5 €". */
export function formatPrice(euros: number): string {
  return `${formatFor(euros).format(euros)}\u00A0€`;
}

function formatFor(euros: number): Intl.NumberFormat {
  return new Intl.NumberFormat("fr-FR", { maximumFractionDigits: euros < SMALL_EUR ? 1 : 0 });
}

/** A round number of EUR that no price exceeds, for the end of a scale. */
export function scaleOf(prices: readonly number[]): number {
  const most = Math.max(1, ...prices);
  const unit = 10 ** Math.floor(Math.log10(most));
  const step = [1, 1.5, 2, 3, 4, 5, 6, 8].find((each) => each * unit >= most) ?? 10;
  return step * unit;
}
