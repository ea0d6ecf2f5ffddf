/** Everything that several nodes may lose while they go on. */
import type { Cluster } from "./cluster.ts";
import type { FailoverWorld } from "./failover-world.ts";

export interface Break {
  readonly name: string;
  readonly happen: (world: FailoverWorld) => Promise<void>;
}

export const BREAKS: readonly Break[] = [
  {
    name: "kill -9 of the reading node",
    happen: async (world) => await replace(world.cluster, await world.reader()),
  },
  {
    name: "kill -9 of a matcher",
    happen: async (world) =>
      await replace(world.cluster, (await world.reader()) === "read-match" ? "match-buy" : "read-match"),
  },
  {
    name: "kill -9 of a buyer",
    happen: async (world) =>
      await replace(world.cluster, (await world.reader()) === "read-buy" ? "match-buy" : "read-buy"),
  },
  {
    name: "kill -9 of a web node",
    happen: async ({ cluster }) => {
      // Wherever the page is, one of the two is its own.
      await replace(cluster, "web-1");
      await replace(cluster, "web-2");
    },
  },
  { name: "restart of Redis", happen: async ({ cluster }) => await cluster.redis.restart() },
  { name: "restart of PostgreSQL", happen: async ({ cluster }) => await cluster.postgres.restart() },
];

const GONE_FOR_MS = 15_000;

/** Gone long enough for the others to take everything over. */
async function replace(cluster: Cluster, name: string): Promise<void> {
  await cluster.kill(name);
  await new Promise((resolve) => void setTimeout(resolve, GONE_FOR_MS));
  await cluster.revive(name);
}
