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
  /** Other people's filters are looked at: nothing of one's own is to be managed or deleted. */
  readonly isPublic: boolean;
  /** There are filters of one's own. */
  readonly isAny: boolean;
  /** The plan buys automatically: what groups are for. */
  readonly hasAutobuy: boolean;
  readonly isManaging: boolean;
  readonly selectedCount: number;
  readonly isDeleting: boolean;
  readonly onCreate: () => void;
  readonly onManage: () => void;
  /** Changes the selected filters together. */
  readonly onChange: () => void;
  /** Lets the selected filters buy together. */
  readonly onGroup: () => void;
  readonly onDelete: () => void;
  readonly onImport: () => void;
  /** Of the selected filters, or of all where none is. */
  readonly onExport: () => void;
}

export function FiltresHeader(props: FiltresHeaderProps) {
  const { isPublic, isAny, hasAutobuy, isManaging, selectedCount, isDeleting, onCreate, onManage } = props;
  const { onChange, onGroup, onDelete, onImport, onExport } = props;
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
              {isAny ? (
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
              {selectedCount === 0 ? null : (
                <>
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
                </>
              )}
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
              {selectedCount === 0 ? (
                <PageMenu hasExport={isAny} onImport={onImport} onExport={onExport} />
              ) : null}
            </>
          )}
        </>
      }
    />
  );
}

interface PageMenuProps {
  readonly hasExport: boolean;
  readonly onImport: () => void;
  readonly onExport: () => void;
}

/** Without filters there is nothing to export; with a selection its own buttons take this one's place. */
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

/** Which filters are looked at; each view has an address of its own. */
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

/** What the cards show: a touch shows a fact or hides it. */
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

/** Search and order, where there are many filters. */
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
