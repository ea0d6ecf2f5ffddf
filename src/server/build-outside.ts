/** The outside services: the marketplace within its budget, and the sign-in provider. */
import type { OAuthProvider } from "#auth/oauth-providers.ts";
import { discordProvider, sandboxProvider } from "#auth/oauth-providers.ts";
import type { Clock } from "#domain/clock.ts";
import { createHttpMarketplace } from "#marketplace/http-marketplace.ts";
import type { RequestBudget } from "#marketplace/request-budget.ts";
import { createRequestBudget } from "#marketplace/request-budget.ts";
import { createSharedBudget } from "#cluster/shared-budget.ts";
import type { SharedPace } from "#cluster/shared-pace.ts";
import type { Config, Secrets } from "./config.ts";
import { StartRefused } from "./start-refused.ts";

const VERSION = "0.1.0";

/** @param pace the shared rate limit of several nodes, so that the budget covers all of them */
export function buildBudget({ marketplace }: Config, clock: Clock, pace: SharedPace | null): RequestBudget {
  const { requestsPerSecond, buyingRequestsPerSecond: buying } = marketplace;
  const rates = {
    // Evenly spaced, so that a host with short rate windows never sees a burst of reads.
    read: { perSecond: requestsPerSecond, burst: 1 },
    buy: buying === null ? { perSecond: Infinity, burst: 1 } : { perSecond: buying, burst: buying },
  };
  return pace === null ? createRequestBudget(clock, rates) : createSharedBudget(clock, pace, rates);
}

export function buildMarketplace(config: Config, clock: Clock, budget: RequestBudget) {
  return createHttpMarketplace({
    origin: config.marketplace.url,
    // An honest name, with a contact address.
    userAgent: `Synapse/${VERSION} (+${config.publicUrl}; ${config.supportEmail})`,
    clock,
    budget,
  });
}

export function buildSignInProvider(config: Config, secrets: Secrets): OAuthProvider {
  if (config.signIn.kind === "sandbox") return sandboxProvider(config.marketplace);
  const { discordClientSecret: secret } = secrets;
  if (secret === null) throw new StartRefused("DISCORD_CLIENT_SECRET is missing");
  return discordProvider({ id: config.signIn.clientId, secret });
}
