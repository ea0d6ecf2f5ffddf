import { Button, Skeleton } from "@mantine/core";
import { IconFilterOff } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import type { Filtre } from "#contract/filtre.ts";
import type { Utilisateur } from "#contract/utilisateur.ts";
import { ButtonLink } from "../../ui/button-link.tsx";
import { ReadFailed, ScreenState } from "../../ui/screen-state.tsx";
import { FiltreCard } from "./filtre-card.tsx";
import type { ColumnName } from "./filtre-columns.ts";

const SKELETONS = 6;

type View = "autobuy" | "prives" | undefined;

interface FiltresGridProps {
  readonly filters: UseQueryResult<readonly Filtre[]>;
  readonly view: View;
  readonly user: Utilisateur;
  readonly columns: readonly ColumnName[];
  readonly selectedIds: ReadonlySet<string>;
  readonly onSelect: (ids: ReadonlySet<string>) => void;
  readonly onEdit: (filtre: Filtre) => void;
  readonly onDelete: (filtre: Filtre) => void;
  readonly onCreate: () => void;
}

export function FiltresGrid(props: FiltresGridProps) {
  const { filters, view, user, columns, selectedIds, onSelect, onEdit, onDelete, onCreate } = props;
  if (filters.data === undefined) {
    return filters.isError ? (
      <ReadFailed what="Vos filtres" onRetry={() => void filters.refetch()} />
    ) : (
      <div className="filtres__grid" role="status" aria-busy="true" aria-label="Chargement des filtres">
        {Array.from({ length: SKELETONS }, (_, index) => (
          <Skeleton key={index} height={196} radius="lg" />
        ))}
      </div>
    );
  }
  const shown = filters.data.filter((filtre) => isInView(filtre, view));
  if (shown.length === 0) return <NoFiltres view={view} onCreate={onCreate} />;
  const select = (id: string, isSelected: boolean): void => {
    const next = new Set(selectedIds);
    if (isSelected) next.add(id);
    else next.delete(id);
    onSelect(next);
  };
  return (
    <div className="filtres__grid">
      {shown.map((filtre) => (
        <FiltreCard
          key={filtre._id}
          filtre={filtre}
          user={user}
          columns={columns}
          isSelected={selectedIds.has(filtre._id)}
          onSelect={(isSelected) => select(filtre._id, isSelected)}
          onEdit={() => onEdit(filtre)}
          onDelete={() => onDelete(filtre)}
        />
      ))}
    </div>
  );
}

function isInView(filtre: Filtre, view: View): boolean {
  if (view === "autobuy") return filtre.active && filtre.autobuy;
  return view === "prives" ? filtre.private : true;
}

function emptyText(view: View): string {
  if (view === "autobuy") return "Vous n'avez pas de filtres actifs en achat automatique.";
  return view === "prives" ? "Vous n'avez pas de filtres privés." : "Vous n'avez pas de filtres.";
}

function NoFiltres({ view, onCreate }: { readonly view: View; readonly onCreate: () => void }) {
  return (
    <ScreenState
      icon={<IconFilterOff size={28} stroke={1.6} />}
      title="Aucuns filtres trouvés"
      text={emptyText(view)}
    >
      {view === undefined ? (
        <Button onClick={onCreate}>Créer un filtre</Button>
      ) : (
        <ButtonLink to="/synapse/filtres">Voir tous les filtres</ButtonLink>
      )}
    </ScreenState>
  );
}
