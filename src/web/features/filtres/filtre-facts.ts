/** What a filter card says in each of its columns, and which columns the person chose (specification §2). Pure. */
import { colourByName } from "#catalogue/colours.ts";
import { paymentMethodById } from "#catalogue/payment-methods.ts";
import type { Filtre, Selection } from "#contract/filtres/filtre.ts";
import type { Groupe, RaisonArret } from "#contract/filtres/regles.ts";
import { formatCount, formatEuros } from "../../ui/format.ts";

/** The key for filter-card sections in the browser's storage. */
export const COLUMNS_KEY = "synapse.filter-card-sections";

/** Whether the chips that choose the columns are shown. */
export const MANAGE_KEY = "synapse.filter-card-manage";

/** In which order the filters stand. */
export const SORT_KEY = "synapse.filter-sort";

export const columnNames = [
  "Types",
  "Marques",
  "Tailles",
  "États",
  "Couleurs",
  "Limite de prix",
  "Moyen de paiement",
  "Info supp",
] as const;

export type ColumnName = (typeof columnNames)[number];

export const DEFAULT_COLUMNS: readonly ColumnName[] = ["Marques", "Tailles", "États"];

/** The known columns of a stored value, in the order of the cards; undefined when it is not a list. */
export function parseColumns(stored: unknown): readonly ColumnName[] | undefined {
  if (!Array.isArray(stored)) return undefined;
  return columnNames.filter((name) => stored.includes(name));
}

/** Shows a column that was hidden, or hides it. */
export function withColumnToggled(columns: readonly ColumnName[], name: ColumnName): readonly ColumnName[] {
  return columnNames.filter((each) => (each === name) !== columns.includes(each));
}

/** Why automatic buying ended, as it was then: the limit may have been raised since. */
const STOP_TEXTS: Readonly<Record<RaisonArret, string>> = {
  groupe: "le groupe était complet",
  max_achats: "le nombre d'achats était atteint",
  budget_total: "le budget était dépensé",
  echecs: "trop d'échecs",
};

interface KnownByNow {
  /** The filter's group; it may be open again. */
  readonly group: Pick<Groupe, "etat"> | undefined;
  /** What the filter has bought, as `max_achats` counts it; undefined until it is read. */
  readonly bought: number | undefined;
}

/** Why the product ended automatic buying, in the present where the limit still binds; null where it did not end it. */
export function stopText(
  { arret, max_achats: most }: Pick<Filtre, "arret" | "max_achats">,
  { group, bought = 0 }: KnownByNow,
): string | null {
  if (arret === null) return null;
  if (arret.raison === "groupe" && group?.etat === "complet") return "groupe complet";
  if (arret.raison === "max_achats" && most !== null && bought >= most) return "nombre d'achats atteint";
  return STOP_TEXTS[arret.raison];
}

/** The criteria that also a public filter shows. */
type Criteria = Pick<Filtre, "types" | "brands" | "sizes" | "status" | "color" | "limit"> &
  Partial<Pick<Filtre, "limit_min">>;

type CriteriaColumn = Exclude<ColumnName, "Moyen de paiement" | "Info supp">;

/** The names of a selection, each once ("Jeans" is one of women's and one of men's); the word for all when it is empty. */
function namesOr({ ids, names }: Selection, all: string): string {
  if (ids.length === 0) return all;
  // Names that could not be read do not widen the choice to everything.
  return names.length === 0 ? `${formatCount(ids.length)} au choix` : [...new Set(names)].join(", ");
}

const criteriaTexts: Readonly<Record<CriteriaColumn, (criteria: Criteria) => string>> = {
  Types: ({ types }) => namesOr(types, "Tous"),
  Marques: ({ brands }) => namesOr(brands, "Toutes"),
  Tailles: ({ sizes }) => namesOr(sizes, "Toutes"),
  États: ({ status }) => namesOr(status, "Tous"),
  Couleurs: ({ color }) => colourText(color),
  "Limite de prix": ({ limit, limit_min: floor = 0 }) =>
    floor === 0 ? formatEuros(limit) : `de ${formatEuros(floor)} à ${formatEuros(limit)}`,
};

export function criteriaText(criteria: Criteria, column: CriteriaColumn): string {
  return criteriaTexts[column](criteria);
}

export function factText(filtre: Filtre, column: ColumnName): string {
  if (column === "Moyen de paiement") return paymentMethodById(filtre.paiement)?.label ?? "Inconnu";
  if (column === "Info supp") return filtre.info === "" ? "Aucune" : filtre.info;
  return criteriaText(filtre, column);
}

/** The French label of a colour's English name; 'Toutes' when none is chosen. */
function colourText(name: string): string {
  return name === "" ? "Toutes" : (colourByName(name)?.label ?? name);
}
