import { knownBrands } from "#catalogue/brand-titles.ts";
import { allCategories, categoryPathLabel } from "#catalogue/categories.ts";
import { foldText } from "#catalogue/fold-text.ts";
import { DEFAULT_PAYMENT_METHOD_ID } from "#catalogue/payment-methods.ts";
import { calls } from "#contract/calls.ts";
import type { FiltreEditInput, FiltreInput } from "#contract/filtres/filtre-input.ts";
import { newFiltre } from "#contract/filtres/filtre.ts";
import { blockedIds } from "#domain/market/blocked-sellers.ts";
import { CHOICE_BOUNDS, type Filter, MAX_FILTERS_PER_USER } from "#domain/market/filter.ts";
import { asFilterId, type FilterId, type UserId } from "#domain/ids.ts";
import { MANDATE_VERSION } from "#domain/settings.ts";
import { DAY_MS } from "#domain/clock.ts";
import { autobuyLaneNow, type User } from "#domain/user.ts";
import {
  type FilterChoices,
  presentActivite,
  presentApercu,
  presentFiltre,
  presentFiltrePublic,
  readCriteria,
  readFiltre,
} from "#presenters/filtre.ts";
import { countText } from "#presenters/french-texts.ts";
import { reachedText } from "#presenters/regles.ts";
import { presentPhrase } from "#presenters/phrase.ts";
import type { NewFilter, PublicSearch, SaveOutcome } from "#store/market-store.ts";
import {
  type NewFilterIdentity,
  copiedFilter,
  decideAutobuy,
  editedFilter,
  newFilter,
} from "../filter-changes.ts";
import type { HttpDeps } from "../http-deps.ts";
import { unreadableFilter } from "../issue-texts.ts";
import { inTime, Refusal, TEXTS } from "../refusal.ts";
import { addFilterFileRoutes } from "./filtres-fichier.ts";
import { addBulkEditRoute } from "./filtres-lot.ts";
import { type App, routeOf, type RouteRule, visitorOf } from "../route-rule.ts";

const LIST_RULE: RouteRule = { access: "subscriber", origin: "read", rate: "list" };
const WRITE_RULE: RouteRule = { access: "subscriber", origin: "action", rate: "write" };
const PREVIEW_RULE: RouteRule = { access: "subscriber", origin: "action", rate: "preview" };
const MAX_PUBLIC_FILTERS = 100;
const PAGE_REFRESH_MS = 60_000;
/** Why autobuy is saved switched off although it was sent switched on. */
const OFF_TEXTS = {
  lapsed: "L'achat automatique est coupé : il fait partie des plans Acquire et Thunder.",
  ended: "L'achat automatique reste coupé : il s'est arrêté entre-temps.",
};

export function addFilterRoutes(app: App, deps: HttpDeps): void {
  addFilterReads(app, deps);
  addSavingRoutes(app, deps);
  addCopyRoute(app, deps);
  addPreviewRoutes(app, deps);
  addBulkEditRoute(app, deps);
  addFilterFileRoutes(app, deps);

  app.route({
    ...routeOf(calls.deleteFilters, WRITE_RULE),
    handler: async (request) => {
      const { user } = visitorOf(request);
      const ids = [...new Set(request.body.IDs)].map(asFilterId);
      const deleted = await deps.store.filters.remove(user.id, ids);
      if (deleted === 0) throw new Refusal(404, TEXTS.filtersNotFound);
      await deps.events.publish({ kind: "filters_changed", userId: user.id, filterIds: ids });
      const message = `${countText(deleted, "filtre supprimé", "filtres supprimés")}.`;
      return { success: true as const, message, deleted };
    },
  });
}

function addFilterReads(app: App, deps: HttpDeps): void {
  app.route({
    ...routeOf(calls.filters, LIST_RULE),
    handler: async (request) => {
      const filters = await deps.store.filters.ofUser(visitorOf(request).user.id);
      return { success: true as const, filtres: filters.map(presentFiltre) };
    },
  });

  app.route({
    ...routeOf(calls.filterActivity, { ...LIST_RULE, isInTurn: true }),
    handler: async (request) => {
      const sinceMs = request.query.depuis ?? deps.clock.nowMs() - DAY_MS;
      const { filters, isPartial } = await deps.store.filters.activity(visitorOf(request).user.id, sinceMs);
      return { success: true as const, activites: filters.map(presentActivite), partiel: isPartial };
    },
  });

  app.route({
    ...routeOf(calls.publicFilters, LIST_RULE),
    handler: async (request) => {
      const { user } = visitorOf(request);
      const text = request.query.q ?? "";
      const found = await deps.store.filters.publicOnes(user.id, searchFor(text), MAX_PUBLIC_FILTERS);
      return { success: true as const, filtres: found.map(presentFiltrePublic) };
    },
  });
}

/** Filters that name the text, by their tag, a brand or a type; also those of all types of a named branch. */
function searchFor(text: string): PublicSearch {
  const folded = foldText(text);
  if (folded === "") return { text };
  const idsOf = (named: readonly Named[]): readonly number[] =>
    named.flatMap(({ id, name }) => (name.includes(folded) ? [id] : []));
  return { text, brandIds: idsOf(brandNames), categoryIds: idsOf(typeNames) };
}

interface Named {
  readonly id: number;
  /** Folded. */
  readonly name: string;
}

const brandNames: readonly Named[] = knownBrands.map(({ id, title }) => ({ id, name: foldText(title) }));
const typeNames: readonly Named[] = allCategories.map(({ id }) => ({
  id,
  name: foldText(categoryPathLabel(id)),
}));

function addSavingRoutes(app: App, deps: HttpDeps): void {
  const { store, clock } = deps;

  app.route({
    ...routeOf(calls.addFilter, WRITE_RULE),
    handler: async (request) => {
      const { user } = visitorOf(request);
      const choices = choicesOf(request.body);
      const before = { hadAutobuy: false, hasEnded: false };
      if (autobuyFor(user, choices, { ...before, nowMs: clock.nowMs() }) === "refused") {
        throw new Refusal(403, TEXTS.autobuyNeedsPlan, { field: "autobuy" });
      }
      if (choices.isAutobuy && !(await hasMandate(deps, user.id))) throw withoutMandate();
      const filter = await addFilter(deps, user.id, (identity) => newFilter(choices, identity));
      return savedAnswer(filter, `Filtre « ${filter.tag} » ajouté.`);
    },
  });

  app.route({
    ...routeOf(calls.editFilter, WRITE_RULE),
    handler: async (request) => {
      const { user } = visitorOf(request);
      const { _id, ...body } = request.body;
      const id = asFilterId(_id);
      const at = { nowMs: clock.nowMs(), bounds: CHOICE_BOUNDS };
      // Read before, since the filter is locked while it is edited.
      const mayBegin = body.autobuy !== true || (await hasMandate(deps, user.id));
      let edited: Edited | undefined;
      const edit = (known: Filter): NewFilter =>
        (edited = applyEdit(known, body, { user, mayBegin, nowMs: at.nowMs })).filter;
      const saved = await store.filters.change(user.id, [id], edit, at);
      // Invalid input is refused whether or not the filter exists.
      if (saved === "gone") choicesOf(wholeEdit(body, null));
      if (typeof saved === "string") throw unsaved(saved);
      const [filter] = saved;
      if (edited === undefined || filter === undefined) throw new Error("no filter was edited");
      await deps.events.publish({ kind: "filters_changed", userId: user.id, filterIds: [id] });
      const texts = [`Filtre « ${filter.tag} » enregistré.`];
      if (edited.autobuy !== "as_sent") texts.push(OFF_TEXTS[edited.autobuy]);
      // Autobuy whose end is reached is off.
      else if (edited.filter.isAutobuy && filter.autobuyEnd !== null)
        texts.push(reachedText(filter.autobuyEnd.reason));
      return savedAnswer(filter, texts.join(" "));
    },
  });
}

interface Edited {
  readonly filter: NewFilter;
  /** Why autobuy is saved switched off although it was sent switched on. */
  readonly autobuy: "as_sent" | keyof typeof OFF_TEXTS;
}

/** @param by.mayBegin whether automatic buying may be switched on */
function applyEdit(
  known: Filter,
  body: Omit<FiltreEditInput, "_id">,
  by: { readonly user: User; readonly nowMs: number; readonly mayBegin: boolean },
): Edited {
  const { user, nowMs } = by;
  const sent = choicesOf(wholeEdit(body, known), known);
  const hasEnded = endedSince(known, body.arret, nowMs) && !raisesEndOf(known, sent);
  const autobuy = autobuyFor(user, sent, { hadAutobuy: known.isAutobuy, hasEnded, nowMs });
  if (autobuy === "refused") throw new Refusal(403, TEXTS.autobuyNeedsPlan, { field: "autobuy" });
  const choices = autobuy === "as_sent" ? sent : { ...sent, isAutobuy: false };
  if (choices.isAutobuy && !known.isAutobuy && !by.mayBegin) throw withoutMandate();
  return { filter: editedFilter(known, choices, nowMs), autobuy };
}

/**
 * Completes an edit: fields that it lacks keep their values, since not all clients know all of them.
 * @param known null: no such filter; defaults are used
 */
function wholeEdit(body: Omit<FiltreEditInput, "_id">, known: Filter | null): FiltreInput {
  const before = known === null ? newFiltre : presentFiltre(known);
  const paiement = known?.paymentMethodId ?? DEFAULT_PAYMENT_METHOD_ID;
  return { ...before, paiement, ...body, vendeur: { ...before.vendeur, ...body.vendeur } };
}

/** On an outside marketplace automatic purchases need the person's mandate. */
async function hasMandate({ store, config }: HttpDeps, userId: UserId): Promise<boolean> {
  if (config.isSandbox) return true;
  return (await store.settings.get(userId)).mandate?.version === MANDATE_VERSION;
}

function withoutMandate(): Refusal {
  return new Refusal(403, TEXTS.autobuyNeedsMandate, { field: "autobuy" });
}

function addCopyRoute(app: App, deps: HttpDeps): void {
  app.route({
    ...routeOf(calls.copyFilter, WRITE_RULE),
    handler: async (request) => {
      const { user } = visitorOf(request);
      const copiedId = asFilterId(request.body._id);
      const original = await deps.store.filters.publicOne(user.id, copiedId);
      if (original === null) throw new Refusal(404, TEXTS.filterNotFound);
      const make = (identity: NewFilterIdentity): NewFilter => copiedFilter(original, identity);
      const filter = await addFilter(deps, user.id, make, copiedId);
      return savedAnswer(filter, `Filtre « ${filter.tag} » copié, en pause : activez-le pour le suivre.`);
    },
  });
}

/** Listings that a draft would find, and the criteria that a sentence expresses. */
function addPreviewRoutes(app: App, { memory, store }: HttpDeps): void {
  app.route({
    ...routeOf(calls.previewFilter, PREVIEW_RULE),
    handler: async (request) => {
      const read = readCriteria(request.body);
      if (read.kind !== "read") throw unreadableFilter(read);
      const blocked = blockedIds(await store.sellers.list(visitorOf(request).user.id));
      const counted = await inTime(memory.count(read.criteria, blocked), TEXTS.slowCount);
      return { success: true as const, apercu: presentApercu(counted) };
    },
  });

  app.route({
    ...routeOf(calls.readSentence, PREVIEW_RULE),
    handler: (request) => ({ success: true as const, ...presentPhrase(request.body.texte) }),
  });
}

async function addFilter(
  { store, events, clock, random }: HttpDeps,
  userId: UserId,
  make: (identity: NewFilterIdentity) => NewFilter,
  copiedId?: FilterId,
): Promise<NewFilter> {
  const nowMs = clock.nowMs();
  const filter = make({ id: asFilterId(random.uuid(nowMs)), userId, nowMs });
  const outcome = await store.filters.add(filter, MAX_FILTERS_PER_USER, CHOICE_BOUNDS, copiedId);
  if (outcome !== "saved") throw unsaved(outcome);
  // Awaited before the answer: once a person reads 'ajouté', the index contains the filter.
  await events.publish({ kind: "filters_changed", userId, filterIds: [filter.id] });
  return filter;
}

function unsaved(outcome: Exclude<SaveOutcome, "saved">): Refusal {
  switch (outcome) {
    case "too_many_choices":
      return new Refusal(409, TEXTS.tooManyChoices, { field: "types" });
    case "too_many_filters":
      return new Refusal(409, TEXTS.tooManyFilters);
    case "gone":
      return new Refusal(404, TEXTS.filterNotFound);
    default:
      return outcome satisfies never;
  }
}

/** @param known the filter that is edited */
function choicesOf(input: FiltreInput, known: Filter | null = null): FilterChoices {
  const read = readFiltre(input, known ?? undefined);
  if (read.kind !== "read") throw unreadableFilter(read);
  return read.choices;
}

function autobuyFor(
  user: User,
  choices: FilterChoices,
  { nowMs, ...before }: { readonly hadAutobuy: boolean; readonly hasEnded: boolean; readonly nowMs: number },
): ReturnType<typeof decideAutobuy> {
  const hasPlan = autobuyLaneNow(user, nowMs) !== null;
  return decideAutobuy({ wantsAutobuy: choices.isAutobuy, hasPlan, ...before });
}

/**
 * Whether autobuy ended after the page that saves the filter had read it.
 * @param sent absent: an old page, which reads its filters every minute
 */
function endedSince({ autobuyEnd }: Filter, sent: FiltreEditInput["arret"], nowMs: number): boolean {
  if (autobuyEnd === null) return false;
  return sent === undefined ? nowMs - autobuyEnd.atMs < PAGE_REFRESH_MS : sent?.a !== autobuyEnd.atMs;
}

/** Whether an edit raises the limit that ended autobuy: autobuy may then be switched on again, also by an old page. */
function raisesEndOf({ autobuyEnd, maxPurchases, rules }: Filter, sent: FilterChoices): boolean {
  switch (autobuyEnd?.reason) {
    case "max_purchases":
      return isRaised(maxPurchases, sent.maxPurchases);
    case "total_budget":
      return isRaised(rules.totalBudgetEur, sent.rules.totalBudgetEur);
    case "failures":
      return isRaised(rules.maxFailures, sent.rules.maxFailures);
    default:
      return false;
  }
}

/** Null is no limit. */
function isRaised(before: number | null, after: number | null): boolean {
  return (after ?? Infinity) > (before ?? Infinity);
}

function savedAnswer(filter: NewFilter | Filter, message: string) {
  const filtre = presentFiltre({ copies: 0, groupId: null, autobuyEnd: null, ...filter });
  return { success: true as const, message, filtre };
}
