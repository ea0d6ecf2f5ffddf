import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useState } from "react";
import { planByKey } from "#catalogue/plans.ts";
import type { Filtre } from "#contract/filtres/filtre.ts";
import type { Groupe } from "#contract/filtres/regles.ts";
import { call } from "../../api/client.ts";
import { useLiveFeed } from "../../api/live/live-feed.ts";
import { queries, reloadEverything } from "../../api/queries.ts";
import { hasSharedFilter, takeSharedFilter } from "../../api/shared-filter.ts";
import { useSession } from "../../api/session.ts";
import { formatCounted, formatQuoted } from "../../ui/format-panel.ts";
import { LazyWindow } from "../../ui/loading/guard.tsx";
import { lazyPart } from "../../ui/loading/lazy-part.ts";
import { parseFlag, usePreference } from "../../ui/preference.ts";
import { showError, showToast } from "../../ui/toasts/show-toast.ts";
import { useAsk } from "../../ui/windows/ask.tsx";
import { keepFocusInPage } from "../../ui/windows/keep-focus.ts";
import type { LinkedFilter } from "./filter-link.ts";
import { useFilterActivity } from "./filtre-activity.tsx";
import { COLUMNS_KEY, DEFAULT_COLUMNS, MANAGE_KEY, parseColumns, SORT_KEY } from "./filtre-facts.ts";
import { FiltresGrid } from "./filtres-grid.tsx";
import { ColumnChips, FiltresHeader, FiltresTools, SelectionBar, ViewTabs } from "./filtres-header.tsx";
import { copyOf, linkedDraft, type FiltreDraft } from "./form/draft.ts";
import { GroupRows } from "./group-rows.tsx";
import { PublicFilters } from "./public-filters.tsx";
import { MANY_FILTERS, parseSort, shownFilters, type FiltresView } from "./shown-filters.ts";
import "./filtres-page.css";

const FiltreFormModal = lazyPart(async () => (await import("./form/filtre-form-modal.tsx")).FiltreFormModal);

const BulkEditModal = lazyPart(async () => (await import("./bulk-edit-modal.tsx")).BulkEditModal);

const GroupModal = lazyPart(async () => (await import("./group-modal.tsx")).GroupModal);

const ImportModal = lazyPart(async () => (await import("./import-modal.tsx")).ImportModal);

const NONE: ReadonlySet<string> = new Set();
const NO_GROUPS: readonly Groupe[] = [];

interface Selection {
  readonly vue: string | undefined;
  readonly ids: ReadonlySet<string>;
}

interface FormState {
  /** The view in which it was opened. */
  readonly vue: string | undefined;
  readonly isOpen: boolean;
  readonly edited: Filtre | null;
  /** The initial values of a new filter. */
  readonly template: FiltreDraft | null;
  /** Where the template comes from, and what was left out of it. */
  readonly remark: string | null;
}

const NEW_FILTER = { isOpen: true, edited: null, template: null, remark: null };

export function FiltresPage() {
  const { vue, nouveau, ...linked } = useSearch({ from: "/synapse/filtres" });
  const navigate = useNavigate({ from: "/synapse/filtres" });
  const { user } = useSession();
  const filters = useQuery(queries.filters);
  const [columns, setColumns] = usePreference(COLUMNS_KEY, parseColumns, DEFAULT_COLUMNS);
  const [isManaging, setIsManaging] = usePreference(MANAGE_KEY, parseFlag, false);
  const isPublic = vue === "publics";
  const hasFilters = filters.data?.length !== 0;
  const { shown, tools, activities, isPartial } = useShownFilters(filters.data, isPublic ? undefined : vue);
  const isManageable = filters.data === undefined ? !filters.isError : shown.length > 0;
  // A selection applies only to the view it was made in: no hidden filter is deleted.
  const [selection, setSelection] = useState<Selection>({ vue, ids: NONE });
  const selectedIds = selection.vue === vue ? selection.ids : NONE;
  const setSelectedIds = (ids: ReadonlySet<string>): void => setSelection({ vue, ids });
  const [form, setForm] = useState<FormState>(() => ({
    ...NEW_FILTER,
    vue,
    isOpen: nouveau === true,
    template: linkedDraft(linked),
  }));
  const openForm = (changes: Partial<FormState> = {}): void => setForm({ ...NEW_FILTER, vue, ...changes });
  useSharedFilter((template, remark) => openForm({ template, remark }));
  // After several the selection is cleared (specification §4), also of filters that the search excludes.
  const deletion = useDeleteFilters((ids) =>
    setSelectedIds(ids.length > 1 ? NONE : without(selectedIds, ids)),
  );
  // Filters that were deleted elsewhere, or that the search excludes, are not selected.
  const selected = shown.map(({ _id }) => _id).filter((id) => selectedIds.has(id));

  const [isChanging, setIsChanging] = useState(false);
  const readGroups = useQuery(queries.groups);
  const groups = readGroups.data ?? NO_GROUPS;
  const [groupForm, setGroupForm] = useState<{ readonly isOpen: boolean; readonly edited: Groupe | null }>({
    isOpen: false,
    edited: null,
  });
  const [isImporting, setIsImporting] = useState(false);

  // Changing the view closes the form too.
  const isFormOpen = form.isOpen && form.vue === vue;
  const closeForm = (): void => {
    setForm({ ...form, isOpen: false });
    if (nouveau !== true) return;
    // At once: a screen that is opened after saving must come second.
    void navigate({ search: vue === undefined ? {} : { vue }, replace: true, ignoreBlocker: true });
  };
  const closeGroupForm = (): void => setGroupForm({ ...groupForm, isOpen: false });
  if (user === null) return null;
  const { hasAutobuy } = planByKey(user.plan);

  return (
    <div className="filtres stack">
      <FiltresHeader
        isPublic={isPublic}
        hasFilters={hasFilters}
        isManageable={isManageable}
        hasAutobuy={hasAutobuy}
        isManaging={isManaging}
        selectedCount={selected.length}
        isDeleting={deletion.isPending}
        onCreate={() => openForm()}
        onManage={() => setIsManaging(!isManaging)}
        onDelete={() => void deletion.ask(selected)}
        onImport={() => setIsImporting(true)}
        onExport={() => void saveFilters(selected)}
      />
      <SelectionBar
        selectedCount={isPublic ? 0 : selected.length}
        hasAutobuy={hasAutobuy}
        onChange={() => setIsChanging(true)}
        onGroup={() => setGroupForm({ isOpen: true, edited: null })}
        onExport={() => void saveFilters(selected)}
      />
      <ViewTabs />
      {isManaging && isManageable && !isPublic ? (
        <ColumnChips columns={columns} onChange={setColumns} />
      ) : null}
      {tools === null || isPublic ? null : <FiltresTools {...tools} shownCount={shown.length} />}
      {isPublic ? null : (
        <GroupRows query={readGroups} onEdit={(edited) => setGroupForm({ isOpen: true, edited })} />
      )}
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
          groups={groups}
          isPartial={isPartial}
          selectedIds={selectedIds}
          onSelect={setSelectedIds}
          onEdit={(edited) => openForm({ edited })}
          onDuplicate={(filtre) => openForm({ template: copyOf(filtre) })}
          onDelete={(filtre) => void deletion.ask([filtre._id], filtre.tag)}
          onCreate={() => openForm()}
        />
      )}
      <LazyWindow isOpen={isFormOpen} onClose={closeForm} isPreloaded>
        <FiltreFormModal {...form} isOpen={isFormOpen} onClose={closeForm} />
      </LazyWindow>
      <LazyWindow isOpen={isChanging} onClose={() => setIsChanging(false)} isPreloaded>
        <BulkEditModal
          isOpen={isChanging}
          ids={selected}
          hasAutobuy={hasAutobuy}
          onClose={() => setIsChanging(false)}
        />
      </LazyWindow>
      <LazyWindow isOpen={groupForm.isOpen} onClose={closeGroupForm} isPreloaded>
        <GroupModal
          {...groupForm}
          selectedIds={selected}
          filters={filters.data ?? []}
          onClose={closeGroupForm}
        />
      </LazyWindow>
      <LazyWindow isOpen={isImporting} onClose={() => setIsImporting(false)} isPreloaded>
        <ImportModal isOpen={isImporting} onClose={() => setIsImporting(false)} />
      </LazyWindow>
    </div>
  );
}

/** Downloads filters as a file. @param selected empty: all */
async function saveFilters(selected: readonly string[]): Promise<void> {
  try {
    const { exportFilters } = await import("./filter-file.ts");
    const message = await exportFilters(selected.length === 0 ? undefined : selected);
    showToast({ message, tone: "neutral" });
  } catch (error) {
    showError(error);
  }
}

const UNREADABLE_LINK_TEXT = "Ce lien ne contient pas de filtre lisible : demandez-en un autre.";

/** Opens the form with the filter of a shared link, once per link; nothing is saved. */
function useSharedFilter(onRead: (draft: FiltreDraft, remark: string) => void): void {
  const take = useEffectEvent(async () => {
    if (!hasSharedFilter()) return;
    let linked;
    try {
      linked = await readSharedFilter();
    } catch (error) {
      // Its code could not be loaded: the link is still there after a reload.
      showError(error);
      return;
    }
    if (linked === undefined) return;
    if (linked === null) {
      showToast({ message: UNREADABLE_LINK_TEXT, tone: "bad" });
      return;
    }
    const left = linked.leftOut.length === 0 ? "" : ` Laissé de côté : ${linked.leftOut.join(" ; ")}.`;
    onRead(linked.draft, `Filtre reçu par un lien, à relire avant de le créer.${left}`);
  });
  useEffect(() => {
    const takeNext = (): void => void take();
    takeNext();
    window.addEventListener("hashchange", takeNext);
    return () => window.removeEventListener("hashchange", takeNext);
  }, []);
}

/** Undefined if it was read meanwhile; null if it is no filter. */
async function readSharedFilter(): Promise<LinkedFilter | null | undefined> {
  const [{ unpackFilter }, { brandById }] = await Promise.all([
    import("./filter-link.ts"),
    import("#catalogue/brand-titles.ts"),
  ]);
  const payload = takeSharedFilter();
  return payload === null ? undefined : await unpackFilter(payload, (id) => brandById(id)?.title);
}

/** The view's filters, searched and sorted; `tools` is null where there are too few filters for that. */
function useShownFilters(filters: readonly Filtre[] | undefined, view: FiltresView) {
  const [search, onSearch] = useState("");
  const [sort, onSort] = usePreference(SORT_KEY, parseSort, "recents");
  const { activities, isPartial } = useFilterActivity();
  const tools =
    filters !== undefined && filters.length >= MANY_FILTERS ? { search, onSearch, sort, onSort } : null;
  const arrangement = { view, search: tools?.search ?? "", sort: tools?.sort ?? "recents" };
  const sortedBy = useSteady(
    activities,
    JSON.stringify([arrangement, activities === undefined, filters?.map(({ _id }) => _id)]),
  );
  const shown = shownFilters(filters ?? [], { ...arrangement, activities: sortedBy });
  return { shown, tools, activities, isPartial };
}

/** A value as of the last change of `reason`: cards that are counted again do not move under the pointer. */
function useSteady<Value>(value: Value, reason: string): Value {
  const [kept, setKept] = useState({ value, reason });
  if (kept.reason !== reason) setKept({ value, reason });
  return kept.value;
}

function without(ids: ReadonlySet<string>, removed: readonly string[]): ReadonlySet<string> {
  const left = new Set(ids);
  for (const id of removed) left.delete(id);
  return left;
}

interface DeleteFilters {
  readonly isPending: boolean;
  /** Asks for confirmation first. `tag` names a single filter in the question. */
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
    onError: showError,
    onSettled: async () => {
      await reloadEverything(client);
      // The card with the focused button has been unmounted.
      keepFocusInPage();
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
