import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { calls } from "#contract/calls.ts";
import { asFilterId } from "#domain/ids.ts";
import type { MissedWish } from "#domain/story.ts";
import { aListing, aSeenListing } from "#verify/testing/a-listing.ts";
import { startHttpWorld, type HttpWorld } from "./http-world.suite.ts";

let world: HttpWorld;

beforeAll(async () => {
  world = await startHttpWorld();
});

afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

test("what awaits the person's decision is listed, however much was missed after it", async () => {
  const person = await world.signIn("acquire");
  const asked = aListing({ id: 7_300_000_000 });
  await world.store.listings.record({
    listings: [aSeenListing({ listing: asked })],
    matches: [],
    marks: [],
  });
  const miss = (index: number, traits: Partial<MissedWish>): MissedWish => ({
    userId: person.user.id,
    filterId: asFilterId("filter"),
    listing: aListing({ id: Number(asked.id) + index }),
    reason: "limit_count",
    firstSeenAtMs: world.clock.nowMs(),
    matchedAtMs: world.clock.nowMs(),
    missedAtMs: world.clock.nowMs() + index,
    standing: null,
    ...traits,
  });
  await world.store.stories.recordMiss(miss(0, { reason: "too_good" }));
  for (let index = 1; index <= 120; index += 1) await world.store.stories.recordMiss(miss(index, {}));
  const { body } = await person.get("/purchase/manques");
  const { manques } = z.strictObject(calls.missedPurchases.answer.shape).parse(body);
  expect(manques).toHaveLength(100);
  expect(manques.filter((one) => one.a_confirmer)).toMatchObject([{ product: { id: Number(asked.id) } }]);
  const dates = manques.map(({ date }) => date);
  expect(dates).toEqual(dates.toSorted((one, other) => other - one));
});
