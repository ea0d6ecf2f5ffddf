import { Button } from "@mantine/core";
import { IconFilterOff } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import type { Groupe } from "#contract/filtres/regles.ts";
import type { Utilisateur } from "#contract/compte.ts";
import type { ReadFilter } from "../../api/panel-answers.ts";
import { Guard } from "../../ui/loading/guard.tsx";
import { ButtonLink, LeftOut, ReadFailed, ScreenState } from "../../ui/notice.tsx";
import { LoadingList } from "../../ui/loading/unread-part.tsx";
import type { Activities } from "./filtre-activity.tsx";
import { FiltreCard, PartialFiltreCard } from "./filtre-card.tsx";
import type { ColumnName } from "./filtre-facts.ts";
import type { FiltresView } from "./shown-filters.ts";

const SKELETONS_PX = [248, 248, 248, 248, 248, 248];

interface FiltresGridProps {
  readonly filters: UseQueryResult<readonly ReadFilter[]>;
  /** The filters of the view that match the search, sorted. */
  readonly shown: readonly ReadFilter[];
  readonly view: FiltresView;
  readonly isSearch: boolean;
  readonly user: Utilisateur;
  readonly columns: readonly ColumnName[];
  readonly activities: Activities | undefined;
  readonly groups: readonly Groupe[];
  readonly isPartial: boolean;
  readonly selectedIds: ReadonlySet<string>;
  readonly onSelect: (ids: ReadonlySet<string>) => void;
  readonly onEdit: (filtre: ReadFilter) => void;
  readonly onDuplicate: (filtre: ReadFilter) => void;
  readonly onDelete: (filtre: ReadFilter) => void;
  readonly onCreate: () => void;
}

export function FiltresGrid(props: FiltresGridProps) {
  const { filters, shown, view, isSearch, user, columns, activities, groups, isPartial, selectedIds } = props;
  const { onSelect, onEdit, onDuplicate, onDelete, onCreate } = props;
  if (filters.data === undefined) {
    return filters.isError ? (
      <ReadFailed what="Vos filtres" onRetry={filters.refetch} />
    ) : (
      <LoadingList className="filtres__grid" label="Chargement des filtres" heights={SKELETONS_PX} />
    );
  }
  if (shown.length === 0) return <NoFiltres view={view} isSearch={isSearch} onCreate={onCreate} />;
  const select = (id: string, isSelected: boolean): void => {
    const next = new Set(selectedIds);
    if (isSelected) next.add(id);
    else next.delete(id);
    onSelect(next);
  };
  return (
    <div className="filtres__grid">
      {shown.map((filtre) => (
        <Guard
          key={filtre._id}
          of={filtre}
          fallback={<PartialFiltreCard filtre={filtre} onDelete={() => onDelete(filtre)} />}
        >
          <FiltreCard
            filtre={filtre}
            user={user}
            columns={columns}
            activity={activities?.get(filtre._id)}
            group={groups.find(({ _id }) => _id === filtre.groupe)}
            isPartial={isPartial}
            isSelected={selectedIds.has(filtre._id)}
            onSelect={(isSelected) => select(filtre._id, isSelected)}
            onEdit={() => onEdit(filtre)}
            onDuplicate={() => onDuplicate(filtre)}
            onDelete={() => onDelete(filtre)}
          />
        </Guard>
      ))}
      <LeftOut list="filters" one="filtre" many="filtres" />
    </div>
  );
}

function emptyText(view: FiltresView, isSearch: boolean): string {
  if (isSearch) return "Aucun de vos filtres ne correspond à la recherche.";
  if (view === "autobuy") return "Vous n'avez pas de filtres actifs en achat automatique.";
  return view === "prives" ? "Vous n'avez pas de filtres privés." : "Vous n'avez pas de filtres.";
}

type NoFiltresProps = Pick<FiltresGridProps, "view" | "isSearch" | "onCreate">;

function NoFiltres({ view, isSearch, onCreate }: NoFiltresProps) {
  return (
    <ScreenState
      icon={<IconFilterOff size={28} stroke={1.6} />}
      title="Aucuns filtres trouvés"
      text={emptyText(view, isSearch)}
    >
      {isSearch ? null : view === undefined ? (
        <Button onClick={onCreate}>Créer un filtre</Button>
      ) : (
        <ButtonLink to="/synapse/filtres">Voir tous les filtres</ButtonLink>
      )}
    </ScreenState>
  );
}
