import { type PlanKey, planByKey } from "#catalogue/plans.ts";
import type { UserId } from "./ids.ts";
import type { Lane } from "./market/match.ts";

export type IdentityProvider = "discord" | "sandbox";

export interface User {
  readonly id: UserId;
  readonly provider: IdentityProvider;
  /** The provider's id: with `provider` the only key of a person; never the e-mail. */
  readonly providerId: string;
  readonly login: string;
  readonly displayName: string;
  readonly email: string;
  readonly pictureUrl: string | null;
  readonly plan: PlanKey;
  /** The plan counts as none from this moment; null: no end. */
  readonly planEndsAtMs: number | null;
  readonly isSuspended: boolean;
  readonly createdAtMs: number;
}

/** What determines the plan at a moment. */
export type PlanTerms = Pick<User, "plan" | "planEndsAtMs" | "isSuspended">;

/** A person by their plan alone: known of everybody, also of those whose profile cannot be opened. */
export type Subscriber = Pick<User, "id"> & PlanTerms;

/** The effective plan: none once it has ended, or while the person is suspended. */
export function planNow(user: PlanTerms, nowMs: number): PlanKey {
  if (user.isSuspended) return "none";
  if (user.planEndsAtMs !== null && user.planEndsAtMs <= nowMs) return "none";
  return user.plan;
}

export function levelNow(user: PlanTerms, nowMs: number): number {
  return planByKey(planNow(user, nowMs)).level;
}

/** Until when the person's level is above 0; -Infinity: it is not; Infinity: without end. */
export function paidUntilMs(user: PlanTerms): number {
  return levelNow(user, -Infinity) > 0 ? (user.planEndsAtMs ?? Infinity) : -Infinity;
}

/** The lane of the person's automatic purchases; null if the plan has none. */
export function autobuyLaneNow(user: PlanTerms, nowMs: number): Exclude<Lane, "click"> | null {
  const lane = planByKey(planNow(user, nowMs)).lane;
  return lane === "thunder" || lane === "acquire" ? lane : null;
}

/** The reason of an account's stop while its person is being erased. */
export const ERASURE = "erasure";
