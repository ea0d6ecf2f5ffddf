import { IconAdjustmentsHorizontal, IconBolt } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { Filtre } from "#contract/filtre.ts";
import { useFiltreFlag } from "../../api/filter-commands.ts";
import "./filter-chips.css";

interface FilterChipsProps {
  readonly id: string;
  readonly filtres: readonly Filtre[];
}

/** Every filter by its tag; a touch switches it on or off. */
export function FilterChips({ id, filtres }: FilterChipsProps) {
  return (
    <div id={id} className="filter-chips" role="group" aria-label="Filtres actifs">
      {filtres.map((filtre) => (
        <FilterChip key={filtre._id} filtre={filtre} />
      ))}
      <Link to="/synapse/filtres" className="filter-chip filter-chip--link">
        <IconAdjustmentsHorizontal size={16} stroke={1.8} aria-hidden="true" />
        Gérer mes filtres
      </Link>
    </div>
  );
}

function FilterChip({ filtre }: { readonly filtre: Filtre }) {
  const active = useFiltreFlag(filtre, "active");
  return (
    <button
      type="button"
      className="filter-chip"
      aria-pressed={active.isOn}
      aria-busy={active.isBusy}
      onClick={() => active.set(!active.isOn)}
    >
      <span className="filter-chip__lamp" aria-hidden="true" />
      <span className="filter-chip__tag">{filtre.tag}</span>
      {filtre.autobuy ? <IconBolt size={14} stroke={2} aria-label="Achat automatique" /> : null}
    </button>
  );
}
