import type { Clock } from "#domain/clock.ts";
import { sleep } from "#domain/clock.ts";
import type { Log } from "#domain/log.ts";
import type { Worker } from "./bus.ts";
import type { Redis, RedisClient } from "./redis.ts";
import { createRepairStream, type RepairStream } from "./stream-repair.ts";
import { entriesIn, entriesOf, MESSAGE_FIELD } from "./stream-ear.ts";

/**
 * One worker of a stream's group. What it takes stays pending under its name until it is done; while it is being
 * done its idle time is set back again and again, so that others take up only what a silent worker left. What has
 * been taken up too often is put aside: it is the message that fails, or ends whoever takes it.
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
/** Looked through at once for what others left. */
const TENDED_AT_ONCE = 500;
const MAX_UNDER_WAY = 2_000;
const AGAIN_AFTER_MS = 200;
/** A message waits for so many silences between them: it is no passing trouble that fails it. */
const MAX_DELIVERIES = 5;
const MAX_ASIDE = 1_000;
const ASIDE_FOR_S = 7 * 86_400;

/** Where the messages of a stream stand that nobody could work off. */
export function asideKey(key: string): string {
  return `${key}:aside`;
}

export async function startStreamWorker(deps: StreamWorkerDeps): Promise<StreamWorker> {
  const connection = await deps.redis.connection();
  await createRepairStream(deps.redis)(deps.key);
  await makeGroup(deps.redis.client, deps.key);
  return new GroupWorker(deps, connection);
}

class GroupWorker implements StreamWorker {
  readonly #deps: StreamWorkerDeps;
  readonly #connection: RedisClient;
  readonly #repair: RepairStream;
  readonly #underWay = new Map<string, Promise<void>>();
  /** What it could not do before it ended. */
  readonly #left = new Set<string>();
  readonly #looping: Promise<void>;
  #isStopped = false;
  #forget: () => void = () => undefined;

  constructor(deps: StreamWorkerDeps, connection: RedisClient) {
    this.#deps = deps;
    this.#connection = connection;
    this.#repair = createRepairStream(deps.redis);
    this.#looping = this.#loop();
    this.#tendLater();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#forget();
    await this.#looping;
    await Promise.all(this.#underWay.values());
    await this.#leave();
  }

  #take(id: string, message: string | null): void {
    if (this.#underWay.has(id)) return;
    const work = this.#do(id, message).finally(() => this.#underWay.delete(id));
    this.#underWay.set(id, work);
  }

  /** Done is gone from the stream; failed stays pending, and is taken up again. */
  async #do(id: string, message: string | null): Promise<void> {
    const { redis, key, worker, log } = this.#deps;
    try {
      if (message !== null) await worker.take(message);
      await redis.client.multi().xAck(key, GROUP, id).xDel(key, id).exec();
    } catch (error) {
      if (this.#isStopped) this.#left.add(id);
      else log.warn(nameOf(error), "work failed and is taken up again");
    }
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
        log.warn(nameOf(error), "no work could be taken");
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
    const { redis, key, name, worker, log } = this.#deps;
    const { client } = redis;
    if (await this.#repair(key)) log.warn({ task: key }, "a stream that somebody else spoilt was dropped");
    const own = [...this.#underWay.keys()];
    // Our own first: what is being done must never look abandoned.
    if (own.length > 0) await client.xClaimJustId(key, GROUP, name, 0, own);
    // Everything at once: what a busy worker leaves must not grow stale while it is taken up bit by bit.
    while (!this.#isStopped && this.#underWay.size < MAX_UNDER_WAY) {
      const abandoned = await client.xPendingRange(key, GROUP, "-", "+", TENDED_AT_ONCE, {
        IDLE: worker.silenceMs,
      });
      const ids = abandoned.map(({ id }) => id);
      if (ids.length === 0) return;
      const deliveries = new Map(abandoned.map(({ id, deliveriesCounter }) => [id, deliveriesCounter]));
      // Of several who try only one has it: the claim sets back how long it was idle.
      const claimed = entriesIn(await client.xClaim(key, GROUP, name, worker.silenceMs, ids));
      for (const { id, message } of claimed)
        if ((deliveries.get(id) ?? 0) < MAX_DELIVERIES) this.#take(id, message);
        else await this.#putAside(id, message);
      if (ids.length < TENDED_AT_ONCE) return;
    }
  }

  async #putAside(id: string, message: string | null): Promise<void> {
    const { redis, key, log } = this.#deps;
    const aside = asideKey(key);
    log.error({ task: key }, "a message that nobody could work off was put aside");
    await redis.client
      .multi()
      .xAdd(
        aside,
        "*",
        { [MESSAGE_FIELD]: message ?? "" },
        { TRIM: { strategy: "MAXLEN", strategyModifier: "~", threshold: MAX_ASIDE } },
      )
      .expire(aside, ASIDE_FOR_S)
      .xAck(key, GROUP, id)
      .xDel(key, id)
      .exec();
  }

  /** An orderly end: others take up at once what is left, as if nobody had had it. */
  async #leave(): Promise<void> {
    const { redis, key, name, worker } = this.#deps;
    if (this.#left.size === 0 || !redis.client.isReady) return;
    const options = { IDLE: worker.silenceMs, RETRYCOUNT: 0 };
    await redis.client.xClaimJustId(key, GROUP, name, 0, [...this.#left], options).catch(() => undefined);
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

function nameOf(error: unknown): { readonly errorName: string } {
  return { errorName: error instanceof Error ? error.name : "unknown" };
}

async function makeGroup(client: RedisClient, key: string): Promise<void> {
  try {
    await client.xGroupCreate(key, GROUP, "0", { MKSTREAM: true });
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith("BUSYGROUP")) throw error;
  }
}
