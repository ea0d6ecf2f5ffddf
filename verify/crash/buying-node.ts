/**
 * A buying process to be killed: the real engine on one PostgreSQL database and one sandbox, with the
 * heartbeat by which others detect its death. Its parent sends wishes. Argument: BuyingNodeSettings as JSON.
 */
import { z } from "zod";
import { createNodeLife } from "#cluster/node-life.ts";
import { enginesOver } from "#purchasing/buying-world.suite.ts";
import { systemClock } from "#server/clock.ts";
import { createEventBus } from "#server/events.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { openPostgresTestStore } from "#verify/testing/test-store.ts";
import type { AutobuyWish } from "#domain/market/match.ts";
import { aMarketplaceAt } from "#verify/testing/a-sandbox.ts";

const settings = z.object({
  databaseUrl: z.string(),
  masterKeys: z.string(),
  sandboxUrl: z.string(),
  /** Unique per process: the owner of its leases. */
  owner: z.string(),
});
export type BuyingNodeSettings = z.infer<typeof settings>;

const {
  databaseUrl,
  masterKeys,
  sandboxUrl: origin,
  owner,
} = settings.parse(JSON.parse(process.argv[2] ?? ""));
const log = createQuietLog();
const { store } = await openPostgresTestStore(databaseUrl, { masterKeys });
const marketplace = aMarketplaceAt(origin);
const startEngine = enginesOver({ store, marketplace, events: createEventBus(log), log, options: {} });
const life = createNodeLife({
  nodes: store.nodes,
  id: owner,
  clock: systemClock,
  log,
  onFatal: () => process.exit(1),
});
await life.run();
const { purchasing } = await startEngine({ owner, isSoleNode: false, isAlive: () => life.isAlive() });
process.on("message", (wishes: readonly AutobuyWish[]) => purchasing.offer(wishes));
process.on("disconnect", () => process.exit());
process.send?.("ready");
