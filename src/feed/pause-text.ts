import type { FeedState } from "./feed.ts";

type PauseReason = Exclude<Extract<FeedState, { readonly kind: "paused" }>["reason"], "frozen">;

const REASON_TEXTS: Readonly<Record<PauseReason, string>> = {
  rate_limited: "la place de marché demande d'attendre",
  blocked: "la place de marché refuse l'accès",
  unreachable: "la place de marché ne répond pas",
  unreadable: "les réponses de la place de marché sont illisibles",
  empty: "la place de marché ne montre aucun article",
};

const parisTime = new Intl.DateTimeFormat("fr-FR", {
  hour: "2-digit",
  minute: "2-digit",
  timeZone: "Europe/Paris",
});

/** Why the stream is paused, as the sentence shown to people; null while it is not. */
export function pauseText(state: FeedState): string | null {
  if (state.kind !== "paused") return null;
  // In a frozen market reading continues, so there is no time to name.
  if (state.reason === "frozen") return "La place de marché ne montre plus de nouveaux articles.";
  return `Le flux est en pause jusqu'à ${parisTime.format(state.untilMs)} : ${REASON_TEXTS[state.reason]}.`;
}
