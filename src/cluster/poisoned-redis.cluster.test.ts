import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { asUserId } from "#domain/ids.ts";
import type { Bus } from "#cluster/bus.ts";
import { createRedisBus, keyOf } from "#cluster/redis-bus.ts";
import type { Redis } from "#cluster/redis.ts";
import { openRedis } from "#cluster/redis.ts";
import { createSharedPace } from "#cluster/shared-pace.ts";
import { createSignatures } from "#cluster/signatures.ts";
import { systemClock } from "#server/clock.ts";
import { createQuietLog } from "#testing/quiet-log.ts";
import type { RedisServer } from "#testing/redis-server.ts";
import { openRedisServer } from "#testing/redis-server.ts";
import { createTellWithPlaces, MATCHES_TOPIC, readPlace } from "./places.ts";
import { createSocketAdapter } from "./socket-adapter.ts";
import { entriesIn } from "./stream-ear.ts";
import { isFarAhead } from "./stream-repair.ts";
import { createWatchers } from "./watchers.ts";

/** Somebody wrote once into Redis, and is gone: all goes on by itself. */

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
  ["at the last place of all", async (key) => await redis.client.xAdd(key, LAST_PLACE, { m: "forged" })],
  ["far in the future", async (key) => await redis.client.xAdd(key, FAR_PLACE, { m: "forged" })],
  ["as something else", async (key) => await redis.client.set(key, "forged")],
];

test.each(poisons)("what is told is heard again after somebody wrote %s", async (what, write) => {
  await begin();
  const heard: string[] = [];
  await bus.hear("events", (message) => heard.push(message));
  await bus.tell("events", "before");
  await expect.poll(() => heard, SOON).toContain("before");
  if (what === "as something else") await redis.client.del(keyOf("events"));
  await write(keyOf("events"));
  let n = 0;
  const tellsAgain = async (): Promise<boolean> => {
    n += 1;
    await bus.tell("events", `after ${n}`).catch(() => undefined);
    const entries = (await redis.client.xRange(keyOf("events"), "-", "+")) ?? [];
    const newest = entriesIn(entries).at(-1)?.id ?? LAST_PLACE;
    return heard.some((text) => text.startsWith("after")) && !isFarAhead(newest, Date.now());
  };
  await expect.poll(tellsAgain, SOON).toBe(true);
  // Whatever an operator does to Redis: nobody has to be started anew.
  await redis.client.flushAll();
  // What is told within the millisecond of the last that was heard has its place, and is taken for it.
  const hearsAnew = async (): Promise<readonly string[]> => {
    await bus.tell("events", "at last");
    return heard;
  };
  await expect.poll(hearsAnew, SOON).toContain("at last");
});

test("where a node's clock is hours behind, each message is heard once, with its own place", async () => {
  await begin();
  const behind = { ...systemClock, nowMs: () => Date.now() - 7_200_000 };
  const slow = createRedisBus({ redis, name: "slow", signatures, clock: behind, log });
  const heard: [string, boolean][] = [];
  await slow.hear(MATCHES_TOPIC, (message, place, toldAtMs) =>
    heard.push([message, readPlace(place, toldAtMs) !== null]),
  );
  const tell = createTellWithPlaces(redis, signatures);
  for (const text of ["one", "two", "three"]) await tell(1, text);
  await expect.poll(() => heard.length, SOON).toBeGreaterThanOrEqual(3);
  await tell(1, "four");
  await expect.poll(() => heard.some(([text]) => text === "four"), SOON).toBe(true);
  expect(heard).toEqual(["one", "two", "three", "four"].map((text) => [text, true]));
  await slow.stop();
});

test.each(poisons)("what is given is worked off again after somebody wrote %s", async (what, write) => {
  await begin();
  const done: string[] = [];
  const take = async (message: string): Promise<void> => void done.push(message);
  await bus.work("wishes", { take, silenceMs: 400 });
  if (what === "as something else") await redis.client.del(keyOf("wishes"));
  await write(keyOf("wishes"));
  const givesAgain = async (): Promise<boolean> => {
    await bus.give("wishes", "after").catch(() => undefined);
    return done.includes("after");
  };
  await expect.poll(givesAgain, SOON).toBe(true);
});

test.each(["1e300", "inf", "nan", "words"])(
  "a pace on whatever somebody else wrote (%s) lets people through",
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

test("a message of ours that is said again with a place of years ahead has none", async () => {
  await begin();
  const nowMs = Date.now();
  const perMs = 4_096;
  expect(readPlace(String(nowMs * perMs), nowMs)).toBe(BigInt(nowMs * perMs));
  for (const place of [(nowMs + 3_700_000) * perMs, 9_007_199_254_740_991])
    expect(readPlace(String(place), nowMs)).toBeNull();
});

test.each(["for good", "as something else"])("who watches is known after somebody wrote %s", async (what) => {
  await begin();
  const watching = keyOf("watching");
  if (what === "for good") await redis.client.zAdd(watching, { score: Infinity, value: "nobody" });
  else await redis.client.set(watching, "forged");
  const watchers = createWatchers(redis, () => Date.now());
  await watchers.all();
  watchers.set(asUserId("zoe"), true);
  await expect.poll(async () => [...(await watchers.all())], SOON).toEqual(["zoe"]);
});

test("the socket library asks no faster for a channel that somebody wrote over", async () => {
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
