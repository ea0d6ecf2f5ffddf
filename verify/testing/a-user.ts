import { asUserId } from "#domain/ids.ts";
import type { User } from "#domain/user.ts";
import { A_MOMENT_MS } from "./fake-clock.ts";

/** A person with the Thunder plan. */
export function aUser(traits: Partial<User> = {}): User {
  return {
    id: asUserId("0193-user"),
    provider: "sandbox",
    providerId: "1",
    login: "thunder-lea",
    displayName: "Léa",
    email: "lea@example.org",
    pictureUrl: null,
    plan: "thunder",
    planEndsAtMs: null,
    isSuspended: false,
    createdAtMs: A_MOMENT_MS,
    ...traits,
  };
}
