/** The failures that a cluster must survive. */
import type { Cluster } from "./cluster.ts";
import type { FailoverWorld } from "./failover-world.ts";

interface Failure {
  readonly name: string;
  readonly inject: (world: FailoverWorld) => Promise<void>;
  /** How long the shared service is unavailable; absent: the cluster keeps working. */
  readonly outageMs?: number;
}

const SHORT_S = 5;
/** Longer than a node survives without the service. */
const LONG_S = 14;

export const FAILURES: readonly Failure[] = [
  {
    name: "kill -9 of the reading node",
    inject: async (world) => await replace(world.cluster, await world.reader()),
  },
  {
    name: "kill -9 of a matcher",
    inject: async (world) =>
      await replace(world.cluster, (await world.reader()) === "read-match" ? "match-buy" : "read-match"),
  },
  {
    name: "kill -9 of a buyer",
    inject: async (world) =>
      await replace(world.cluster, (await world.reader()) === "read-buy" ? "match-buy" : "read-buy"),
  },
  {
    name: "kill -9 of a web node",
    inject: async ({ cluster }) => {
      // The page is connected to one of the two.
      await replace(cluster, "web-1");
      await replace(cluster, "web-2");
    },
  },
  { name: "kill -9 of Redis, back at once", inject: async ({ cluster }) => await cluster.redis.restart() },
  {
    name: `kill -9 of Redis, back after ${SHORT_S} s`,
    inject: async ({ cluster }) => await cluster.redis.restart(SHORT_S * 1_000),
    outageMs: SHORT_S * 1_000,
  },
  {
    name: "end of PostgreSQL, back at once",
    inject: async ({ cluster }) => await cluster.postgres.restart(),
  },
  {
    name: `end of PostgreSQL, back after ${SHORT_S} s`,
    inject: async ({ cluster }) => await cluster.postgres.restart(SHORT_S * 1_000),
    outageMs: SHORT_S * 1_000,
  },
  {
    name: `end of PostgreSQL, back after ${LONG_S} s`,
    inject: async ({ cluster }) => await cluster.postgres.restart(LONG_S * 1_000),
    outageMs: LONG_S * 1_000,
  },
];

const GONE_FOR_MS = 15_000;

/** Stays down long enough for the other nodes to take over its work. */
async function replace(cluster: Cluster, name: string): Promise<void> {
  await cluster.kill(name);
  await new Promise((resolve) => void setTimeout(resolve, GONE_FOR_MS));
  await cluster.revive(name);
}
