/** Export of a person's filters as a file, and import. */
import { MAX_FILE_BYTES } from "#contract/bounds.ts";
import { calls } from "#contract/calls.ts";
import type { FichierInput } from "#contract/filtres/fichier-input.ts";
import { MAX_GROUPS_PER_USER } from "#domain/buying-rules.ts";
import { CHOICE_BOUNDS, MAX_FILTERS_PER_USER, type Filter } from "#domain/market/filter.ts";
import { asFilterId, asGroupId, type FilterId, type UserId } from "#domain/ids.ts";
import { presentFiltre } from "#presenters/filtre.ts";
import { countText } from "#presenters/french-texts.ts";
import type { FilterImport, ImportOutcome, NewFilter, SavedGroup } from "#store/market-store.ts";
import { editedFilter, newFilter } from "../filter-changes.ts";
import { fileOf, readFile, type FileEntry } from "../filter-file.ts";
import type { HttpDeps } from "../http-deps.ts";
import { Refusal, TEXTS } from "../refusal.ts";
import { type App, routeOf, visitorOf } from "../route-rule.ts";

/** The request also contains the positions of the chosen filters. */
const MAX_REQUEST_BYTES = MAX_FILE_BYTES + 4 * 1_024;

export function addFilterFileRoutes(app: App, deps: HttpDeps): void {
  const { store } = deps;

  app.route({
    ...routeOf(calls.exportFilters, { access: "subscriber", origin: "read", rate: "list", isInTurn: true }),
    handler: async (request) => {
      const { user } = visitorOf(request);
      const own = await store.filters.ofUser(user.id);
      const filters = chosenOf(own, request.query.ids);
      return { success: true as const, fichier: fileOf(filters, await store.groups.list(user.id)) };
    },
  });

  app.route({
    ...routeOf(calls.importFilters, {
      access: "subscriber",
      origin: "action",
      rate: "write",
      isInTurn: true,
    }),
    bodyLimit: MAX_REQUEST_BYTES,
    handler: async (request) => {
      const { user } = visitorOf(request);
      const { fichier, apercu, choix, remplacer } = request.body;
      const entries = await readFile(fichier, await store.filters.ofUser(user.id));
      if (apercu) return { success: true as const, apercu: entries.map(({ shown }) => shown) };
      const chosen = chosenEntries(entries, choix);
      const isNoneChosen = choix?.length === 0;
      return await importChosen(deps, user.id, { fichier, chosen, isNoneChosen, isReplacing: remplacer });
    },
  });
}

function chosenOf(own: readonly Filter[], ids: string | undefined): readonly Filter[] {
  if (ids === undefined) return own;
  const wanted = new Set(ids.split(","));
  const found = own.filter(({ id }) => wanted.has(id));
  if (found.length < wanted.size) throw new Refusal(404, TEXTS.filtersNotExported);
  return found;
}

/** Throws a Refusal unless all of them can be imported. */
function chosenEntries(entries: readonly FileEntry[], positions: readonly number[] | undefined) {
  const chosen =
    positions === undefined
      ? entries.filter(({ shown }) => shown.etat !== "identique")
      : [...new Set(positions)].toSorted((one, other) => one - other).map((position) => entries[position]);
  return chosen.map((entry) => {
    if (entry === undefined) throw new Refusal(400, TEXTS.noSuchPosition, { field: "choix" });
    const { choices, shown, replaces } = entry;
    if (choices !== null) return { choices, replaces, index: shown.index };
    const name = `Filtre n° ${shown.index + 1}${shown.tag === "" ? "" : ` (« ${shown.tag} »)`}`;
    const text = `${name} : ${shown.error ?? ""} Rien n'a été importé.`;
    throw new Refusal(400, text, { field: "fichier.filtres" });
  });
}

interface Chosen {
  readonly fichier: FichierInput;
  readonly chosen: ReturnType<typeof chosenEntries>;
  /** The person chose none explicitly, as opposed to having all of them already. */
  readonly isNoneChosen: boolean;
  readonly isReplacing: boolean;
}

async function importChosen(deps: HttpDeps, userId: UserId, wish: Chosen) {
  const { fichier, chosen, isNoneChosen, isReplacing } = wish;
  const { store, events, clock } = deps;
  const nowMs = clock.nowMs();
  const saved = new Map<number, { readonly filter: NewFilter; readonly known: Filter | null }>();
  for (const [order, { index, choices, replaces }] of chosen.entries()) {
    const known = isReplacing ? (replaces?.known ?? null) : null;
    // Lists are sorted by time of creation, newest first: keeps the order of the file.
    const createdAtMs = nowMs + chosen.length - 1 - order;
    const filter =
      known === null
        ? newFilter(choices, { id: asFilterId(deps.random.uuid(createdAtMs)), userId, nowMs: createdAtMs })
        : editedFilter(known, replaces?.choices ?? choices, nowMs);
    saved.set(index, { filter, known });
  }
  const all = [...saved.values()];
  const groups = groupsOf(fichier, saved, (name, rest) => ({
    ...rest,
    id: asGroupId(deps.random.uuid(nowMs)),
    userId,
    name,
  }));
  const names = new Set(groups.length === 0 ? [] : (await store.groups.list(userId)).map(({ name }) => name));
  const wanted: FilterImport = {
    added: all.flatMap(({ filter, known }) => (known === null ? [filter] : [])),
    replaced: all.flatMap(({ filter, known }) => (known === null ? [] : [filter])),
    groups,
  };
  refuse(
    await store.filters.importAll(userId, wanted, {
      filters: MAX_FILTERS_PER_USER,
      ...CHOICE_BOUNDS,
      groups: MAX_GROUPS_PER_USER,
      nowMs,
    }),
  );
  const filterIds = all.map(({ filter }) => filter.id);
  await events.publish({ kind: "filters_changed", userId, filterIds });
  return {
    success: true as const,
    message: isNoneChosen
      ? "Aucun filtre choisi : rien n'a été importé."
      : doneText(wanted, {
          leftOut: fichier.groupes.length - groups.length,
          sameNameCount: groups.filter(({ name }) => names.has(name)).length,
        }),
    ajoutes: wanted.added.length,
    remplaces: wanted.replaced.length,
    filtres: await savedOf(deps, userId, filterIds),
  };
}

/** A group is imported if all its filters are, and none of them is in a group already. */
function groupsOf(
  { groupes, filtres }: FichierInput,
  saved: ReadonlyMap<number, { readonly filter: NewFilter; readonly known: Filter | null }>,
  make: (name: string, group: Pick<SavedGroup, "maxPurchases" | "budgetEur" | "filterIds">) => SavedGroup,
): readonly SavedGroup[] {
  const positions = groupes.flatMap((group) => [...new Set(group.filtres)]);
  const isTwice = new Set(positions).size < positions.length;
  if (isTwice || positions.some((position) => position >= filtres.length))
    throw new Refusal(400, TEXTS.unreadableGroups, { field: "fichier.groupes" });
  return groupes.flatMap(({ nom, achats, budget, filtres: members }) => {
    const found = [...new Set(members)].map((position) => saved.get(position));
    const filterIds = found.flatMap((member) =>
      member === undefined || (member.known?.groupId ?? null) !== null ? [] : [member.filter.id],
    );
    if (filterIds.length < found.length) return [];
    return [make(nom, { maxPurchases: achats, budgetEur: budget, filterIds })];
  });
}

function refuse(outcome: ImportOutcome): void {
  switch (outcome) {
    case "saved":
      return;
    case "too_many_filters":
      throw new Refusal(409, TEXTS.tooManyImported);
    case "too_many_choices":
      throw new Refusal(409, TEXTS.tooManyChoices);
    case "too_many_groups":
      throw new Refusal(409, TEXTS.tooManyGroups);
    case "gone":
      throw new Refusal(409, TEXTS.importOvertaken);
    default:
      outcome satisfies never;
  }
}

interface GroupCounts {
  /** Groups of the file that were not imported. */
  readonly leftOut: number;
  /** Imported groups with the name of an existing one: their counts and budgets are separate. */
  readonly sameNameCount: number;
}

function doneText({ added, replaced }: FilterImport, { leftOut, sameNameCount }: GroupCounts): string {
  const parts = [
    ...(added.length === 0 ? [] : [countText(added.length, "filtre ajouté", "filtres ajoutés")]),
    ...(replaced.length === 0 ? [] : [countText(replaced.length, "filtre remplacé", "filtres remplacés")]),
  ];
  if (parts.length === 0) return "Rien à importer : vous avez déjà tous ces filtres.";
  const left = countText(leftOut, "groupe laissé", "groupes laissés");
  const same = countText(sameNameCount, "groupe ajouté à côté du vôtre", "groupes ajoutés à côté des vôtres");
  return [
    `${parts.join(", ")} : en pause, sans achat automatique.`,
    ...(leftOut === 0 ? [] : [`${left} de côté (filtres absents ou déjà groupés).`]),
    ...(sameNameCount === 0 ? [] : [`${same} du même nom, sans s'y mêler.`]),
  ].join(" ");
}

/** In the order of the ids, including their new groups. */
async function savedOf({ store }: HttpDeps, userId: UserId, ids: readonly FilterId[]) {
  const own = new Map((await store.filters.ofUser(userId)).map((filter) => [filter.id, filter]));
  return ids.flatMap((id) => {
    const filter = own.get(id);
    return filter === undefined ? [] : [presentFiltre(filter)];
  });
}
