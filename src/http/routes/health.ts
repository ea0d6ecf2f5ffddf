import type { Clock } from "#domain/clock.ts";
import type { FeedState } from "#feed/feed.ts";
import { shownPause } from "#feed/pause-text.ts";
import type { HttpDeps } from "../http-deps.ts";
import { Refusal, TEXTS } from "../refusal.ts";
import type { App } from "../route-rule.ts";

/** Everything that `/health` can report; it reveals no other internals. */
const FAULT_TEXTS = {
  starting: TEXTS.starting,
  stopping: "Le service s'arrête.",
  store: "La base de données ne répond pas.",
} as const;

const FEED_TEXTS: Readonly<Record<FeedState["kind"], string>> = {
  loading: "au_repos",
  live: "en_direct",
  idle: "au_repos",
  paused: "en_pause",
};

/**
 * Ready means that this node can serve people. A marketplace at fault is reported beside it, so that a load balancer
 * does not remove the pages that explain the pause.
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
        flux: FEED_TEXTS[state.kind],
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
  let forget = (): void => undefined;
  const timeout = new Promise<boolean>((resolve) => {
    forget = clock.schedule(STORE_TIMEOUT_MS, () => resolve(false));
  });
  const isAnswering = await Promise.race([ping, timeout]);
  forget();
  return isAnswering;
}
