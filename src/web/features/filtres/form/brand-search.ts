/** Which brands the picker shows. Pure. */
import { foldText } from "#catalogue/fold-text.ts";

export interface OfferedBrand {
  readonly id: number;
  readonly title: string;
}

/** More would be no help: the search is to be made narrower. */
export const MAX_FOUND_BRANDS = 60;

/**
 * Without a search what is on offer; with one every known brand whose title holds it, those that begin with it first,
 * each group in the order given. Signs do not count: "levis" finds "Levi's".
 */
export function brandsToShow(
  search: string,
  offered: readonly OfferedBrand[],
  known: readonly OfferedBrand[],
): readonly OfferedBrand[] {
  const wanted = brandKey(search);
  if (wanted === "") return offered;
  const offeredIds = new Set(offered.map(({ id }) => id));
  const holding = [...offered, ...known.filter(({ id }) => !offeredIds.has(id))]
    .map((brand) => ({ brand, key: brandKey(brand.title) }))
    .filter(({ key }) => key.includes(wanted));
  const first = holding.filter(({ key }) => key.startsWith(wanted));
  const rest = holding.filter(({ key }) => !key.startsWith(wanted));
  return [...first, ...rest].slice(0, MAX_FOUND_BRANDS).map(({ brand }) => brand);
}

function brandKey(title: string): string {
  return foldText(title).replaceAll(" ", "");
}
