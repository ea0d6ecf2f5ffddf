import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type Redis, openRedis } from "#cluster/redis.ts";
import { systemClock } from "#server/clock.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { type RedisServer, openRedisServer } from "#verify/testing/redis-server.ts";
import { MESSAGE_FIELD } from "./stream-consumer.ts";
import { type Consumer, deadLetterKey, type GroupConsumer, startGroupConsumer } from "./group-consumer.ts";

/** Consumers of one stream on a real Redis. */

const SILENCE_MS = 200;

let server: RedisServer;
let redis: Redis;
const log = createQuietLog();
let number = 0;
let key: string;
let workers: GroupConsumer[] = [];

beforeAll(async () => {
  server = await openRedisServer();
  redis = await openRedis({ url: server.url, log });
});
afterAll(async () => {
  await redis[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.stop();
});

async function working(
  name: string,
  take: Consumer["handle"],
  silenceMs = SILENCE_MS,
): Promise<GroupConsumer> {
  const parts = { redis, key, name, clock: systemClock, log };
  const started = await startGroupConsumer({
    ...parts,
    consumer: { handle: take, idleTimeoutMs: silenceMs },
  });
  workers.push(started);
  return started;
}

async function give(...messages: readonly string[]): Promise<void> {
  for (const message of messages) await redis.client.xAdd(key, "*", { [MESSAGE_FIELD]: message });
}

function begin(): void {
  number += 1;
  key = `test:${number}`;
  workers = [];
}

test("a message that always fails goes to the dead-letter stream after a few deliveries, and blocks no other", async () => {
  begin();
  let tries = 0;
  const done: string[] = [];
  const take = async (message: string): Promise<void> => {
    if (message === "poison") {
      tries += 1;
      throw new Error("it cannot be read");
    }
    done.push(message);
  };
  await working("one", take);
  await working("two", take);
  await give("before", "poison", "after");
  await expect.poll(() => redis.client.xLen(deadLetterKey(key))).toBe(1);
  expect(done).toEqual(["before", "after"]);
  expect(tries).toBe(5);
  expect(await redis.client.xLen(key)).toBe(0);
  const [aside] = (await redis.client.xRange(deadLetterKey(key), "-", "+")) ?? [];
  expect(aside?.message).toEqual({ [MESSAGE_FIELD]: "poison" });
  expect(await redis.client.ttl(deadLetterKey(key))).toBeGreaterThan(0);
  const said = log.lines.filter(({ message }) => message.includes("dead-letter stream"));
  expect(said).toHaveLength(1);
  expect(JSON.stringify(said)).not.toContain("poison");
});

test("all messages of a consumer that stopped responding are claimed together by another", async () => {
  begin();
  const LONG_MS = 2_000;
  const messages = Array.from({ length: 1_500 }, (_, index) => `wish ${index}`);
  await give(...messages);
  // The consumer of these messages has been idle for longer than the timeout.
  await redis.client.xGroupCreate(key, "workers", "0");
  await redis.client.xReadGroup("workers", "gone", { key, id: ">" }, { COUNT: messages.length });
  const ids = (await redis.client.xPendingRange(key, "workers", "-", "+", messages.length)).map(
    ({ id }) => id,
  );
  await redis.client.xClaimJustId(key, "workers", "gone", 0, ids, { IDLE: LONG_MS });
  const taken = new Set<string>();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await working(
    "next",
    async (message) => {
      taken.add(message);
      await held;
    },
    LONG_MS,
  );
  await expect.poll(() => taken.size).toBe(messages.length);
  release();
  await expect.poll(() => redis.client.xLen(key)).toBe(0);
});

test("messages that an orderly stop leaves are claimed by another without waiting for the idle timeout", async () => {
  begin();
  const LONG_MS = 60_000;
  const end = Promise.withResolvers<void>();
  const taken = Promise.withResolvers<void>();
  const leaving = await working(
    "leaving",
    async () => {
      taken.resolve();
      await end.promise;
      throw new Error("this node ends");
    },
    LONG_MS,
  );
  await give("half done");
  await taken.promise;
  end.reject(new Error("this node ends"));
  await leaving.stop();
  const [left] = await redis.client.xPendingRange(key, "workers", "-", "+", 10, { IDLE: LONG_MS });
  expect(left).toMatchObject({ consumer: "leaving", deliveriesCounter: 0 });
});
