import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { asFilterId, asUserId } from "#domain/ids.ts";
import type { SeenListing } from "#domain/market/listing.ts";
import type { HeldMatch } from "#domain/market/match.ts";
import { ANY_SELLER, type SellerFacts } from "#domain/market/seller.ts";
import { heldMatches } from "#store/schema/tables.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { aSeenListing, aStanding } from "#verify/testing/a-listing.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { openTestStore } from "#verify/testing/test-store.ts";
import { HeldMatches, type HeldMatchesParts } from "./held-matches.ts";
import { storeForAll } from "#store/suite-store.suite.ts";

const GOOD: SellerFacts = { rating: 5, reviewCount: 8, countryCode: "FR" };
const POOR: SellerFacts = { rating: 1, reviewCount: 8, countryCode: "FR" };

const filter = aFilter({
  id: asFilterId("filter"),
  userId: asUserId("lea"),
  seller: { ...ANY_SELLER, minRating: 4.5 },
});
const ACTIVE = new Map([[filter.id, { filter, matchClass: "thunder" as const }]]);
const match: HeldMatch = {
  userId: filter.userId,
  filterId: filter.id,
  listing: aSeenListing(),
  appearedAfterMs: null,
  mayBuy: true,
  heldAtMs: 0,
  untilMs: 600_000,
};

const store = storeForAll(openTestStore);

test.each([0, 1, 2, 3, 4, 5, 6, 8, 10, 15])(
  "a match that is held again %i microtasks after its seller became known stays stored",
  async (microtasks) => {
    await store().db.delete(heldMatches);
    const answers: PromiseWithResolvers<SellerFacts | null>[] = [];
    const held = heldMatchesOf(answers);
    await held.hold([match]);
    await expect.poll(() => answers.length).toBe(1);
    answers[0]?.resolve(POOR);
    for (let passed = 0; passed < microtasks; passed += 1) await Promise.resolve();
    await held.hold([match]);
    // Its facts are established again.
    await expect.poll(() => answers.length).toBe(2);
    await held.stop();
    expect(await store().db.$count(heldMatches)).toBe(1);
  },
);

test("a match whose person's filters cannot be read at its release is released later", async () => {
  await store().db.delete(heldMatches);
  const answers: PromiseWithResolvers<SellerFacts | null>[] = [];
  const clock = new FakeClock(0);
  const reading = Promise.withResolvers<void>();
  let isWithheld = false;
  let isReleasing = false;
  let released = 0;
  const held = heldMatchesOf(answers, {
    clock,
    listings: {
      byIds: async () => {
        isReleasing = true;
        await reading.promise;
        return [];
      },
    },
    filters: { ofPerson: () => (isWithheld ? new Map() : ACTIVE), isWithheld: () => isWithheld },
    batchOf: () => {
      released += 1;
      return { matches: [], wishes: [] };
    },
  });
  await held.hold([match]);
  await expect.poll(() => answers.length).toBe(1);
  answers[0]?.resolve(GOOD);
  await expect.poll(() => isReleasing).toBe(true);
  isWithheld = true;
  reading.resolve();
  await setTimeout(50);
  await clock.advance(1_000);
  await setTimeout(50);
  expect([released, await store().db.$count(heldMatches)]).toEqual([0, 1]);
  isWithheld = false;
  await expect
    .poll(async () => {
      await clock.advance(1_000);
      return answers.length;
    })
    .toBe(2);
  answers[1]?.resolve(GOOD);
  await expect.poll(() => released).toBe(1);
  await expect.poll(() => store().db.$count(heldMatches)).toBe(0);
  await held.stop();
});

test.each([
  { news: "an older price", roseAfterMs: -1, storedAfterMs: null, storedCents: 0, released: [1_120, 95] },
  {
    news: "a risen price",
    roseAfterMs: 500,
    storedAfterMs: null,
    storedCents: 0,
    released: [1_500, undefined],
  },
  {
    news: "the stored version of a risen price",
    roseAfterMs: 500,
    storedAfterMs: 300,
    storedCents: 1_400,
    released: [1_400, 60],
  },
  {
    news: "a risen price whose stored version is still the one of before",
    roseAfterMs: 500,
    storedAfterMs: 0,
    storedCents: 1_120,
    released: [1_500, undefined],
  },
])("$news is released as far as it is later news of the listing", async (given) => {
  await store().db.delete(heldMatches);
  const answers: PromiseWithResolvers<SellerFacts | null>[] = [];
  const seen = aSeenListing({ standing: aStanding() });
  const { id } = seen.listing;
  const released: SeenListing[] = [];
  const { roseAfterMs, storedAfterMs, storedCents } = given;
  const stored = {
    ...seen,
    listing: { ...seen.listing, totalPriceCents: storedCents },
    standing: aStanding({ rank: 60 }),
    seenAtMs: seen.seenAtMs + (storedAfterMs ?? 0),
  };
  const held = heldMatchesOf(answers, {
    listings: { byIds: async () => (storedAfterMs === null ? [] : [stored]) },
    batchOf: (latest) => {
      released.push(latest);
      return { matches: [], wishes: [] };
    },
  });
  await held.hold([{ ...match, listing: seen }]);
  await expect.poll(() => answers.length).toBe(1);
  held.priceRose({ listingId: id, totalPriceCents: 1_500, seenAtMs: seen.seenAtMs + roseAfterMs });
  answers[0]?.resolve(GOOD);
  await expect.poll(() => released.length).toBe(1);
  expect(released.map(({ listing, standing }) => [listing.totalPriceCents, standing?.rank])).toEqual([
    given.released,
  ]);
  await held.stop();
});

/** Deletions of rows are slow: a later write would come first. Look-ups are answered through `answers`. */
function heldMatchesOf(
  answers: PromiseWithResolvers<SellerFacts | null>[],
  others: Partial<HeldMatchesParts> = {},
): HeldMatches {
  const { held, listings } = store();
  return new HeldMatches({
    store: {
      ...held,
      end: async (keys) => {
        await setTimeout(20);
        await held.end(keys);
      },
    },
    listings,
    relists: { of: async () => null },
    lookUps: {
      ask: async () => {
        const answer = Promise.withResolvers<SellerFacts | null>();
        answers.push(answer);
        return await answer.promise;
      },
    },
    filters: { ofPerson: () => ACTIVE, isWithheld: () => false },
    holds: () => true,
    batchOf: () => ({ matches: [], wishes: [] }),
    publish: async () => [],
    record: async () => undefined,
    isShared: false,
    clock: new FakeClock(0),
    log: createQuietLog(),
    ...others,
  });
}
