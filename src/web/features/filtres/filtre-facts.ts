/** The texts of a filter card's columns, and the user's choice of columns (specification §2). Pure. */
import { colourByName } from "#catalogue/colours.ts";
import { paymentMethodById } from "#catalogue/payment-methods.ts";
import type { Filtre, Selection } from "#contract/filtres/filtre.ts";
import type { Groupe, RaisonArret } from "#contract/filtres/regles.ts";
import { formatCount, formatEuros } from "../../ui/format.ts";

/** Storage key: the chosen columns. */
export const COLUMNS_KEY = "synapse.filter-card-sections";

/** Storage key: whether the chips that choose the columns are shown. */
export const MANAGE_KEY = "synapse.filter-card-manage";

/** Storage key: the sort order of the filters. */
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

/** The known columns of a stored value, in display order; undefined if it is not a list. */
export function parseColumns(stored: unknown): readonly ColumnName[] | undefined {
  if (!Array.isArray(stored)) return undefined;
  return columnNames.filter((name) => stored.includes(name));
}

export function withColumnToggled(columns: readonly ColumnName[], name: ColumnName): readonly ColumnName[] {
  return columnNames.filter((each) => (each === name) !== columns.includes(each));
}

/** In the past tense, because the limit may have been raised since automatic buying stopped. */
const STOP_TEXTS: Readonly<Record<RaisonArret, string>> = {
  groupe: "le groupe était complet",
  max_achats: "le nombre d'achats était atteint",
  budget_total: "le budget était dépensé",
  echecs: "trop d'échecs",
};

interface KnownByNow {
  /** The filter's group; it may be open again. */
  readonly group: Pick<Groupe, "etat"> | undefined;
  /** Number of purchases as `max_achats` counts them; undefined until it is read. */
  readonly bought: number | undefined;
}

/** Why automatic buying was stopped, in the present tense if the limit still applies; null if it was not. */
export function stopText(
  { arret, max_achats: most }: Pick<Filtre, "arret" | "max_achats">,
  { group, bought = 0 }: KnownByNow,
): string | null {
  if (arret === null) return null;
  if (arret.raison === "groupe" && group?.etat === "complet") return "groupe complet";
  if (arret.raison === "max_achats" && most !== null && bought >= most) return "nombre d'achats atteint";
  return STOP_TEXTS[arret.raison];
}

/** The criteria that public filters show too. */
type Criteria = Pick<Filtre, "types" | "brands" | "sizes" | "status" | "color" | "limit"> &
  Partial<Pick<Filtre, "limit_min">>;

type CriteriaColumn = Exclude<ColumnName, "Moyen de paiement" | "Info supp">;

/** The distinct names of a selection ("Jeans" exists for women and for men); `all` if it is empty. */
function namesOr({ ids, names }: Selection, all: string): string {
  if (ids.length === 0) return all;
  // A selection whose names could not be read must not look like no selection.
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
