/** Which facts the filter cards show: chosen by the person, kept in the browser (specification §2). */

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

/** The known columns of what was kept, in the order of the cards; undefined when it is no list at all. */
export function parseColumns(stored: unknown): readonly ColumnName[] | undefined {
  if (!Array.isArray(stored)) return undefined;
  return columnNames.filter((name) => stored.includes(name));
}

/** Shows a column that was hidden, or hides it. */
export function withColumnToggled(columns: readonly ColumnName[], name: ColumnName): readonly ColumnName[] {
  return columnNames.filter((each) => (each === name) !== columns.includes(each));
}
