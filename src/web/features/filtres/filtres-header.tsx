import { ActionIcon, Button, NativeSelect, TextInput } from "@mantine/core";
import {
  IconAdjustments,
  IconEdit,
  IconFileDownload,
  IconFileUpload,
  IconPlus,
  IconSearch,
  IconStack2,
  IconTrash,
} from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { formatCounted } from "../../ui/format-panel.ts";
import { ActionMenu } from "../../ui/action-menu.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Tip } from "../../ui/tag-badge.tsx";
import { columnNames, withColumnToggled, type ColumnName } from "./filtre-facts.ts";
import { parseSort, sorts, type SortKey } from "./shown-filters.ts";

const COLUMN_CHIPS_ID = "colonnes-des-filtres";

interface FiltresHeaderProps {
  /** The view shows other users' filters: there is nothing to manage or delete. */
  readonly isPublic: boolean;
  /** The user has filters. */
  readonly hasFilters: boolean;
  /** The view shows filters, whose columns can be chosen. */
  readonly isManageable: boolean;
  /** The plan includes automatic buying. */
  readonly hasAutobuy: boolean;
  readonly isManaging: boolean;
  readonly selectedCount: number;
  readonly isDeleting: boolean;
  readonly onCreate: () => void;
  readonly onManage: () => void;
  readonly onDelete: () => void;
  readonly onImport: () => void;
  /** Exports all filters. */
  readonly onExport: () => void;
}

export function FiltresHeader(props: FiltresHeaderProps) {
  const { isPublic, hasFilters, isManageable, hasAutobuy, isManaging, selectedCount, isDeleting } = props;
  const { onCreate, onManage, onDelete, onImport, onExport } = props;
  const deleteLabel =
    selectedCount === 0
      ? "Supprimer les filtres sélectionnés"
      : `Supprimer ${formatCounted(selectedCount, "filtre sélectionné", "filtres sélectionnés")}`;
  return (
    <PageHeader
      title="Mes filtres"
      subtitle={hasAutobuy ? "Gérez ce que Synapse cherche et achète." : "Gérez ce que Synapse cherche."}
      actions={
        <>
          <Button variant="filled" leftSection={<IconPlus size={18} stroke={2.4} />} onClick={onCreate}>
            Créer un nouveau filtre
          </Button>
          {isPublic ? null : (
            <>
              {isManageable ? (
                <Button
                  className="filtres__manage"
                  leftSection={<IconAdjustments size={18} stroke={1.8} />}
                  aria-expanded={isManaging}
                  aria-controls={COLUMN_CHIPS_ID}
                  onClick={onManage}
                >
                  Gérer
                </Button>
              ) : null}
              <Tip text={deleteLabel} align="end">
                <ActionIcon
                  variant={selectedCount > 0 ? "danger" : "subtle"}
                  aria-label={deleteLabel}
                  aria-disabled={selectedCount === 0}
                  loading={isDeleting}
                  onClick={() => (selectedCount > 0 ? onDelete() : undefined)}
                >
                  <IconTrash size={20} stroke={1.8} />
                </ActionIcon>
              </Tip>
              <PageMenu
                hasExport={hasFilters && selectedCount === 0}
                onImport={onImport}
                onExport={onExport}
              />
            </>
          )}
        </>
      }
    />
  );
}

interface SelectionBarProps {
  readonly selectedCount: number;
  /** The plan includes automatic buying, which groups are for. */
  readonly hasAutobuy: boolean;
  /** Opens the bulk edit of the selected filters. */
  readonly onChange: () => void;
  /** Opens the form for a group of the selected filters. */
  readonly onGroup: () => void;
  /** Exports the selected filters. */
  readonly onExport: () => void;
}

/** What can be done with the selected filters, over the page: it moves no card under the hand that selects the next. */
export function SelectionBar({ selectedCount, hasAutobuy, onChange, onGroup, onExport }: SelectionBarProps) {
  if (selectedCount === 0) return null;
  return (
    <div className="selection-bar" role="group" aria-label="Filtres sélectionnés">
      <Button leftSection={<IconEdit size={18} stroke={1.8} />} onClick={onChange}>
        Modifier ({selectedCount})
      </Button>
      {hasAutobuy ? (
        <Button leftSection={<IconStack2 size={18} stroke={1.8} />} onClick={onGroup}>
          Grouper
        </Button>
      ) : null}
      <Button leftSection={<IconFileDownload size={18} stroke={1.8} />} onClick={onExport}>
        Exporter
      </Button>
    </div>
  );
}

interface PageMenuProps {
  /** False also with a selection, which has an export button of its own. */
  readonly hasExport: boolean;
  readonly onImport: () => void;
  readonly onExport: () => void;
}

function PageMenu({ hasExport, onImport, onExport }: PageMenuProps) {
  return (
    <ActionMenu
      label="Importer ou exporter"
      actions={[
        { label: "Importer", icon: <IconFileUpload size={18} stroke={1.7} />, onSelect: onImport },
        ...(hasExport
          ? [{ label: "Exporter", icon: <IconFileDownload size={18} stroke={1.7} />, onSelect: onExport }]
          : []),
      ]}
    />
  );
}

const views = [
  { search: {}, label: "Tous" },
  { search: { vue: "autobuy" }, label: "Achat automatique" },
  { search: { vue: "prives" }, label: "Privés" },
  { search: { vue: "publics" }, label: "Filtres publics" },
] as const;

/** Each view has its own address. */
export function ViewTabs() {
  return (
    <nav className="view-tabs row" aria-label="Vues des filtres">
      {views.map(({ search, label }) => (
        <Link
          key={label}
          to="/synapse/filtres"
          search={search}
          activeOptions={{ exact: true, includeSearch: true }}
          activeProps={{ "aria-current": "page" }}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}

interface ColumnChipsProps {
  readonly columns: readonly ColumnName[];
  readonly onChange: (columns: readonly ColumnName[]) => void;
}

/** Toggles the facts that the cards show. */
export function ColumnChips({ columns, onChange }: ColumnChipsProps) {
  return (
    <div id={COLUMN_CHIPS_ID} className="buttons" role="group" aria-label="Informations affichées">
      {columnNames.map((name) => (
        <button
          key={name}
          type="button"
          className="chip"
          aria-pressed={columns.includes(name)}
          onClick={() => onChange(withColumnToggled(columns, name))}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

interface FiltresToolsProps {
  readonly search: string;
  readonly onSearch: (search: string) => void;
  readonly sort: SortKey;
  readonly onSort: (sort: SortKey) => void;
  readonly shownCount: number;
}

/** Search and sorting, shown from `MANY_FILTERS` filters on. */
export function FiltresTools({ search, onSearch, sort, onSort, shownCount }: FiltresToolsProps) {
  return (
    <div className="filtres__tools" role="search" aria-label="Mes filtres">
      <TextInput
        type="search"
        aria-label="Chercher dans mes filtres"
        placeholder="Chercher un filtre"
        leftSection={<IconSearch size={18} stroke={1.8} />}
        value={search}
        onChange={(event) => onSearch(event.currentTarget.value)}
        data-search
      />
      <NativeSelect
        aria-label="Trier les filtres"
        data={sorts.map(({ key, label }) => ({ value: key, label }))}
        value={sort}
        onChange={(event) => onSort(parseSort(event.currentTarget.value) ?? "recents")}
      />
      <p className="aside" role="status">
        {formatCounted(shownCount, "filtre", "filtres")}
      </p>
    </div>
  );
}
