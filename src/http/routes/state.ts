/** How everything stands that finds and buys for a person, in one answer. */
import { calls } from "#contract/calls.ts";
import type { Sante } from "#contract/compte.ts";
import { eur } from "#domain/money.ts";
import { autobuyLaneNow, type User } from "#domain/user.ts";
import { presentParametres } from "#presenters/parametres.ts";
import { pauseText } from "#feed/pause-text.ts";
import { budgetKeys } from "#purchasing/limits.ts";
import type { HttpDeps } from "../http-deps.ts";
import { visitorOf, type App } from "../route-rule.ts";

const FLUX_STATES = { loading: "au_repos", live: "en_direct", idle: "au_repos", paused: "en_pause" } as const;
/** A day's purchases are bounded by the person's own limit, which is far below. */
const MAX_STORIES = 500;

export function addStateRoute(app: App, deps: HttpDeps): void {
  app.route({
    method: calls.state.method,
    url: calls.state.path,
    schema: { response: { 200: calls.state.answer } },
    config: { rule: { access: "subscriber", origin: "read", rate: "read" } },
    handler: async (request) => ({ etat: await stateOf(deps, visitorOf(request).user) }),
  });
}

async function stateOf(deps: HttpDeps, user: User): Promise<Sante> {
  const { store, config, clock, feed, purchasing } = deps;
  const nowMs = clock.nowMs();
  const settings = await store.settings.get(user.id);
  const active = await store.filters.activeOf(user.id);
  const [stop] = await purchasing.operator.stops();
  const feedState = feed?.state() ?? null;
  return {
    flux: {
      etat: feedState === null ? "ailleurs" : FLUX_STATES[feedState.kind],
      raison: feedState === null ? null : pauseText(feedState),
    },
    lectures_par_seconde: config.readsPerSecond,
    compte: presentParametres(settings).etat,
    achats_auto: {
      inclus: autobuyLaneNow(user, nowMs) !== null,
      filtres: active.filter(({ isAutobuy }) => isAutobuy).length,
      arret: settings.limits.isStopped,
      bloque: stop === undefined ? null : blockText(stop.by),
    },
    depense: {
      jour: eur(await spentToday(deps, user)),
      limite_jour: eur(settings.limits.dayEur * 100),
    },
  };
}

/** Whoever stopped everybody; the operator's own reason is not for people. */
function blockText(by: "operator" | "breaker" | "auditor"): string {
  return by === "breaker"
    ? "La place de marché répond mal : les achats reprendront d'eux-mêmes."
    : "Les achats de tout le monde sont arrêtés par l'exploitant, le temps d'une vérification.";
}

/** What is held and charged today, as the limits count it. */
async function spentToday({ store, clock }: HttpDeps, user: User): Promise<number> {
  const { dayKey } = budgetKeys(clock.nowMs());
  const stories = await store.stories.stories(user.id, MAX_STORIES);
  return stories
    .filter(({ purchase }) => budgetKeys(purchase.decidedAtMs).dayKey === dayKey && purchase.mode === "live")
    .reduce((sum, { purchase }) => sum + purchase.holdCents + (purchase.chargedCents ?? 0), 0);
}
