import type { Clock } from "#domain/clock.ts";
import { sleep } from "#domain/clock.ts";
import type { Log } from "#domain/log.ts";
import type { Worker } from "./bus.ts";
import type { Redis, RedisClient } from "./redis.ts";
import { entriesIn, entriesOf } from "./stream-ear.ts";

/**
 * One worker of a stream's group. What it takes stays pending under its name until it is done; while it is being
 * done its idle time is set back again and again, so that others take up only what a silent worker left.
 */
export interface StreamWorker {
  stop(): Promise<void>;
}

export interface StreamWorkerDeps {
  readonly redis: Redis;
  readonly key: string;
  /** Names this process among the workers. */
  readonly name: string;
  readonly worker: Worker;
  readonly clock: Clock;
  readonly log: Log;
}

const GROUP = "workers";
const BLOCK_MS = 1_000;
const TAKEN_AT_ONCE = 20;
const MAX_UNDER_WAY = 2_000;
const AGAIN_AFTER_MS = 200;

export async function startStreamWorker(deps: StreamWorkerDeps): Promise<StreamWorker> {
  const connection = await deps.redis.connection();
  await makeGroup(deps.redis.client, deps.key);
  return new GroupWorker(deps, connection);
}

class GroupWorker implements StreamWorker {
  readonly #deps: StreamWorkerDeps;
  readonly #connection: RedisClient;
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #looping: Promise<void>;
  #isStopped = false;
  #forget: () => void = () => undefined;

  constructor(deps: StreamWorkerDeps, connection: RedisClient) {
    this.#deps = deps;
    this.#connection = connection;
    this.#looping = this.#loop();
    this.#tendLater();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#forget();
    await this.#looping;
    await Promise.all(this.#underWay.values());
  }

  #take(id: string, message: string | null): void {
    if (this.#underWay.has(id)) return;
    const work = doWork(this.#deps, id, message).finally(() => this.#underWay.delete(id));
    this.#underWay.set(id, work);
  }

  async #loop(): Promise<void> {
    const { redis, key, clock, log } = this.#deps;
    while (!this.#isStopped) {
      if (this.#underWay.size >= MAX_UNDER_WAY) {
        await sleep(clock, AGAIN_AFTER_MS);
        continue;
      }
      try {
        await this.#takeNew();
      } catch (error) {
        if (this.#isStopped) return;
        log.warn({ errorName: error instanceof Error ? error.name : "unknown" }, "no work could be taken");
        await sleep(clock, AGAIN_AFTER_MS);
        // A Redis that came back empty knows no group.
        await makeGroup(redis.client, key).catch(() => undefined);
      }
    }
  }

  async #takeNew(): Promise<void> {
    const { key, name } = this.#deps;
    const options = { BLOCK: BLOCK_MS, COUNT: TAKEN_AT_ONCE };
    const answer = await this.#connection.xReadGroup(GROUP, name, [{ key, id: ">" }], options);
    for (const { id, message } of entriesOf(answer)) this.#take(id, message);
  }

  async #tend(): Promise<void> {
    const { redis, key, name, worker } = this.#deps;
    const { client } = redis;
    const own = [...this.#underWay.keys()];
    // Our own first: what is being done must never look abandoned.
    if (own.length > 0) await client.xClaimJustId(key, GROUP, name, 0, own);
    const { messages } = await client.xAutoClaim(key, GROUP, name, worker.silenceMs, "0-0", {
      COUNT: TAKEN_AT_ONCE,
    });
    for (const { id, message } of entriesIn(messages)) this.#take(id, message);
  }

  #tendLater(): void {
    if (this.#isStopped) return;
    this.#forget = this.#deps.clock.schedule(this.#deps.worker.silenceMs / 4, () => {
      // It is done again soon: what failed once is no matter.
      void this.#tend()
        .catch(() => undefined)
        .finally(() => this.#tendLater());
    });
  }
}

async function makeGroup(client: RedisClient, key: string): Promise<void> {
  try {
    await client.xGroupCreate(key, GROUP, "0", { MKSTREAM: true });
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith("BUSYGROUP")) throw error;
  }
}

/** Done is gone from the stream; failed stays pending, and is taken up again. */
async function doWork(
  { redis, key, worker, log }: StreamWorkerDeps,
  id: string,
  message: string | null,
): Promise<void> {
  try {
    if (message !== null) await worker.take(message);
    await redis.client.multi().xAck(key, GROUP, id).xDel(key, id).exec();
  } catch (error) {
    log.warn(
      { errorName: error instanceof Error ? error.name : "unknown" },
      "work failed and is taken up again",
    );
  }
}
