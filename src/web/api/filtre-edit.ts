/** How a filter goes back to the server: always whole (specification §4). */
import type { Filtre } from "#contract/filtre.ts";
import type { FiltreEditInput } from "#contract/filtre-input.ts";

export type FiltreFlag = "active" | "autobuy" | "private";

/** The whole filter with some of it changed, as `/filtres/edit` takes it. */
export function asFiltreEdit(filtre: Filtre, changes: Partial<Filtre> = {}): FiltreEditInput {
  const changed = { ...filtre, ...changes };
  return {
    ...changed,
    paiement: changed.paiement === 11 ? 11 : 1,
  };
}
