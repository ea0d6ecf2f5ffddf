import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { asUserId } from "#domain/ids.ts";
import type { Bus } from "#cluster/bus.ts";
import { createRedisBus, keyOf } from "#cluster/bus.ts";
import type { Redis } from "#cluster/redis.ts";
import { openRedis } from "#cluster/redis.ts";
import { createSharedPace } from "#cluster/shared-pace.ts";
import { createSignatures } from "#cluster/signatures.ts";
import { systemClock } from "#server/clock.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import type { RedisServer } from "#verify/testing/redis-server.ts";
import { openRedisServer } from "#verify/testing/redis-server.ts";
import { createPublishWithCursors, MATCHES_TOPIC, readCursor } from "./stream-cursors.ts";
import { createSocketAdapter } from "./socket-adapter.ts";
import { entriesIn } from "./stream-consumer.ts";
import { isFarAhead } from "./stream-repair.ts";
import { createWatchers } from "./watchers.ts";

/** A corrupted key in Redis does not stop the nodes for longer than a moment. */

const SOON = { timeout: 20_000, interval: 20 };
const LAST_PLACE = "18446744073709551615-18446744073709551615";
const FAR_PLACE = "9999999999999999-0";

let server: RedisServer;
let redis: Redis;
let bus: Bus & { stop(): Promise<void> };
const log = createQuietLog();
const signatures = createSignatures(new Uint8Array(32).fill(7), log);

beforeAll(async () => {
  server = await openRedisServer();
});
afterAll(async () => await server[Symbol.asyncDispose]());
afterEach(async () => {
  const { client } = redis;
  await client.flushAll();
  await bus.stop();
  await redis[Symbol.asyncDispose]();
});

async function begin(): Promise<void> {
  redis = await openRedis({ url: server.url, log });
  bus = createRedisBus({ redis, name: "one", signatures, clock: systemClock, log });
}

const poisons: readonly (readonly [string, (key: string) => Promise<unknown>])[] = [
  ["at the highest id", async (key) => await redis.client.xAdd(key, LAST_PLACE, { m: "forged" })],
  ["far in the future", async (key) => await redis.client.xAdd(key, FAR_PLACE, { m: "forged" })],
  ["as another type", async (key) => await redis.client.set(key, "forged")],
];

test.each(poisons)("published messages arrive again after a forged entry %s", async (what, write) => {
  await begin();
  const heard: string[] = [];
  await bus.subscribe("events", (message) => heard.push(message));
  await bus.publish("events", "before");
  await expect.poll(() => heard, SOON).toContain("before");
  if (what === "as another type") await redis.client.del(keyOf("events"));
  await write(keyOf("events"));
  let n = 0;
  const tellsAgain = async (): Promise<boolean> => {
    n += 1;
    await bus.publish("events", `after ${n}`).catch(() => undefined);
    const entries = (await redis.client.xRange(keyOf("events"), "-", "+")) ?? [];
    const newest = entriesIn(entries).at(-1)?.id ?? LAST_PLACE;
    return heard.some((text) => text.startsWith("after")) && !isFarAhead(newest, Date.now());
  };
  await expect.poll(tellsAgain, SOON).toBe(true);
  // After a flush of Redis no node needs a restart.
  await redis.client.flushAll();
  // A message within the millisecond of the last one has its id and is taken for it, hence the repetition.
  const hearsAnew = async (): Promise<readonly string[]> => {
    await bus.publish("events", "at last");
    return heard;
  };
  await expect.poll(hearsAnew, SOON).toContain("at last");
});

test("where a node's clock is hours behind, each message arrives once, with its own cursor", async () => {
  await begin();
  const behind = { ...systemClock, nowMs: () => Date.now() - 7_200_000 };
  const slow = createRedisBus({ redis, name: "slow", signatures, clock: behind, log });
  const heard: [string, boolean][] = [];
  await slow.subscribe(MATCHES_TOPIC, (message, cursor, publishedAtMs) =>
    heard.push([message, readCursor(cursor, publishedAtMs) !== null]),
  );
  const tell = createPublishWithCursors(redis, signatures);
  for (const text of ["one", "two", "three"]) await tell(1, text);
  await expect.poll(() => heard.length, SOON).toBeGreaterThanOrEqual(3);
  await tell(1, "four");
  await expect.poll(() => heard.some(([text]) => text === "four"), SOON).toBe(true);
  expect(heard).toEqual(["one", "two", "three", "four"].map((text) => [text, true]));
  await slow.stop();
});

test.each(poisons)("enqueued messages are handled again after a forged entry %s", async (what, write) => {
  await begin();
  const done: string[] = [];
  const take = async (message: string): Promise<void> => void done.push(message);
  await bus.consume("wishes", { handle: take, idleTimeoutMs: 400 });
  if (what === "as another type") await redis.client.del(keyOf("wishes"));
  await write(keyOf("wishes"));
  const givesAgain = async (): Promise<boolean> => {
    await bus.enqueue("wishes", "after").catch(() => undefined);
    return done.includes("after");
  };
  await expect.poll(givesAgain, SOON).toBe(true);
});

test.each(["1e300", "inf", "nan", "words"])(
  "a rate limit whose key was overwritten (%s) lets people through",
  async (paid) => {
    await begin();
    await redis.client.set("synapse:1:pace:read zoe", paid);
    const pace = createSharedPace(redis);
    const strictly = { everyMs: 1_000, burst: 2, isStrict: true };
    const waits = [0, 1, 2].map(async () => await pace.take("read zoe", strictly));
    const [first, second, third] = await Promise.all(waits);
    expect([first, second]).toEqual([0, 0]);
    expect(third).toBeGreaterThan(0);
  },
);

test("a replayed message with a cursor years ahead has none", async () => {
  await begin();
  const nowMs = Date.now();
  const perMs = 4_096;
  expect(readCursor(String(nowMs * perMs), nowMs)).toBe(BigInt(nowMs * perMs));
  for (const place of [(nowMs + 3_700_000) * perMs, 9_007_199_254_740_991])
    expect(readCursor(String(place), nowMs)).toBeNull();
});

test.each(["for good", "as another type"])("watchers are known after a forged entry %s", async (what) => {
  await begin();
  const watching = keyOf("watching");
  if (what === "for good") await redis.client.zAdd(watching, { score: Infinity, value: "nobody" });
  else await redis.client.set(watching, "forged");
  const watchers = createWatchers(redis, () => Date.now());
  await watchers.all();
  watchers.set(asUserId("zoe"), true);
  await expect.poll(async () => [...(await watchers.all())], SOON).toEqual(["zoe"]);
});

test("the socket library does not read faster when its channel was overwritten", async () => {
  await begin();
  await redis.client.set("synapse:1:sockets", "forged");
  await createSocketAdapter(redis, signatures, systemClock);
  const askedCount = async (): Promise<number> => {
    const told = await redis.client.info("commandstats");
    return Number(/^cmdstat_xread:calls=(\d+)/m.exec(told)?.[1] ?? 0);
  };
  const before = await askedCount();
  await expect.poll(askedCount, SOON).toBeGreaterThan(before + 2);
  // Without a pause it asks tens of thousands of times a second.
  expect(await askedCount()).toBeLessThan(before + 20);
});
