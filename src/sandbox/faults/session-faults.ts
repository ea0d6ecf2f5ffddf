import { ROUTE_NAMES } from "../http/routes.ts";
import { Refusal } from "../market/refusal.ts";
import type { FaultKind } from "./fault-kind.ts";
import { isObject } from "./json-surgery.ts";
import type { Scene } from "./twists.ts";

/** The calls that need a person's session. */
const SIGNED_IN_ROUTES = ROUTE_NAMES.filter((route) => route !== "catalog" && route !== "refresh");

/** Sessions that end, and exchanges of tokens that go wrong. */
export const sessionFaults: readonly FaultKind[] = [
  {
    kind: "unauthorised",
    variants: ["expired"],
    routes: SIGNED_IN_ROUTES,
    defaultDelayMs: 0,
    twist: () => ({ before: [expireAccess] }),
  },
  {
    kind: "refresh_lost",
    // Forgiven: the marketplace knows that its reply was lost and takes the old token once more.
    variants: ["forgiven", "unforgiven"],
    routes: ["refresh"],
    onlyRoutes: ["refresh"],
    defaultDelayMs: 0,
    twist: ({ variant, delayMs }) => ({
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
    twist: () => ({ before: [revokeFamily] }),
  },
];

function expireAccess({ market, authorization }: Scene): void {
  market.sessions.expireAccess(authorization);
  throw new Refusal("invalid_authentication_token");
}

/** As if the token had been used before: whoever holds the family's tokens must sign in anew. */
function revokeFamily({ market, body }: Scene): void {
  const token = isObject(body) ? body["refresh_token"] : undefined;
  if (typeof token === "string") market.sessions.revokeFamilyOf(token);
  throw new Refusal("invalid_refresh_token");
}
