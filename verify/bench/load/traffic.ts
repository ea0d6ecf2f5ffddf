// Sellers and readers at a given rate. Open loop: late requests are not skipped, so the load stays the same.
import { request } from "undici";
import { calls } from "#contract/calls.ts";
import type { Person } from "#verify/testing/person.ts";
import type { SandboxClient, NewListing } from "#verify/testing/sandbox-client.ts";
import { pause } from "../figures.ts";
import type { Population } from "./population.ts";
import type { LoadScale } from "./scale.ts";
import { type Draw, buyableListing, drawListing } from "./draw-listing.ts";

export interface Publication {
  readonly id: number;
  readonly listing: NewListing;
  readonly totalEur: number;
  /** The buying filter that it matches, or null. */
  readonly buyingIndex: number | null;
}

interface Reads {
  readonly answeredMs: readonly number[];
  /** Error statuses and broken connections. */
  readonly errors: readonly string[];
}

const TICK_MS = 100;
const READ_CALLS = ["filters", "purchases", "recentArticles", "settings", "user"] as const;

interface Sellers {
  /** All listings published so far. */
  readonly published: readonly Publication[];
  /** Publishes at the load's rate. @returns the listings published during this call */
  publishFor(durationS: number): Promise<readonly Publication[]>;
}

export function createSellers(sandbox: SandboxClient, scale: LoadScale, draw: Draw): Sellers {
  const published: Publication[] = [];
  let serial = 0;
  let bought = 0;

  async function publishUntil(listings: number, purchases: number): Promise<void> {
    const batch: { listing: NewListing; buyingIndex: number | null }[] = [];
    while (serial < listings) {
      serial += 1;
      const isDue = bought < purchases;
      const buyingIndex = isDue ? bought % scale.autoFilters : null;
      if (isDue) bought += 1;
      const listing = buyingIndex === null ? drawListing(draw, serial) : buyableListing(serial, buyingIndex);
      batch.push({ listing, buyingIndex });
    }
    if (batch.length === 0) return;
    const items = await sandbox.publish(batch.map(({ listing }) => listing));
    for (const [index, { id, total_item_price: total }] of items.entries()) {
      const one = batch[index];
      if (one !== undefined) published.push({ ...one, id, totalEur: Number(total.amount) });
    }
  }

  return {
    published,
    async publishFor(durationS) {
      const [listings, purchases] = [serial, bought];
      await everyTick(durationS, (elapsedS) =>
        publishUntil(
          listings + elapsedS * scale.listingsPerSecond,
          purchases + elapsedS * scale.purchasesPerSecond,
        ),
      );
      return published.slice(listings);
    },
  };
}

export async function readSteadily(population: Population, scale: LoadScale, draw: Draw): Promise<Reads> {
  const answeredMs: number[] = [];
  const errors: string[] = [];
  const underWay = new Set<Promise<void>>();
  let asked = 0;
  async function readOnce(): Promise<void> {
    const { person } = population.people[Math.floor(draw() * population.people.length)] ?? {};
    if (person === undefined) return;
    const call = READ_CALLS[Math.floor(draw() * READ_CALLS.length)] ?? "user";
    const beganAtMs = performance.now();
    try {
      await read(person, call);
      answeredMs.push(performance.now() - beganAtMs);
    } catch (error) {
      errors.push(`${call}: ${error instanceof Error ? error.message.slice(0, 120) : "?"}`);
    }
  }
  await everyTick(scale.durationS, async (elapsedS) => {
    for (; asked < elapsedS * scale.readsPerSecond; asked += 1) {
      const one = readOnce().finally(() => underWay.delete(one));
      underWay.add(one);
    }
  });
  await Promise.all(underWay);
  return { answeredMs, errors };
}

/** Like `person.call` without `fetch`, whose CPU cost would distort the measurement. */
async function read({ url, cookie }: Person, name: (typeof READ_CALLS)[number]): Promise<void> {
  const { path, answer } = calls[name];
  const { statusCode, body } = await request(`${url}${path}`, { headers: { cookie } });
  const answerBody: unknown = await body.json();
  if (statusCode !== 200) throw new Error(`${statusCode} ${JSON.stringify(answerBody)}`);
  answer.parse(answerBody);
}

async function everyTick(durationS: number, work: (elapsedS: number) => Promise<void>): Promise<void> {
  const beganAtMs = performance.now();
  for (;;) {
    const elapsedS = (performance.now() - beganAtMs) / 1_000;
    await work(Math.min(elapsedS, durationS));
    if (elapsedS >= durationS) return;
    await pause(TICK_MS);
  }
}
