/** How a filter goes back to the server: always whole (specification §4). */
import type { Filtre, FiltreEditInput } from "#contract/filtre.ts";

export type FiltreFlag = "active" | "autobuy" | "private";

/** The whole filter with some of it changed, as `/filtres/edit` takes it. */
export function asFiltreEdit(filtre: Filtre, changes: Partial<Filtre> = {}): FiltreEditInput {
  const changed = { ...filtre, ...changes };
  return {
    ...changed,
    types: { ids: changed.types.ids },
    brands: { ids: changed.brands.ids },
    sizes: { ids: changed.sizes.ids },
    status: { ids: changed.status.ids },
    paiement: changed.paiement === 11 ? 11 : 1,
  };
}
