/** How a filter goes back to the server: always whole (specification §4). */
import type { Filtre, FiltreEditInput } from "#contract/filtre.ts";

export type FiltreFlag = "active" | "autobuy" | "private";

/** The whole filter with some of it changed, as `/filtres/edit` takes it. */
export function asFiltreEdit(
  filtre: Filtre,
  changes: Partial<Pick<Filtre, FiltreFlag>> = {},
): FiltreEditInput {
  return {
    ...filtre,
    ...changes,
    types: { ids: filtre.types.ids },
    brands: { ids: filtre.brands.ids },
    sizes: { ids: filtre.sizes.ids },
    status: { ids: filtre.status.ids },
    paiement: filtre.paiement === 11 ? 11 : 1,
  };
}
