/** Groups of filters: 'Acheter 1 parmi ces filtres, budget 60 €'. */
import { calls } from "#contract/calls.ts";
import type { GroupeInput } from "#contract/filtres/regles-input.ts";
import { type GroupState, MAX_GROUPS_PER_USER } from "#domain/buying-rules.ts";
import { asFilterId, asGroupId, type GroupId, type UserId } from "#domain/ids.ts";
import { presentGroupe } from "#presenters/regles.ts";
import type { GroupOutcome, SavedGroup } from "#store/market-store.ts";
import type { HttpDeps } from "../http-deps.ts";
import { Refusal, TEXTS } from "../refusal.ts";
import { type App, routeOf, type RouteRule, visitorOf } from "../route-rule.ts";

const WRITE_RULE: RouteRule = { access: "subscriber", origin: "action", rate: "write" };

const COMPLETE_TEXT = " Il est complet : ses filtres n'achètent plus.";

export function addGroupRoutes(app: App, { store, events, clock, random }: HttpDeps): void {
  app.route({
    ...routeOf(calls.groups, { access: "subscriber", origin: "read", rate: "list" }),
    handler: async (request) => {
      const groups = await store.groups.list(visitorOf(request).user.id);
      return { success: true as const, groupes: groups.map(presentGroupe) };
    },
  });

  app.route({
    ...routeOf(calls.addGroup, WRITE_RULE),
    handler: async (request) => {
      const { id: userId } = visitorOf(request).user;
      const nowMs = clock.nowMs();
      const group = groupOf(request.body, { id: asGroupId(random.uuid(nowMs)), userId });
      const saved = savedOrRefused(await store.groups.add(group, { nowMs, limit: MAX_GROUPS_PER_USER }));
      await events.publish({ kind: "group_changed", userId, filterIds: group.filterIds });
      return answer(saved.group, "créé");
    },
  });

  app.route({
    ...routeOf(calls.editGroup, WRITE_RULE),
    handler: async (request) => {
      const { id: userId } = visitorOf(request).user;
      const group = groupOf(request.body, { id: asGroupId(request.body._id), userId });
      const saved = savedOrRefused(await store.groups.replace(group, clock.nowMs()));
      // A complete group has switched its filters off, like those that left it.
      const stopped = saved.group.isComplete ? group.filterIds : [];
      await events.publish({ kind: "filters_changed", userId, filterIds: [...saved.left, ...stopped] });
      await events.publish({ kind: "group_changed", userId, filterIds: group.filterIds });
      return answer(saved.group, "enregistré");
    },
  });

  app.route({
    ...routeOf(calls.deleteGroup, WRITE_RULE),
    handler: async (request) => {
      const { id: userId } = visitorOf(request).user;
      const left = await store.groups.remove(userId, asGroupId(request.body._id));
      if (left === null) throw new Refusal(404, TEXTS.groupNotFound);
      await events.publish({ kind: "filters_changed", userId, filterIds: left });
      return {
        success: true as const,
        message: "Groupe supprimé : l'achat automatique de ses filtres est coupé.",
      };
    },
  });
}

function groupOf(
  { nom, achats, budget, filtres }: GroupeInput,
  { id, userId }: { readonly id: GroupId; readonly userId: UserId },
): SavedGroup {
  const filterIds = [...new Set(filtres)].map(asFilterId);
  return { id, userId, name: nom, maxPurchases: achats, budgetEur: budget, filterIds };
}

type Saved = Extract<GroupOutcome, { kind: "saved" }>;

function savedOrRefused(outcome: GroupOutcome): Saved {
  switch (outcome.kind) {
    case "saved":
      return outcome;
    case "unknown_group":
      throw new Refusal(404, TEXTS.groupNotFound);
    case "unknown_filter":
      throw new Refusal(404, TEXTS.filtersNotGrouped, { field: "filtres" });
    case "in_another_group":
      throw new Refusal(409, TEXTS.filterInAnotherGroup, { field: "filtres" });
    case "too_many":
      throw new Refusal(409, TEXTS.tooManyGroups);
    default:
      return outcome satisfies never;
  }
}

function answer(group: GroupState, done: string) {
  return {
    success: true as const,
    message: `Groupe « ${group.name} » ${done}.${group.isComplete ? COMPLETE_TEXT : ""}`,
    groupe: presentGroupe(group),
  };
}
