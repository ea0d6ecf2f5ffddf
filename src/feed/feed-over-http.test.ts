import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Filter } from "#domain/market/filter.ts";
import type { Marketplace } from "#marketplace/marketplace.ts";
import { createRequestBudget, type RequestBudget } from "#marketplace/request-budget.ts";
import { type Sandbox } from "#sandbox/sandbox.ts";
import { systemClock } from "#server/clock.ts";
import { type FaultRequest, sandboxClient, type SandboxClient } from "#verify/testing/sandbox-client.ts";
import { openTestStore, type TestStore } from "#verify/testing/test-store.ts";
import { aThunderPerson, eraseEverybody, type RunningFeed, startFeed } from "./feed-world.suite.ts";
import { factsFrom } from "./market-in-memory.suite.ts";
import type { Feed, MatchBatch } from "./feed.ts";
import { PAUSES_SANDBOX } from "./read/market-pauses.ts";
import { aMarketplaceAt, startTestSandbox } from "#verify/testing/a-sandbox.ts";

let sandbox: Sandbox;
let control: SandboxClient;
let opened: TestStore;
let budget: RequestBudget;
let marketplace: Marketplace & AsyncDisposable;
const running = new Set<Feed>();

beforeAll(async () => {
  sandbox = await startTestSandbox();
  control = sandboxClient(sandbox.url);
  opened = await openTestStore();
  budget = createRequestBudget(systemClock, {
    read: { perSecond: 20, burst: 5 },
    buy: { perSecond: Infinity, burst: 1 },
  });
  marketplace = aMarketplaceAt(sandbox.url, { budget });
});

afterEach(async () => {
  await control.clearFaults();
  await Promise.all(Array.from(running, async (feed) => await feed.stop()));
  running.clear();
  await eraseEverybody(opened.store);
});

afterAll(async () => {
  await marketplace[Symbol.asyncDispose]();
  await sandbox.stop();
  await opened[Symbol.asyncDispose]();
});

async function start(): Promise<RunningFeed> {
  const started = await startFeed({
    catalogue: marketplace,
    store: opened.store,
    budget,
    clock: systemClock,
    options: { readsPerSecond: 20, pauses: PAUSES_SANDBOX },
    facts: factsFrom(marketplace),
  });
  running.add(started.feed);
  return started;
}

/** A person with one automatic filter. */
async function person(login: string, filter: Partial<Filter>): Promise<void> {
  await aThunderPerson(opened.store, systemClock.nowMs(), login, [{ isAutobuy: true, ...filter }]);
}

async function until(isTrue: () => boolean): Promise<void> {
  await expect.poll(isTrue).toBe(true);
}

function wishedTitles(batches: readonly MatchBatch[]): readonly string[] {
  return batches.flatMap(({ wishes }) => wishes.map(({ listing }) => listing.listing.title));
}

/** Waits until the feed has read once, so that later listings are certainly new. */
async function settled(): Promise<void> {
  const before = (await control.requests()).total;
  await expect.poll(async () => (await control.requests()).total).toBeGreaterThan(before + 2);
}

test("a published listing reaches only the people whose filters hold it", async () => {
  await person("robes", { categoryIds: [1055], brandIds: [12], sizeIds: [4], priceCapEur: 20 });
  await person("rouge", { categoryIds: [1055], colourName: "Red" });
  const { batches, feed } = await start();
  await settled();
  expect(feed.state()).toEqual({ kind: "live" });
  const attributes = { catalog_id: 1055, brand_title: "Zara", size_title: "M" };
  await control.publish([
    { ...attributes, title: "zara", price: 15 },
    { ...attributes, title: "trop chère", price: 40 },
    { ...attributes, title: "autre taille", price: 15, size_title: "L" },
    { ...attributes, title: "rouge", price: 90, color: "Red" },
    { ...attributes, title: "ailleurs", price: 15, catalog_id: 221 },
  ]);
  await until(() => wishedTitles(batches).length >= 2);
  await settled();
  const found = batches.flatMap(({ wishes }) =>
    wishes.map(({ filterId, listing }) => `${filterId} ${listing.listing.title}`),
  );
  expect(found.toSorted()).toEqual(["robes-0 zara", "rouge-0 rouge"]);
});

test("a burst of three pages between two readings loses nothing, and a restart repeats nothing", async () => {
  await person("rafale", { categoryIds: [222], priceCapEur: 100 });
  const first = await start();
  await settled();
  const listings = Array.from({ length: 290 }, (_, index) => ({
    title: `rafale ${index}`,
    price: 10,
    catalog_id: 222,
  }));
  await control.publish(listings);
  await until(() => wishedTitles(first.batches).length >= 290);
  await first.feed.stop();

  await control.publish({ title: "entre deux", price: 10, catalog_id: 222 });
  const second = await start();
  await until(() => wishedTitles(second.batches).includes("entre deux"));
  await settled();
  expect(new Set(wishedTitles(first.batches))).toEqual(new Set(listings.map(({ title }) => title)));
  expect(wishedTitles(first.batches)).toHaveLength(290);
  expect(
    second.batches.flatMap(({ matches }) => matches.map(({ listing }) => listing.listing.title)),
  ).toEqual(["entre deux"]);
  // What the first process may not have begun to buy is offered again, once.
  expect(new Set(wishedTitles(second.batches)).size).toBe(wishedTitles(second.batches).length);
});

const faults: readonly FaultRequest[] = [
  { kind: "server_error", rate: 1 },
  { kind: "rate_limit", rate: 1 },
  { kind: "captcha", rate: 1 },
  { kind: "malformed", rate: 1 },
  { kind: "drift", rate: 1 },
  { kind: "reset", rate: 1 },
  { kind: "empty_feed", rate: 1 },
  { kind: "promoted", rate: 1 },
  { kind: "page_overflow", rate: 0.2 },
];

test.each(faults)("no listing is lost during a fault of the marketplace: $kind", async (fault) => {
  await person(fault.kind, { includeWords: [["repère"]], priceCapEur: 100 });
  const { batches } = await start();
  await settled();
  await control.arm({ route: "catalog", ...fault });
  await control.publish({ title: `repère pendant ${fault.kind}`, price: 10 });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await control.clearFaults();
  await control.publish({ title: `repère après ${fault.kind}`, price: 10 });
  await until(() => wishedTitles(batches).length >= 2);
  expect(wishedTitles(batches).toSorted()).toEqual([
    `repère après ${fault.kind}`,
    `repère pendant ${fault.kind}`,
  ]);
});

test("a captcha with status 200 pauses the feed as a refusal", async () => {
  await person("captcha", { priceCapEur: 100 });
  const { feed } = await start();
  await control.arm({ route: "catalog", kind: "captcha", variant: "status_200", rate: 1 });
  await expect.poll(() => feed.state()).toMatchObject({ kind: "paused", reason: "blocked" });
});
