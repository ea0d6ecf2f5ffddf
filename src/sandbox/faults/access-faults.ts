import { INTERNAL_ERROR, refusalAnswer, type Answer } from "../http/messages.ts";
import { ROUTE_NAMES, type RouteName } from "../http/endpoint.ts";
import { type FaultHit, type FaultKind, type RequestContext, isObject } from "./injection.ts";
import { Refusal } from "../market/refusal.ts";

/** Error answers: rate limits, blocks, captchas, server errors. */
export const refusing: readonly FaultKind[] = [
  {
    kind: "rate_limit",
    variants: ["seconds", "date", "absent", "zero", "long", "negative", "text"],
    routes: ROUTE_NAMES,
    defaultDelayMs: 0,
    inject: (hit) => ({ instead: tooMany(retryAfterOf(hit)) }),
  },
  {
    kind: "blocked",
    variants: ["json", "html"],
    routes: ROUTE_NAMES,
    defaultDelayMs: 0,
    inject: ({ variant }) => ({
      instead: variant === "html" ? page(403, "Accès refusé") : refusalAnswer("access_denied"),
    }),
  },
  {
    kind: "captcha",
    variants: ["status_403", "status_200"],
    routes: ROUTE_NAMES,
    defaultDelayMs: 0,
    inject: ({ variant }) => ({ instead: page(variant === "status_200" ? 200 : 403, CAPTCHA) }),
  },
  {
    kind: "server_error",
    variants: ["json", "html", "after_effect", "burst"],
    burstOf: { burst: 5 },
    routes: ROUTE_NAMES,
    defaultDelayMs: 0,
    inject: ({ variant }) =>
      variant === "after_effect"
        ? { rewriteAnswer: () => INTERNAL_ERROR }
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

/** Routes that answer without an access token. */
const OPEN_ROUTES: readonly RouteName[] = ["catalog", "user", "refresh"];
const SIGNED_IN_ROUTES = ROUTE_NAMES.filter((route) => !OPEN_ROUTES.includes(route));

/** Expired sessions and failed token refreshes. */
export const sessionFaults: readonly FaultKind[] = [
  {
    kind: "unauthorised",
    variants: ["expired"],
    routes: SIGNED_IN_ROUTES,
    defaultDelayMs: 0,
    inject: () => ({ before: [expireAccess] }),
  },
  {
    kind: "refresh_lost",
    // Forgiven: the marketplace knows that the reply was lost and accepts the old token once more.
    variants: ["forgiven", "unforgiven"],
    routes: ["refresh"],
    onlyRoutes: ["refresh"],
    defaultDelayMs: 0,
    inject: ({ variant, delayMs }) => ({
      delivery: { kind: "cut", afterMs: delayMs, isHalfSent: false },
      countsAsDelivered: variant === "unforgiven",
    }),
  },
  {
    kind: "refresh_reuse",
    variants: ["revoked"],
    routes: ["refresh"],
    onlyRoutes: ["refresh"],
    defaultDelayMs: 0,
    inject: () => ({ before: [revokeFamily] }),
  },
];

function expireAccess({ market, authorization }: RequestContext): void {
  market.sessions.expireAccess(authorization);
  throw new Refusal("invalid_authentication_token");
}

/** Simulates refresh token reuse: the whole family is revoked and the account must sign in again. */
function revokeFamily({ market, body }: RequestContext): void {
  const token = isObject(body) ? body["refresh_token"] : undefined;
  if (typeof token === "string") market.sessions.revokeFamilyOf(token);
  throw new Refusal("invalid_refresh_token");
}
