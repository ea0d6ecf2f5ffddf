import { Secret } from "#domain/secret.ts";
import type { User } from "#domain/user.ts";
import type { SettingsChange } from "#store/store.ts";

/** What a person of the sandbox finds at the first sign-in (contract §2). */
export interface Welcome {
  readonly plan: Exclude<User["plan"], "none">;
  readonly settings: SettingsChange;
}

const WELCOMED_PLANS = ["seeker", "acquire", "thunder"] as const;

/**
 * The plan and the settings of a persona whose name begins with that plan's; null for every other name, which starts
 * at level 0 with empty settings. For the sandbox's provider only: elsewhere a name is no proof of anything.
 */
export function sandboxWelcome(login: string): Welcome | null {
  const plan = WELCOMED_PLANS.find((name) => login.startsWith(name));
  if (plan === undefined) return null;
  return {
    plan,
    settings: {
      refreshToken: new Secret(`sandbox-${login}`),
      address: { street: "12 rue de la Roquette", city: "Paris", postalCode: 75_011, country: "France" },
      pickupPointNames: ["Relais Colis Bastille"],
    },
  };
}
