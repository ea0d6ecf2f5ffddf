import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, useState } from "react";
import type { Filtre } from "#contract/filtre.ts";
import { call, errorText } from "../../api/client.ts";
import { useLiveFeed } from "../../api/live-feed.ts";
import { queries, reloadEverything } from "../../api/queries.ts";
import { useSession } from "../../api/session.ts";
import { formatCounted, formatQuoted } from "../../ui/format.ts";
import { LateWindow } from "../../ui/guard.tsx";
import { parseFlag, usePreference } from "../../ui/preference.ts";
import { showToast } from "../../ui/toasts/toast.tsx";
import { useAsk } from "../../ui/windows/ask.tsx";
import { keepFocus } from "../../ui/windows/keep-focus.ts";
import { useFilterActivity } from "./filtre-activity.tsx";
import { COLUMNS_KEY, DEFAULT_COLUMNS, MANAGE_KEY, parseColumns, SORT_KEY } from "./filtre-facts.ts";
import { FiltresGrid } from "./filtres-grid.tsx";
import { ColumnChips, FiltresHeader, FiltresTools, ViewTabs } from "./filtres-header.tsx";
import { PublicFilters } from "./public-filters.tsx";
import { MANY_FILTERS, parseSort, shownFilters, type FiltresView } from "./shown-filters.ts";
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
  const isPublic = vue === "publics";
  const { shown, tools, activities, isPartial } = useShownFilters(filters.data, isPublic ? undefined : vue);
  // Of the view that is shown: nothing that is out of sight is deleted.
  const [selection, setSelection] = useState<Selection>({ vue, ids: NONE });
  const selectedIds = selection.vue === vue ? selection.ids : NONE;
  const setSelectedIds = (ids: ReadonlySet<string>): void => setSelection({ vue, ids });
  const [form, setForm] = useState<FormState>({ isOpen: nouveau === true, edited: null });
  const deletion = useDeleteFilters((ids) => setSelectedIds(without(selectedIds, ids)));
  // Filters that were deleted elsewhere, or that the search excludes, are not selected.
  const selected = shown.map(({ _id }) => _id).filter((id) => selectedIds.has(id));

  const closeForm = (): void => {
    setForm({ ...form, isOpen: false });
    if (nouveau === true) void navigate({ search: vue === undefined ? {} : { vue }, replace: true });
  };
  if (user === null) return null;

  return (
    <div className="filtres">
      <FiltresHeader
        isPublic={isPublic}
        isManaging={isManaging}
        selectedCount={selected.length}
        isDeleting={deletion.isPending}
        onCreate={() => setForm({ isOpen: true, edited: null })}
        onManage={() => setIsManaging(!isManaging)}
        onDelete={() => void deletion.ask(selected)}
      />
      <ViewTabs />
      {isManaging && !isPublic ? <ColumnChips columns={columns} onChange={setColumns} /> : null}
      {tools === null || isPublic ? null : <FiltresTools {...tools} shownCount={shown.length} />}
      {vue === "publics" ? (
        <PublicFilters />
      ) : (
        <FiltresGrid
          filters={filters}
          shown={shown}
          view={vue}
          isSearch={tools !== null && tools.search.trim() !== ""}
          user={user}
          columns={columns}
          activities={activities}
          isPartial={isPartial}
          selectedIds={selectedIds}
          onSelect={setSelectedIds}
          onEdit={(edited) => setForm({ isOpen: true, edited })}
          onDelete={(filtre) => void deletion.ask([filtre._id], filtre.tag)}
          onCreate={() => setForm({ isOpen: true, edited: null })}
        />
      )}
      <LateWindow isOpen={form.isOpen}>
        <FiltreFormModal isOpen={form.isOpen} edited={form.edited} onClose={closeForm} />
      </LateWindow>
    </div>
  );
}

/** The filters of a view in the order that the person chose; search and order are offered only where there are many. */
function useShownFilters(filters: readonly Filtre[] | undefined, view: FiltresView) {
  const [search, onSearch] = useState("");
  const [sort, onSort] = usePreference(SORT_KEY, parseSort, "recents");
  const { activities, isPartial } = useFilterActivity();
  const tools =
    filters !== undefined && filters.length >= MANY_FILTERS ? { search, onSearch, sort, onSort } : null;
  const shown = shownFilters(filters ?? [], {
    view,
    search: tools?.search ?? "",
    sort: tools?.sort ?? "recents",
    activities,
  });
  return { shown, tools, activities, isPartial };
}

function without(ids: ReadonlySet<string>, removed: readonly string[]): ReadonlySet<string> {
  const left = new Set(ids);
  for (const id of removed) left.delete(id);
  return left;
}

interface DeleteFilters {
  readonly isPending: boolean;
  /** Asks first, saying how many; one filter is named by its tag. */
  readonly ask: (ids: readonly string[], tag?: string) => Promise<void>;
}

function useDeleteFilters(onDeleted: (ids: readonly string[]) => void): DeleteFilters {
  const client = useQueryClient();
  const ask = useAsk();
  const feed = useLiveFeed();
  const { mutate, isPending } = useMutation({
    mutationFn: (ids: readonly string[]) => call("deleteFilters", { body: { IDs: [...ids] } }),
    onSuccess: ({ message }, ids) => {
      feed.dropFilters(ids);
      onDeleted(ids);
      showToast({ message });
    },
    onError: (error) => showToast({ message: errorText(error), tone: "bad" }),
    onSettled: async () => {
      await reloadEverything(client);
      // The card that was asked from is gone.
      keepFocus(() => document.querySelector<HTMLElement>("main"));
    },
  });
  return {
    isPending,
    ask: async (ids, tag) => {
      const what = tag === undefined ? formatCounted(ids.length, "filtre", "filtres") : formatQuoted(tag);
      const isSure = await ask({
        title: `Supprimer ${what} ?`,
        text: "La recherche s'arrête aussitôt. Vos achats restent.",
        action: tag === undefined ? `Supprimer ${what}` : "Supprimer",
        keep: ids.length === 1 ? "Garder le filtre" : "Garder les filtres",
        isDangerous: true,
      });
      if (isSure) mutate(ids);
    },
  };
}
