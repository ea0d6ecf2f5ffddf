/** Connects several processes to one product: Redis, and the nodes' signs of life. */
import type { Clock } from "#domain/clock.ts";
import { sleep } from "#domain/clock.ts";
import type { Log } from "#domain/log.ts";
import type { Bus } from "#cluster/bus.ts";
import { createRedisBus } from "#cluster/bus.ts";
import type { NodeLife } from "#cluster/node-life.ts";
import { createNodeLife, LIFE_MS, ONLY_NODE } from "#cluster/node-life.ts";
import type { Redis } from "#cluster/redis.ts";
import { openRedis, RedisUnreachable } from "#cluster/redis.ts";
import type { Signatures } from "#cluster/signatures.ts";
import { createSignatures } from "#cluster/signatures.ts";
import type { SharedPace } from "#cluster/shared-pace.ts";
import { createSharedPace } from "#cluster/shared-pace.ts";
import type { OpenStore } from "#store/open-store.ts";
import type { ProductOptions } from "./product-options.ts";
import { runPart } from "./services.ts";
import { StartLater, StartRefused } from "./start-refused.ts";

/** What the nodes share besides the database. */
export interface Cluster {
  readonly redis: Redis;
  readonly bus: Bus;
  readonly signatures: Signatures;
  readonly pace: SharedPace;
}

/** Null without REDIS_URL: this process is the whole product. */
export async function buildCluster(
  { secrets, clock, log }: ProductOptions,
  { store, owner }: { readonly store: Pick<OpenStore, "sharedKey">; readonly owner: string },
  stack: AsyncDisposableStack,
): Promise<Cluster | null> {
  const url = secrets.redisUrl?.reveal();
  if (url === undefined) return null;
  const redis = stack.use(await openOrRefuse(url, log));
  const signatures = createSignatures(store.sharedKey("bus"), log);
  const bus = createRedisBus({ redis, name: owner, signatures, clock, log });
  stack.defer(() => bus.stop());
  return { redis, bus, signatures, pace: createSharedPace(redis) };
}

async function openOrRefuse(url: string, log: Log): Promise<Redis> {
  try {
    return await openRedis({ url, log });
  } catch (error) {
    if (!(error instanceof RedisUnreachable)) throw error;
    throw error.mayPass ? new StartLater(error.message) : new StartRefused(error.message);
  }
}

/** Registers this process as a node, unless its database is the embedded one. */
export async function beginLife(
  options: ProductOptions,
  { store, owner }: { readonly store: OpenStore; readonly owner: string },
  stack: AsyncDisposableStack,
): Promise<Pick<NodeLife, "isAlive">> {
  const { secrets, clock, log, onFatal } = options;
  if (secrets.databaseUrl === null) return ONLY_NODE;
  if (secrets.redisUrl === null) await refuseCompany(store, owner, clock);
  const life = createNodeLife({ nodes: store.nodes, id: owner, clock, log, onFatal });
  await runPart({ name: "life", service: life }, stack, options);
  return life;
}

/** A little more than two renewals of a living node. */
const COMPANY_WATCHED_MS = 2_500;

/** Without Redis, two processes would not receive each other's changes of filters and purchases. */
async function refuseCompany(store: OpenStore, owner: string, clock: Clock): Promise<void> {
  const before = await store.nodes.others(owner);
  if (before.size === 0) return;
  // A process that was killed a moment ago is still registered but no longer renews.
  await sleep(clock, Math.min(COMPANY_WATCHED_MS, LIFE_MS));
  const after = await store.nodes.others(owner);
  for (const [id, aliveUntilMs] of after)
    if (aliveUntilMs !== before.get(id))
      throw new StartRefused("another process uses this database: several nodes need REDIS_URL");
}
