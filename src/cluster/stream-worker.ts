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
  const { redis, key, clock, log } = deps;
  const connection = await redis.connection();
  await makeGroup(redis.client, key);
  const underWay = new Map<string, Promise<void>>();
  const life = { isStopped: false };
  let forget: () => void = () => undefined;

  function take(id: string, message: string | null): void {
    if (underWay.has(id)) return;
    const work = doWork(deps, id, message).finally(() => underWay.delete(id));
    underWay.set(id, work);
  }

  async function loop(): Promise<void> {
    while (!life.isStopped) {
      if (underWay.size >= MAX_UNDER_WAY) {
        await sleep(clock, AGAIN_AFTER_MS);
        continue;
      }
      try {
        const streams = [{ key, id: ">" }];
        const options = { BLOCK: BLOCK_MS, COUNT: TAKEN_AT_ONCE };
        const answer = await connection.xReadGroup(GROUP, deps.name, streams, options);
        for (const { id, message } of entriesOf(answer)) take(id, message);
      } catch (error) {
        if (life.isStopped) return;
        log.warn({ errorName: error instanceof Error ? error.name : "unknown" }, "no work could be taken");
        await sleep(clock, AGAIN_AFTER_MS);
        // A Redis that came back empty knows no group.
        await makeGroup(redis.client, key).catch(() => undefined);
      }
    }
  }

  async function tend(): Promise<void> {
    const { client } = redis;
    const own = [...underWay.keys()];
    // Our own first: what is being done must never look abandoned.
    if (own.length > 0) await client.xClaimJustId(key, GROUP, deps.name, 0, own);
    const { messages } = await client.xAutoClaim(key, GROUP, deps.name, deps.worker.silenceMs, "0-0", {
      COUNT: TAKEN_AT_ONCE,
    });
    for (const { id, message } of entriesIn(messages)) take(id, message);
  }

  function tendLater(): void {
    if (life.isStopped) return;
    forget = clock.schedule(deps.worker.silenceMs / 4, () => {
      void tend()
        .catch(() => undefined)
        .finally(tendLater);
    });
  }

  const looping = loop();
  tendLater();
  return {
    async stop() {
      life.isStopped = true;
      forget();
      await looping;
      await Promise.all(underWay.values());
    },
  };
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
