/** Which filters a view shows, and in what order. Pure. */
import { foldText } from "#catalogue/fold-text.ts";
import type { Filtre } from "#contract/filtres/filtre.ts";
import type { Activities } from "./filtre-activity.tsx";

/** From this number of filters on, search and sorting are offered. */
export const MANY_FILTERS = 12;

export type FiltresView = "autobuy" | "prives" | undefined;

export const sorts = [
  { key: "recents", label: "Plus récents" },
  { key: "nom", label: "Par nom" },
  { key: "trouvailles", label: "Trouvailles du jour" },
  { key: "derniere", label: "Dernière trouvaille" },
] as const;

export type SortKey = (typeof sorts)[number]["key"];

export function parseSort(stored: unknown): SortKey | undefined {
  return sorts.find(({ key }) => key === stored)?.key;
}

interface Arrangement {
  readonly view: FiltresView;
  readonly search: string;
  readonly sort: SortKey;
  readonly activities: Activities | undefined;
}

/** @param filters newest first, as the server returns them; sorting is stable */
export function shownFilters(
  filters: readonly Filtre[],
  { view, search, sort, activities }: Arrangement,
): readonly Filtre[] {
  const wanted = foldText(search);
  const shown = filters.filter((filtre) => isInView(filtre, view) && textOf(filtre).includes(wanted));
  switch (sort) {
    case "recents":
      return shown;
    case "nom":
      return shown.toSorted((one, other) => one.tag.localeCompare(other.tag, "fr", { numeric: true }));
    case "trouvailles":
      return byFigure(shown, ({ _id }) => activities?.get(_id)?.trouves_aujourdhui ?? 0);
    case "derniere":
      return byFigure(shown, ({ _id }) => activities?.get(_id)?.dernier?.vu_a ?? 0);
    default:
      return sort satisfies never;
  }
}

function isInView(filtre: Filtre, view: FiltresView): boolean {
  if (view === "autobuy") return filtre.active && filtre.autobuy;
  return view === "prives" ? filtre.private : true;
}

/** The searchable text. */
function textOf({ tag, info, brands, types }: Filtre): string {
  return foldText([tag, info, ...brands.names, ...types.names].join(" "));
}

function byFigure(filters: readonly Filtre[], figureOf: (filtre: Filtre) => number): readonly Filtre[] {
  return filters.toSorted((one, other) => figureOf(other) - figureOf(one));
}
