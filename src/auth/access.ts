import type { Visitor } from "./sessions.ts";

/** Whom a call is for: anybody, whoever is signed in, or whoever's plan opens the panel. */
export type Access = "anyone" | "signed_in" | "subscriber";

/** suspended is told apart from having no plan only so that the person reads the right sentence. */
export type Denial = "no_session" | "no_plan" | "suspended";

/**
 * Why a visitor may not make a call; null when they may.
 * The level was read from the store for this very call, so a change of plan counts at once.
 */
export function denialFor(access: Access, visitor: Visitor | null): Denial | null {
  if (access === "anyone") return null;
  if (visitor === null) return "no_session";
  if (access === "signed_in" || visitor.level > 0) return null;
  return visitor.user.isSuspended ? "suspended" : "no_plan";
}
