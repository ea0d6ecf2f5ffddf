import type { Argent } from "#contract/envelope.ts";
import type { PrixHabituel } from "#contract/produit.ts";
import { formatPriceRange } from "../../ui/charts/price-text.ts";
import { formatCount } from "../../ui/format.ts";
import { plural } from "../../ui/format-panel.ts";

/** From so many similar listings on, the place of a price among them means something. */
const FEW_LISTINGS = 20;

export interface UsualPriceWords {
  /** "habituellement 45–60 €". */
  readonly range: string;
  /** Where the price stands: "moins cher que 88 % de 312". */
  readonly place: string;
  readonly isBelow: boolean;
}

/** Null where it cannot be said. */
export function usualPriceWords(price: Argent, usual: PrixHabituel): UsualPriceWords | null {
  const [amount, low, high] = [price, usual.bas, usual.haut].map((money) => Number(money.amount));
  if (amount === undefined || low === undefined || high === undefined) return null;
  if (![amount, low, high].every(Number.isFinite)) return null;
  // A line may end before the prices, not between them.
  const range = `habituellement ${formatPriceRange({ low, high }).replace("–", "–\u2060")}`;
  return { range, place: placeText(usual, amount > high), isBelow: amount < low };
}

function placeText({ rang: rank, n }: PrixHabituel, isAbove: boolean): string {
  if (rank === null) return "(estimation)";
  if (n < FEW_LISTINGS) return `peu d'${plural(n, "annonce", "annonces")} (${n})`;
  return isAbove ? "au-dessus du prix habituel" : `moins cher que ${rank}\u00A0% de ${formatCount(n)}`;
}

/** "habituellement 45–60 € · moins cher que 88 % de 312", "habituellement 45–60 € (estimation)". */
export function usualPriceText({ range, place }: UsualPriceWords): string {
  return `${range}${place.startsWith("(") ? " " : " · "}${place}`;
}

/** Where range and price lie on a strip of this width: from nothing to a little more than the dearer of both. */
export function usualPriceStrip(price: Argent, usual: PrixHabituel, width: number) {
  const [amount, low, high] = [price, usual.bas, usual.haut].map((money) => Number(money.amount) || 0);
  const most = Math.max(amount ?? 0, high ?? 0, 1) * 1.15;
  const at = (value = 0): number => Math.round((value / most) * width * 10) / 10;
  return { from: at(low), to: at(high), price: at(amount) };
}
