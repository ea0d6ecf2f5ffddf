import { createHttpMarketplace, type HttpMarketplaceOptions } from "#marketplace/http-marketplace.ts";
import type { Marketplace } from "#marketplace/marketplace.ts";
import { createRequestBudget } from "#marketplace/request-budget.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "#sandbox/sandbox.ts";
import { systemClock } from "#server/clock.ts";
import { createQuietLog } from "./quiet-log.ts";

/** A sandbox in memory on a free port; it publishes only the listings that the test adds. */
export async function startTestSandbox(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const [log, clock] = [createQuietLog(), systemClock];
  const nothing = { dataDir: null, seed: 1, listingsPerSecond: 0 };
  return await startSandbox({ port: 0, host: "127.0.0.1", ...nothing, log, clock, ...options });
}

/** The HTTP adapter, without a limit of its requests. */
export function aMarketplaceAt(
  origin: string,
  options: Partial<HttpMarketplaceOptions> = {},
): Marketplace & AsyncDisposable {
  const lane = { perSecond: Infinity, burst: 1 };
  const budget = createRequestBudget(systemClock, { read: lane, buy: lane });
  return createHttpMarketplace({
    origin,
    userAgent: "Synapse (tests)",
    clock: systemClock,
    budget,
    ...options,
  });
}
