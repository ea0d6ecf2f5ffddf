import { columnNames, withColumnToggled, type ColumnName } from "./filtre-columns.ts";
import "./column-chips.css";

export const COLUMN_CHIPS_ID = "colonnes-des-filtres";

interface ColumnChipsProps {
  readonly columns: readonly ColumnName[];
  readonly onChange: (columns: readonly ColumnName[]) => void;
}

/** What the cards show: a touch shows a fact or hides it. */
export function ColumnChips({ columns, onChange }: ColumnChipsProps) {
  return (
    <div id={COLUMN_CHIPS_ID} className="column-chips" role="group" aria-label="Informations affichées">
      {columnNames.map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={columns.includes(name)}
          onClick={() => onChange(withColumnToggled(columns, name))}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
