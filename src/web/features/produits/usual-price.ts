import type { Argent } from "#contract/envelope.ts";
import type { PrixHabituel } from "#contract/produit.ts";
import { formatPriceRange } from "../../ui/charts/price-text.ts";
import { plural } from "../../ui/format.ts";

/** From so many similar listings on, the place of a price among them means something. */
const FEW_LISTINGS = 20;

/** "habituellement 45–60 € · moins cher que 88 % de 312"; null where it cannot be said. */
export function usualPriceText(price: Argent, usual: PrixHabituel): string | null {
  const [amount, low, high] = [price, usual.bas, usual.haut].map((money) => Number(money.amount));
  if (amount === undefined || low === undefined || high === undefined) return null;
  if (![amount, low, high].every(Number.isFinite)) return null;
  const range = `habituellement\u00A0${formatPriceRange({ low, high })}`;
  if (usual.rang === null) return `${range} (estimation)`;
  if (usual.n < FEW_LISTINGS)
    return `${range} · peu d'${plural(usual.n, "annonce", "annonces")} (${usual.n})`;
  if (amount > high) return `${range} · au-dessus du prix habituel`;
  return `${range} · moins cher que ${usual.rang}\u00A0% de ${usual.n}`;
}

/** Where range and price lie on a strip of this width: from nothing to a little more than the dearer of both. */
export function usualPriceStrip(price: Argent, usual: PrixHabituel, width: number) {
  const [amount, low, high] = [price, usual.bas, usual.haut].map((money) => Number(money.amount) || 0);
  const most = Math.max(amount ?? 0, high ?? 0, 1) * 1.15;
  const at = (value = 0): number => Math.round((value / most) * width * 10) / 10;
  return { from: at(low), to: at(high), price: at(amount) };
}
