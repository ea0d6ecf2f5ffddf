/** The market's memory: backtests of filters, usual prices, and frequent pairs of type and brand. */
import { brandById } from "#catalogue/brand-titles.ts";
import { categoryById } from "#catalogue/categories.ts";
import { calls } from "#contract/calls.ts";
import type { RejeuInput } from "#contract/filtres/filtre-input.ts";
import { blockedIds } from "#domain/market/blocked-sellers.ts";
import { type FilterCriteria, openCriteria } from "#domain/market/filter.ts";
import type { UserId } from "#domain/ids.ts";
import { planNow, type User } from "#domain/user.ts";
import type { ReplayQuestion } from "#market/market-memory.ts";
import { type FilterChoices, readFiltre } from "#presenters/filtre.ts";
import { presentPopulaire, presentPrixDuMarche, presentRejeu } from "#presenters/rejeu.ts";
import { compressAnswer } from "../encodings.ts";
import type { HttpDeps } from "../http-deps.ts";
import { unreadableFilter } from "../issue-texts.ts";
import { inTime, Refusal, RETRY_AFTER_S, TEXTS } from "../refusal.ts";
import { type App, routeOf, type RouteRule, visitorOf } from "../route-rule.ts";

const READ_RULE: RouteRule = { access: "subscriber", origin: "read", rate: "list" };

const REPLAY_MS = 10_000;
/** Maximum number of people whose backtests wait while one runs. */
const MAX_WAITING = 20;
const ATTEMPTS_WITHIN_MS = 30 * 24 * 3_600_000;
const MAX_PRICE_EUR = 100_000;

const REPLACED = new Error("replaced by a newer run");

export function addMarketMemoryRoutes(app: App, deps: HttpDeps): void {
  addReplayRoute(app, deps);
  const { memory } = deps;

  app.route({
    ...routeOf(calls.marketPrices, READ_RULE),
    onSend: compressAnswer,
    handler: async (request) => {
      const { type: typeId, marque: brandId = null } = request.query;
      if (categoryById(typeId) === undefined)
        throw new Refusal(400, "Ce type n'existe pas (champ « type »).", { field: "type" });
      if (brandId !== null && brandById(brandId) === undefined)
        throw new Refusal(400, "Cette marque n'existe pas (champ « marque »).", { field: "marque" });
      const criteria: FilterCriteria = { ...openCriteria, categoryIds: [typeId], priceCapEur: MAX_PRICE_EUR };
      const found = await inTime(memory.prices(typeId, brandId, criteria), TEXTS.slowPrices);
      return { prix: presentPrixDuMarche({ typeId, brandId }, found) };
    },
  });

  app.route({
    ...routeOf(calls.popularPairs, READ_RULE),
    handler: async () => {
      const pairs = await inTime(memory.popular(), TEXTS.slowPrices);
      return { populaires: pairs.map(presentPopulaire) };
    },
  });
}

function addReplayRoute(app: App, deps: HttpDeps): void {
  const { memory, store, clock, config } = deps;
  /** One per person. */
  const running = new Map<UserId, AbortController>();

  app.route({
    // Not in turn: a newer backtest aborts the previous one instead of waiting for it.
    ...routeOf(calls.replayFilter, {
      access: "subscriber",
      origin: "action",
      rate: "preview",
      isInTurn: false,
    }),
    onSend: compressAnswer,
    handler: async (request) => {
      const { user } = visitorOf(request);
      const question = await questionOf(request.body, user, deps);
      const older = running.get(user.id);
      if (older === undefined && running.size > MAX_WAITING)
        throw new Refusal(429, "Trop de calculs attendent leur tour : réessayez dans quelques secondes.", {
          headers: { "retry-after": RETRY_AFTER_S },
        });
      older?.abort(REPLACED);
      const controller = new AbortController();
      running.set(user.id, controller);
      const startedAtMs = clock.nowMs();
      try {
        const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(REPLAY_MS)]);
        const { replay, coverage } = await inTime(memory.replay(question, signal), TEXTS.slowCount);
        const attempts = await store.stories.attemptsSince(user.id, clock.nowMs() - ATTEMPTS_WITHIN_MS);
        const durationMs = clock.nowMs() - startedAtMs;
        const { marketUrl } = config;
        const rejeu = presentRejeu({ replay, coverage, attempts, durationMs, marketUrl });
        return { success: true as const, rejeu };
      } catch (error) {
        throw error === REPLACED ? new Refusal(409, "Un calcul plus récent a remplacé celui-ci.") : error;
      } finally {
        if (running.get(user.id) === controller) running.delete(user.id);
      }
    },
  });
}

async function questionOf(
  body: RejeuInput,
  user: User,
  { memory, store, clock, config }: HttpDeps,
): Promise<ReplayQuestion> {
  const choices = choicesOf(body);
  const sinceMs = sinceOf(body, { memory, config, nowMs: clock.nowMs() });
  const plan = planNow(user, clock.nowMs());
  const hasLane = plan === "acquire" || plan === "thunder";
  const [blocked, settings, groups] = await Promise.all([
    store.sellers.list(user.id),
    store.settings.get(user.id),
    hasLane ? store.groups.list(user.id) : [],
  ]);
  const { priceCapEur, priceFloorEur, bargainPercent, maxPurchases, paymentMethodId, rules } = choices;
  const terms = { priceCapEur, priceFloorEur, bargainPercent, maxPurchases, paymentMethodId, rules };
  const group = groups.find(({ id }) => id === body.groupe) ?? null;
  return {
    criteria: choices,
    sinceMs,
    blockedSellerIds: blockedIds(blocked),
    buyer: hasLane
      ? {
          ...terms,
          plan,
          group,
          limits: settings.limits,
          minPriceDays: config.minPriceDays,
        }
      : null,
  };
}

function choicesOf(body: RejeuInput): FilterChoices {
  const read = readFiltre({ ...body, tag: body.tag ?? "" });
  if (read.kind !== "read") throw unreadableFilter(read);
  return read.choices;
}

const DEFAULT_DAYS = 30;

function sinceOf(
  { jours, depuis }: RejeuInput,
  { memory, config, nowMs }: Pick<HttpDeps, "memory" | "config"> & { readonly nowMs: number },
): number {
  const { archiveDays } = config;
  const earliestMs = memory.windowStart(archiveDays);
  if (depuis !== undefined) {
    if (depuis > nowMs || depuis < earliestMs)
      throw new Refusal(
        400,
        `Le début doit être dans les ${archiveDays} derniers jours (champ « depuis »).`,
        {
          field: "depuis",
        },
      );
    return depuis;
  }
  if (jours !== undefined && jours > archiveDays)
    throw new Refusal(400, `Au plus ${archiveDays} jours (champ « jours »).`, { field: "jours" });
  return memory.windowStart(jours ?? Math.min(DEFAULT_DAYS, archiveDays));
}
