import type { Achat } from "#contract/achat.ts";
import { ACHAT_ANNULE } from "#contract/bounds.ts";

/** A rehearsal pays nothing, so what it "bought" can still be bought. */
export function boughtIdsOf(purchases: readonly Achat[]): ReadonlySet<number> {
  const bought = purchases.filter(({ status, simulation }) => status !== ACHAT_ANNULE && simulation !== true);
  return new Set(bought.map(({ product }) => product.id));
}
