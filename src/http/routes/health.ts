import { calls } from "#contract/calls.ts";
import type { Sante } from "#contract/parametres.ts";
import { type Clock, withTimeout } from "#domain/clock.ts";
import { eur } from "#domain/money.ts";
import { autobuyLaneNow, type User } from "#domain/user.ts";
import { shownPause } from "#feed/feed.ts";
import { presentParametres } from "#presenters/parametres.ts";
import type { PurchasingStatus } from "#purchasing/purchasing.ts";
import type { HttpDeps } from "../http-deps.ts";
import { Refusal, TEXTS } from "../refusal.ts";
import { type App, routeOf, visitorOf } from "../route-rule.ts";

/** Everything that `/health` can report; it reveals no other internals. */
const FAULT_TEXTS = {
  starting: TEXTS.starting,
  stopping: "Le service s'arrête.",
  store: "La base de données ne répond pas.",
} as const;

const FEED_STATES = { loading: "au_repos", live: "en_direct", idle: "au_repos", paused: "en_pause" } as const;

/**
 * Ready means that this node can serve people. A failing marketplace is reported separately, so that a load
 * balancer does not remove the pages that explain the pause.
 */
export function addHealthRoute(app: App, deps: HttpDeps): void {
  app.route({
    method: ["GET", "HEAD"],
    url: "/health",
    config: { rule: { access: "anyone", origin: "any", rate: null } },
    handler: async () => {
      const fault = deps.fault() ?? ((await isStoreAnswering(deps.store, deps.clock)) ? null : "store");
      if (fault !== null) throw new Refusal(503, loadingText(deps) ?? FAULT_TEXTS[fault]);
      if (deps.feed === null) return { etat: "pret", flux: "ailleurs" };
      const state = deps.feed.state();
      const pause = shownPause(state);
      return {
        etat: "pret",
        flux: FEED_STATES[state.kind],
        ...(pause === null ? {} : { pause: pause.reason, reprise: pause.untilMs }),
      };
    },
  });
}

/** The progress of a slow start. */
function loadingText({ feed }: HttpDeps): string | null {
  const state = feed?.state();
  return state?.kind === "loading" ? `Chargement des filtres : ${state.percent} %` : null;
}

const STORE_TIMEOUT_MS = 2_000;

/** Whether the store answers within the timeout of a health check. Never throws. */
export async function isStoreAnswering(
  store: { readonly ping: () => Promise<unknown> },
  clock: Pick<Clock, "schedule">,
): Promise<boolean> {
  const ping = store.ping().then(
    () => true,
    () => false,
  );
  return await withTimeout(clock, STORE_TIMEOUT_MS, ping, false);
}

export function addStateRoute(app: App, deps: HttpDeps): void {
  app.route({
    // Reads all of the person's active filters.
    ...routeOf(calls.state, { access: "subscriber", origin: "read", rate: "read", isInTurn: true }),
    handler: async (request) => ({ etat: await stateOf(deps, visitorOf(request).user) }),
  });
}

async function stateOf(deps: HttpDeps, user: User): Promise<Sante> {
  const { store, config, clock, feed, purchasing } = deps;
  const nowMs = clock.nowMs();
  const settings = await store.settings.get(user.id);
  const active = await store.filters.activeOf(user.id);
  const status = await purchasing.status(user.id, settings.limits);
  const { etat, adresse_complete } = presentParametres(settings, !config.isSandbox);
  const feedState = feed?.state() ?? null;
  const pause = feedState === null ? null : shownPause(feedState);
  return {
    flux: {
      etat: feedState === null ? "ailleurs" : FEED_STATES[feedState.kind],
      raison: pause?.reason ?? null,
      reprise: pause?.untilMs ?? null,
    },
    lectures_par_seconde: config.readsPerSecond,
    compte: etat,
    adresse_complete,
    achats_auto: {
      inclus: autobuyLaneNow(user, nowMs) !== null,
      filtres: active.filter(({ isAutobuy, isSimulation }) => isAutobuy && !isSimulation).length,
      arret: settings.limits.isStopped,
      bloque: blockText(status),
      reprise: status.everyone.length > 0 ? null : ((status.account ?? status.reachedLimit)?.untilMs ?? null),
    },
    depense: {
      jour: eur(status.spentTodayCents),
      limite_jour: eur(settings.limits.dayEur * 100),
    },
  };
}

const LIMIT_TEXTS = {
  day: "En pause : votre limite de dépenses du jour est atteinte",
  month: "En pause : votre limite de dépenses du mois est atteinte",
  count: "En pause : votre nombre d'achats par jour est atteint",
} as const;

/** Why everyone or this account is stopped; the operator's reason is not shown. */
function blockText({ everyone: [stop], account, reachedLimit }: PurchasingStatus): string | null {
  if (stop !== undefined)
    return stop.by === "breaker"
      ? "En pause : Vinted répond mal, reprise automatique"
      : "Suspendus pour tous par Synapse, le temps d'une vérification";
  if (account === null) return reachedLimit === null ? null : LIMIT_TEXTS[reachedLimit.limit];
  return account.untilMs === null
    ? "Suspendus pour votre compte par Synapse : écrivez au support"
    : "En pause : Vinted demande à votre compte d'attendre";
}
