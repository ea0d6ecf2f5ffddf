import { INTERNAL_ERROR, refusalAnswer, type Answer } from "../http/answer.ts";
import { ROUTE_NAMES } from "../http/routes.ts";
import type { FaultHit, FaultKind } from "./fault-kind.ts";

/** Answers that say no, politely or not. */
export const refusing: readonly FaultKind[] = [
  {
    kind: "rate_limit",
    variants: ["seconds", "date", "absent", "zero", "long", "negative", "text"],
    routes: ROUTE_NAMES,
    defaultDelayMs: 0,
    twist: (hit) => ({ instead: tooMany(retryAfterOf(hit)) }),
  },
  {
    kind: "blocked",
    variants: ["json", "html"],
    routes: ROUTE_NAMES,
    defaultDelayMs: 0,
    twist: ({ variant }) => ({
      instead: variant === "html" ? page(403, "Accès refusé") : refusalAnswer("access_denied"),
    }),
  },
  {
    kind: "captcha",
    variants: ["status_403", "status_200"],
    routes: ROUTE_NAMES,
    defaultDelayMs: 0,
    twist: ({ variant }) => ({ instead: page(variant === "status_200" ? 200 : 403, CAPTCHA) }),
  },
  {
    kind: "server_error",
    variants: ["json", "html", "after_effect", "burst"],
    burstOf: { burst: 5 },
    routes: ROUTE_NAMES,
    defaultDelayMs: 0,
    twist: ({ variant }) =>
      variant === "after_effect"
        ? { disguise: () => INTERNAL_ERROR }
        : { instead: variant === "html" ? page(502, "Bad Gateway") : INTERNAL_ERROR },
  },
];

const CAPTCHA = "Vérifions que vous n'êtes pas un robot";
const DAY_S = 86_400;

function tooMany(retryAfter: string | null): Answer {
  const answer = refusalAnswer("too_many_requests");
  if (retryAfter === null) return answer;
  return { ...answer, headers: { ...answer.headers, "retry-after": retryAfter } };
}

function retryAfterOf({ variant, retryAfter, nowMs }: FaultHit): string | null {
  if (retryAfter !== null) return retryAfter;
  switch (variant) {
    case "date":
      return new Date(nowMs + 2_000).toUTCString();
    case "absent":
      return null;
    case "zero":
      return "0";
    case "long":
      return String(DAY_S);
    case "negative":
      return "-1";
    case "text":
      return "soon";
    default:
      return "1";
  }
}

function page(status: number, title: string): Answer {
  return {
    status,
    headers: { "content-type": "text/html; charset=utf-8" },
    body: `<!doctype html><html lang="fr"><title>${title}</title><h1>${title}</h1></html>`,
  };
}
