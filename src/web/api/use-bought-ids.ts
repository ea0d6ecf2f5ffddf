import { useQuery } from "@tanstack/react-query";
import type { Achat } from "#contract/achat.ts";
import { ACHAT_ANNULE } from "#contract/bounds.ts";
import { queries } from "./queries.ts";

const none: ReadonlySet<number> = new Set();

/** The listings that the person has bought, or may have: 'Déjà acheté' holds for the statuses 1, 2 and 3. */
export function useBoughtIds(): ReadonlySet<number> {
  const { data } = useQuery({ ...queries.purchases, select: boughtIdsOf });
  return data ?? none;
}

/** A rehearsal pays nothing, so what it "bought" can still be bought. */
export function boughtIdsOf(purchases: readonly Achat[]): ReadonlySet<number> {
  const bought = purchases.filter(({ status, simulation }) => status !== ACHAT_ANNULE && simulation !== true);
  return new Set(bought.map(({ product }) => product.id));
}
