import type { FeedState } from "./feed.ts";

type PauseReason = Extract<FeedState, { readonly kind: "paused" }>["reason"];

const REASON_TEXTS: Readonly<Record<PauseReason, string>> = {
  rate_limited: "Vinted demande d'attendre",
  blocked: "Vinted refuse l'accès",
  unreachable: "Vinted ne répond pas",
  unreadable: "les réponses de Vinted sont illisibles",
  empty: "Vinted ne montre aucun article",
  frozen: "Vinted ne montre plus de nouveaux articles",
};

interface ShownPause {
  /** In French, without a full stop: it goes on with the time, which each page writes in its viewer's zone. */
  readonly reason: string;
  /** When the market is read again; null where it is being read all along. */
  readonly untilMs: number | null;
}

/** Why the stream is paused, as people read it; null while it is not. */
export function shownPause(state: FeedState): ShownPause | null {
  if (state.kind !== "paused") return null;
  return {
    reason: REASON_TEXTS[state.reason],
    untilMs: state.reason === "frozen" ? null : state.untilMs,
  };
}
