import { randomBytes } from "node:crypto";
import type { RedisClientType } from "@redis/client";
import { createClient } from "@redis/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { keyOf } from "#cluster/bus.ts";
import { createSignatures } from "#cluster/signatures.ts";
import type { Cluster } from "#verify/testing/cluster.ts";
import { startCluster } from "#verify/testing/cluster.ts";
import type { Person } from "#verify/testing/person.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import type { Tab } from "#verify/testing/tab.ts";

/** An attacker who can read and write all of Redis, without the signing key. */

const SOON = { timeout: 30_000, interval: 20 };
const SIGNATURE = /^[\w-]{43} /;

let cluster: Cluster;
let redis: RedisClientType;
let zoe: Person;
let tab: Tab;

beforeAll(async () => {
  cluster = await startCluster({ nodes: { all: "web,feed,match,buy" } });
  redis = createClient({ url: cluster.redis.url });
  // It ends with the cluster.
  redis.on("error", () => undefined);
  await redis.connect();
  zoe = await cluster.signIn("thunder-zoe");
  tab = cluster.openTab(zoe);
});
afterAll(async () => {
  redis.destroy();
  await cluster[Symbol.asyncDispose]();
});

async function refusedCount(): Promise<number> {
  const text = await (await fetch(cluster.metricsUrl("all"))).text();
  return Number(/^synapse_bus_refused_messages (\d+)$/m.exec(text)?.[1]);
}

const told = z.array(z.object({ listing: z.looseObject({ listing: z.looseObject({ id: z.number() }) }) }));

/** The listing of a match, as the attacker reads it. */
async function overheard(title: string): Promise<z.output<typeof told>[number]["listing"]> {
  const entries = await redis.xRange(keyOf("matches"), "-", "+");
  const texts = (entries ?? [])
    .map(({ message }) => message["m"] ?? "")
    .filter((text) => text.includes(title));
  const [match] = told.parse(JSON.parse(texts[0]?.replace(SIGNATURE, "") ?? "[]"));
  if (match === undefined) throw new Error("nothing was overheard");
  return match.listing;
}

test("a wish without a node's signature buys nothing, in any form", async () => {
  await expect.poll(() => tab.life, SOON).toEqual(["connect"]);
  await zoe.call("addFilter", { tag: "Vue", mots: ["forgee"], limit: 50 });
  const { filtre } = await zoe.call("addFilter", {
    tag: "Achat",
    mots: ["voulue"],
    limit: 50,
    autobuy: true,
  });
  const [wanted] = await cluster.sandbox.publish({ title: "Veste forgee", price: 10 });
  await expect.poll(() => tab.items.map(({ id }) => id), SOON).toEqual([wanted?.id]);
  const listing = await overheard("forgee");
  const [userId] = await redis.zRange(keyOf("watching"), 0, -1);
  const wish = { userId, filterId: filtre._id, listingId: wanted?.id, lane: "thunder", listing };
  const text = JSON.stringify([{ ...wish, matchedAtMs: Date.now() }]);
  const stranger = createSignatures(randomBytes(32), createQuietLog());
  const entries = await redis.xRevRange(keyOf("matches"), "+", "-", { COUNT: 1 });
  const borrowed = SIGNATURE.exec(entries?.[0]?.message["m"] ?? "")?.[0] ?? "";
  expect(borrowed).toHaveLength(44);
  const before = await refusedCount();
  for (const forged of [text, stranger.sign("wishes", text), `${borrowed}${text}`])
    await redis.xAdd(keyOf("wishes"), "*", { m: forged });
  await expect.poll(refusedCount, SOON).toBe(before + 3);
  // A node's own wish afterwards is bought, so the forged ones have been handled.
  const [own] = await cluster.sandbox.publish({ title: "Robe voulue", price: 10 });
  await expect
    .poll(async () => (await cluster.sandbox.orders()).map(({ item_id }) => item_id), SOON)
    .toEqual([own?.id]);
});

test("matches, events and market states without a node's signature reach no one", async () => {
  const listing = await overheard("forgee");
  const [userId] = await redis.zRange(keyOf("watching"), 0, -1);
  const matches = [{ listing, matchedAtMs: Date.now(), people: [[userId, ["x"]]] }];
  const ended = { from: "nobody", event: { kind: "session_ended", userId, sessionId: "x" } };
  const paused = { kind: "paused", reason: "blocked", untilMs: Date.now() + 3_600_000 };
  const before = await refusedCount();
  const seen = tab.items.length;
  await redis.xAdd(keyOf("matches"), "*", { m: JSON.stringify(matches), p: "9007199254740000" });
  await redis.xAdd(keyOf("events"), "*", { m: JSON.stringify(ended) });
  await redis.xAdd(keyOf("feed-state"), "*", { m: JSON.stringify(paused) });
  await redis.xAdd(keyOf("news"), "*", { m: "[]" });
  await expect.poll(refusedCount, SOON).toBe(before + 4);
  expect(tab.items).toHaveLength(seen);
  expect(tab.life).toEqual(["connect"]);
});

test("a replayed match with a cursor years ahead reaches no one", async () => {
  const entries = (await redis.xRange(keyOf("matches"), "-", "+")) ?? [];
  const text = entries.map(({ message }) => message["m"] ?? "").find((each) => each.includes("forgee")) ?? "";
  const before = await refusedCount();
  await redis.xAdd(keyOf("matches"), "*", { m: text, p: "9007199254740000" });
  await expect.poll(refusedCount, SOON).toBe(before + 1);
});

test.each(["inf", "nan", "9007199254740993", "-1e300", "words"])(
  "matches are published with any forged last cursor: %s",
  async (place) => {
    await redis.set(keyOf("last-place"), place);
    const [published] = await cluster.sandbox.publish({ title: `Manteau forgee ${place}`, price: 10 });
    await expect.poll(() => tab.items.map(({ id }) => id), SOON).toContain(published?.id);
    const kept = Number(await redis.get(keyOf("last-place")));
    expect(Math.abs(kept - Date.now() * 4_096)).toBeLessThan(3_600_000 * 4_096);
  },
);

test("the socket library reveals no cookie and delivers no forged purchase over Redis", async () => {
  const answers: Buffer[] = [];
  const listener = redis.duplicate();
  await listener.connect();
  await listener.subscribe("synapse:1:sockets#/#attacker#", (answer) => answers.push(answer), true);
  const opts = { rooms: [], except: [], flags: {} };
  const questions: readonly [number, object][] = [
    [3, { packet: { type: 2, data: ["purchaseData", { success: true, message: "forgé" }] }, opts }],
    [6, { opts, close: true }],
    [7, { opts, requestId: "a" }],
    [9, { packet: ["connection", { data: {} }], requestId: "b" }],
  ];
  const before = await refusedCount();
  for (const [type, data] of questions) {
    const fields = { uid: "attacker", nsp: "/", type: String(type), data: JSON.stringify(data) };
    await redis.xAdd("synapse:1:sockets", "*", fields);
  }
  await expect.poll(refusedCount, SOON).toBe(before + questions.length);
  listener.destroy();
  expect(answers).toEqual([]);
  expect(tab.purchases.map(({ message }) => message)).not.toContain("forgé");
  expect(tab.life).toEqual(["connect"]);
});
