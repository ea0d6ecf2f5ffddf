import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import type { Filtre } from "#contract/filtre.ts";
import { queries } from "../../api/queries.ts";
import { useSession } from "../../api/session.ts";
import { parseFlag, usePreference } from "../../ui/preference.ts";
import { ColumnChips } from "./column-chips.tsx";
import { COLUMNS_KEY, DEFAULT_COLUMNS, MANAGE_KEY, parseColumns } from "./filtre-columns.ts";
import { FiltresGrid } from "./filtres-grid.tsx";
import { FiltresHeader } from "./filtres-header.tsx";
import { PublicFilters } from "./public-filters.tsx";
import { useDeleteFilters } from "./use-delete-filters.ts";
import { ViewTabs } from "./view-tabs.tsx";
import "./filtres-page.css";

const FiltreFormModal = lazy(async () => ({
  default: (await import("./form/filtre-form-modal.tsx")).FiltreFormModal,
}));

const NONE: ReadonlySet<string> = new Set();

interface Selection {
  readonly vue: string | undefined;
  readonly ids: ReadonlySet<string>;
}

interface FormState {
  readonly isOpen: boolean;
  readonly edited: Filtre | null;
}

export function FiltresPage() {
  const { vue, nouveau } = useSearch({ from: "/synapse/filtres" });
  const navigate = useNavigate({ from: "/synapse/filtres" });
  const { user } = useSession();
  const filters = useQuery(queries.filters);
  const [columns, setColumns] = usePreference(COLUMNS_KEY, parseColumns, DEFAULT_COLUMNS);
  const [isManaging, setIsManaging] = usePreference(MANAGE_KEY, parseFlag, false);
  // Of the view that is shown: nothing that is out of sight is deleted.
  const [selection, setSelection] = useState<Selection>({ vue, ids: NONE });
  const selectedIds = selection.vue === vue ? selection.ids : NONE;
  const setSelectedIds = (ids: ReadonlySet<string>): void => setSelection({ vue, ids });
  const [form, setForm] = useState<FormState>({ isOpen: nouveau === true, edited: null });
  const deletion = useDeleteFilters((ids) => setSelectedIds(without(selectedIds, ids)));
  // What was deleted elsewhere is no longer selected.
  const known = new Set(filters.data?.map(({ _id }) => _id));
  const selected = [...selectedIds].filter((id) => known.has(id));

  const closeForm = (): void => {
    setForm({ ...form, isOpen: false });
    if (nouveau === true) void navigate({ search: vue === undefined ? {} : { vue }, replace: true });
  };
  if (user === null) return null;

  return (
    <div className="filtres">
      <FiltresHeader
        isManaging={isManaging}
        selectedCount={selected.length}
        isDeleting={deletion.isPending}
        onCreate={() => setForm({ isOpen: true, edited: null })}
        onManage={() => setIsManaging(!isManaging)}
        onDelete={() => void deletion.ask(selected)}
      />
      <ViewTabs />
      {isManaging ? <ColumnChips columns={columns} onChange={setColumns} /> : null}
      {vue === "publics" ? (
        <PublicFilters />
      ) : (
        <FiltresGrid
          filters={filters}
          view={vue}
          user={user}
          columns={columns}
          selectedIds={selectedIds}
          onSelect={setSelectedIds}
          onEdit={(edited) => setForm({ isOpen: true, edited })}
          onDelete={(filtre) => void deletion.ask([filtre._id], filtre.tag)}
          onCreate={() => setForm({ isOpen: true, edited: null })}
        />
      )}
      <Suspense>
        <FiltreFormModal isOpen={form.isOpen} edited={form.edited} onClose={closeForm} />
      </Suspense>
    </div>
  );
}

function without(ids: ReadonlySet<string>, removed: readonly string[]): ReadonlySet<string> {
  const left = new Set(ids);
  for (const id of removed) left.delete(id);
  return left;
}
