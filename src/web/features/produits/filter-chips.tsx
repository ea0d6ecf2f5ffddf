import { IconAdjustmentsHorizontal, IconBolt } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Filtre } from "#contract/filtres/filtre.ts";
import { useFiltreFlag } from "../../api/commands.ts";
import { formatCount } from "../../ui/format.ts";
import { formatQuoted, plural } from "../../ui/format-panel.ts";
import { hideToast, showToast } from "../../ui/toasts/show-toast.ts";
import "./filter-chips.css";

interface FilterChipsProps {
  readonly id: string;
  readonly filtres: readonly Filtre[];
}

/** One line with a toggle per filter. */
export function FilterChips({ id, filtres }: FilterChipsProps) {
  const ordered = useActiveFirst(filtres);
  const activeCount = filtres.filter(({ active }) => active).length;
  return (
    <div id={id} className="filter-chips line">
      {filtres.length === 0 ? null : (
        <>
          <p className="filter-chips__count hint">
            <span>
              {formatCount(activeCount)} {plural(activeCount, "actif", "actifs")} sur{" "}
              {formatCount(filtres.length)}
            </span>
            <span aria-hidden="true">
              {formatCount(activeCount)}/{formatCount(filtres.length)}
            </span>
          </p>
          <div className="filter-chips__line" role="group" aria-label="Filtres actifs">
            {ordered.map((filtre) => (
              <FilterChip key={filtre._id} filtre={filtre} />
            ))}
          </div>
        </>
      )}
      <Link
        to="/synapse/filtres"
        className="chip line filter-chip filter-chip--link"
        aria-label="Gérer mes filtres"
      >
        <IconAdjustmentsHorizontal size={16} stroke={1.8} aria-hidden="true" />
        <span className="filter-chip__tag clip">Gérer mes filtres</span>
      </Link>
    </div>
  );
}

/** Active filters first, as of when the bar was opened: a chip that is toggled keeps its place. */
function useActiveFirst(filtres: readonly Filtre[]): readonly Filtre[] {
  const [order, setOrder] = useState(() => idsActiveFirst(filtres));
  const byId = new Map(filtres.map((filtre) => [filtre._id, filtre]));
  if (order.length !== byId.size || order.some((id) => !byId.has(id))) setOrder(idsActiveFirst(filtres));
  return order.flatMap((id) => byId.get(id) ?? []);
}

function idsActiveFirst(filtres: readonly Filtre[]): readonly string[] {
  return filtres.toSorted((one, other) => Number(other.active) - Number(one.active)).map(({ _id }) => _id);
}

function FilterChip({ filtre }: { readonly filtre: Filtre }) {
  const active = useFiltreFlag(filtre, "active", (isOn, change) => sayActive(filtre, isOn, change));
  return (
    <button
      type="button"
      className="chip line filter-chip"
      aria-pressed={active.isOn}
      aria-busy={active.isBusy}
      onClick={() => active.set(!active.isOn)}
    >
      <span className="filter-chip__lamp" aria-hidden="true" />
      <span className="filter-chip__tag clip">{filtre.tag}</span>
      {filtre.autobuy ? <IconBolt size={14} stroke={2} aria-label="Achat automatique" /> : null}
    </button>
  );
}

/** Says that a pause begins, with an undo, since a paused filter neither finds nor buys; its end only ends that. */
function sayActive({ _id, tag }: Filtre, isOn: boolean, change: (next: boolean) => void): void {
  const id = `filtre-${_id}`;
  if (isOn) {
    hideToast(id);
    return;
  }
  showToast({
    id,
    tone: "neutral",
    message: (
      <>
        <p>Filtre {formatQuoted(tag)} en pause : ce qu'il avait trouvé est estompé.</p>
        <button type="button" className="toast__link" onClick={() => change(true)}>
          Annuler
        </button>
      </>
    ),
  });
}
