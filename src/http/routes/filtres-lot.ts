/** The same change to several filters: all or none. */
import { isDeepStrictEqual } from "node:util";
import { calls } from "#contract/calls.ts";
import { asFilterId, type FilterId } from "#domain/ids.ts";
import { autobuyLaneNow } from "#domain/user.ts";
import { countText } from "#presenters/french-texts.ts";
import { presentFiltre } from "#presenters/filtre.ts";
import type { Filter } from "#domain/market/filter.ts";
import type { NewFilter } from "#store/market-store.ts";
import { type BulkProblem, bulkEdited } from "../filter-changes.ts";
import type { HttpDeps } from "../http-deps.ts";
import { unreadableFilterText } from "../issue-texts.ts";
import { Refusal, TEXTS } from "../refusal.ts";
import { type App, routeOf, visitorOf } from "../route-rule.ts";

export function addBulkEditRoute(app: App, { store, events, clock }: HttpDeps): void {
  app.route({
    ...routeOf(calls.changeFilters, { access: "subscriber", origin: "action", rate: "write" }),
    handler: async (request) => {
      const { user } = visitorOf(request);
      const { IDs, changement } = request.body;
      const ids = [...new Set(IDs)].map(asFilterId);
      const nowMs = clock.nowMs();
      const at = { hasPlan: autobuyLaneNow(user, nowMs) !== null, nowMs };
      const before = new Map<FilterId, Filter>();
      const edit = (filter: Filter): NewFilter => {
        before.set(filter.id, filter);
        const edited = bulkEdited(filter, changement, at);
        if (edited.kind === "edited") return edited.filter;
        const text = `${problemText(edited.problem)} Rien n'a été changé (filtre « ${filter.tag} »).`;
        throw new Refusal(400, text, { field: `changement.${edited.field}` });
      };
      const filters = await store.filters.change(user.id, ids, edit, { nowMs });
      if (typeof filters === "string") throw new Refusal(404, TEXTS.filtersNotChanged);
      await events.publish({ kind: "filters_changed", userId: user.id, filterIds: ids });
      return {
        success: true as const,
        message: doneText(
          filters.filter((filter) => !isDeepStrictEqual(filter, before.get(filter.id))).length,
        ),
        filtres: filters.map(presentFiltre),
      };
    },
  });
}

/** @param count filters that differ from before */
function doneText(count: number): string {
  if (count === 0) return "Aucun filtre n'a changé.";
  return `${countText(count, "filtre modifié", "filtres modifiés")}.`;
}

function problemText(problem: BulkProblem): string {
  if (problem === "limit") return "La limite de prix doit rester entre 1 et 100\u00a0000\u00a0€.";
  if (problem === "floor") return "La limite de prix passerait sous le prix minimum.";
  return unreadableFilterText(problem);
}
