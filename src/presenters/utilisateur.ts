import type { Utilisateur } from "#contract/compte.ts";
import { levelNow, planNow, type User } from "#domain/user.ts";
import { pictureLink } from "./market-links.ts";

/** @param waitlistPlace their place on the waiting list; null with a plan */
export function presentUtilisateur(
  user: User,
  nowMs: number,
  waitlistPlace: { readonly rank: number; readonly total: number } | null,
): Utilisateur {
  const plan = planNow(user, nowMs);
  return {
    level: levelNow(user, nowMs),
    picture: pictureLink(user.pictureUrl),
    name: user.displayName === "" ? user.login : user.displayName,
    email: user.email,
    plan,
    fin: plan === "none" ? null : user.planEndsAtMs,
    ...(plan === "none" && waitlistPlace !== null ? { waitlist: { ...waitlistPlace } } : {}),
  };
}
