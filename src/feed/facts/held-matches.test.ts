import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { asFilterId, asUserId } from "#domain/ids.ts";
import type { HeldMatch } from "#domain/market/match.ts";
import { ANY_SELLER, type SellerFacts } from "#domain/market/seller.ts";
import { heldMatches } from "#store/schema/tables.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { aSeenListing } from "#verify/testing/a-listing.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { openTestStore, type TestStore } from "#verify/testing/test-store.ts";
import { HeldMatches } from "./held-matches.ts";

const POOR: SellerFacts = { rating: 1, reviewCount: 8, countryCode: "FR" };

const filter = aFilter({
  id: asFilterId("filter"),
  userId: asUserId("lea"),
  seller: { ...ANY_SELLER, minRating: 4.5 },
});
const match: HeldMatch = {
  userId: filter.userId,
  filterId: filter.id,
  listing: aSeenListing(),
  appearedAfterMs: null,
  mayBuy: true,
  heldAtMs: 0,
  untilMs: 600_000,
};

let opened: TestStore;

beforeAll(async () => {
  opened = await openTestStore();
});

afterAll(async () => {
  await opened[Symbol.asyncDispose]();
});

test.each([0, 1, 2, 3, 4, 5, 6, 8, 10, 15])(
  "a match that is held again %i microtasks after its seller became known stays stored",
  async (microtasks) => {
    await opened.store.db.delete(heldMatches);
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
    expect(await opened.store.db.$count(heldMatches)).toBe(1);
  },
);

/** Deletions of rows are slow: a later write would come first. Look-ups are answered through `answers`. */
function heldMatchesOf(answers: PromiseWithResolvers<SellerFacts | null>[]): HeldMatches {
  const { held, listings } = opened.store;
  const ofPerson = new Map([[filter.id, { filter, matchClass: "thunder" as const }]]);
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
    filters: { ofPerson: () => ofPerson },
    batchOf: () => ({ matches: [], wishes: [] }),
    publish: async () => [],
    record: async () => undefined,
    isShared: false,
    clock: new FakeClock(0),
    log: createQuietLog(),
  });
}
