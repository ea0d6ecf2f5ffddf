import type { Visitor } from "./sessions.ts";

/** Who may make a call: anyone, a signed-in person, or a person whose plan includes the panel. */
export type Access = "anyone" | "signed_in" | "subscriber";

/** suspended differs from no_plan only in the sentence that the person reads. */
export type Denial = "no_session" | "no_plan" | "suspended";

/**
 * Why a visitor may not make a call; null when they may.
 * The level was read from the store for this call, so a change of plan applies immediately.
 */
export function denialFor(access: Access, visitor: Visitor | null): Denial | null {
  if (access === "anyone") return null;
  if (visitor === null) return "no_session";
  if (access === "signed_in" || visitor.level > 0) return null;
  return visitor.user.isSuspended ? "suspended" : "no_plan";
}
