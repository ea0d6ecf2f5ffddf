/** The state of everything that finds and buys for a person, in one answer. */
import { calls } from "#contract/calls.ts";
import type { Sante } from "#contract/compte.ts";
import { eur } from "#domain/money.ts";
import { autobuyLaneNow, type User } from "#domain/user.ts";
import { shownPause } from "#feed/pause-text.ts";
import { presentParametres } from "#presenters/parametres.ts";
import type { Standing } from "#purchasing/purchasing.ts";
import type { HttpDeps } from "../http-deps.ts";
import { type App, routeOf, visitorOf } from "../route-rule.ts";

const FLUX_STATES = { loading: "au_repos", live: "en_direct", idle: "au_repos", paused: "en_pause" } as const;

export function addStateRoute(app: App, deps: HttpDeps): void {
  app.route({
    // It reads all of the person's active filters.
    ...routeOf(calls.state, { access: "subscriber", origin: "read", rate: "read", isInTurn: true }),
    handler: async (request) => ({ etat: await stateOf(deps, visitorOf(request).user) }),
  });
}

async function stateOf(deps: HttpDeps, user: User): Promise<Sante> {
  const { store, config, clock, feed, purchasing } = deps;
  const nowMs = clock.nowMs();
  const settings = await store.settings.get(user.id);
  const active = await store.filters.activeOf(user.id);
  const standing = await purchasing.standing(user.id);
  const feedState = feed?.state() ?? null;
  const pause = feedState === null ? null : shownPause(feedState);
  return {
    flux: {
      etat: feedState === null ? "ailleurs" : FLUX_STATES[feedState.kind],
      raison: pause?.reason ?? null,
      reprise: pause?.untilMs ?? null,
    },
    lectures_par_seconde: config.readsPerSecond,
    compte: presentParametres(settings, !config.isSandbox).etat,
    achats_auto: {
      inclus: autobuyLaneNow(user, nowMs) !== null,
      filtres: active.filter(({ isAutobuy }) => isAutobuy).length,
      arret: settings.limits.isStopped,
      bloque: blockText(standing),
      reprise: standing.everyone.length > 0 ? null : (standing.account?.untilMs ?? null),
    },
    depense: {
      jour: eur(standing.spentTodayCents),
      limite_jour: eur(settings.limits.dayEur * 100),
    },
  };
}

/** Why everybody or this account is stopped; the operator's own reason is not shown. */
function blockText({ everyone: [stop], account }: Standing): string | null {
  if (stop !== undefined)
    return stop.by === "breaker"
      ? "En pause : Vinted répond mal, reprise automatique"
      : "Suspendus pour tous par Synapse, le temps d'une vérification";
  if (account === null) return null;
  return account.untilMs === null
    ? "Suspendus pour votre compte par Synapse : écrivez au support"
    : "En pause : Vinted demande à votre compte d'attendre";
}
