import { expect, test } from "vitest";
import { BlockedSellers } from "#domain/market/blocked-sellers.ts";
import { asFilterId, asUserId } from "#domain/ids.ts";
import { createCubeIndex } from "#matching/cube/cube-index.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { aListing, aSeenListing } from "#verify/testing/a-listing.ts";
import { aUser } from "#verify/testing/a-user.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { SeenListings } from "../read/seen-listings.ts";
import { SliceDemand } from "../schedule/slice-demand.ts";
import { ActiveFilters } from "./active-filters.ts";
import { findPastMatches } from "./backfill.ts";
import { CursorSource } from "./cursors.ts";
import { FanOut } from "./fan-out.ts";

const SHOWN_AT_MOST = 50;
/** No filter of these tests asks for facts. */
const noneAsked = async (): Promise<never> => await Promise.reject(new Error("not needed"));

test("the backfill prefers listings that may be bought, then the highest ids", async () => {
  const clock = new FakeClock();
  const activatedAtMs = clock.nowMs();
  const demand = new SliceDemand();
  const filters = new ActiveFilters(createCubeIndex(), demand);
  const user = aUser({ id: asUserId("lea") });
  filters.put(user, [aFilter({ userId: user.id, isAutobuy: true, activatedAtMs })], activatedAtMs);
  const memory = new SeenListings({ maxEntries: 1_000, maxAgeMs: 60_000 });
  const sight = (id: number, firstSeenAtMs: number, photoTakenAtMs: number): void => {
    const listing = aListing({ id, photoTakenAtUnixS: Math.floor(photoTakenAtMs / 1_000) });
    const seen = aSeenListing({ listing, firstSeenAtMs, seenAtMs: firstSeenAtMs });
    memory.markSeen(
      { seen, appearedAfterMs: null, lastSeenMs: firstSeenAtMs, recordedAtMs: firstSeenAtMs },
      firstSeenAtMs,
    );
  };
  const [buyable, oldSeenLate, firstOfMany] = [1, 2, 1_000];
  for (let place = 0; place < SHOWN_AT_MOST; place += 1)
    sight(firstOfMany + place, activatedAtMs - 1_000, activatedAtMs - 2_000);
  sight(oldSeenLate, activatedAtMs + 500, activatedAtMs - 50 * 60_000);
  sight(buyable, activatedAtMs + 500, activatedAtMs + 400);
  const finding = findPastMatches(filters.activatedSince(0), { memory, demand, clock, published: noneAsked });
  await clock.advance(1);
  const [past] = await finding;
  expect(past?.entries.map(({ seen }) => seen.listing.id)).toEqual([
    ...Array.from({ length: SHOWN_AT_MOST - 1 }, (_, place) => firstOfMany + 1 + place),
    buyable,
  ]);
});

test("the backfill leaves out the listings of blocked sellers, and they use up none of the places", async () => {
  const clock = new FakeClock();
  const nowMs = clock.nowMs();
  const demand = new SliceDemand();
  const filters = new ActiveFilters(createCubeIndex(), demand);
  const user = aUser({ id: asUserId("lea") });
  const blocked = new BlockedSellers([{ sellerId: null, login: "LEA75" }]);
  filters.put(user, [aFilter({ userId: user.id, activatedAtMs: nowMs })], nowMs, blocked);
  const memory = new SeenListings({ maxEntries: 1_000, maxAgeMs: 60_000 });
  for (let id = 1; id <= 2 * SHOWN_AT_MOST; id += 1) {
    const seller = { id, login: id % 2 === 0 ? "lea75" : "tom", photoUrl: null };
    const listing = aListing({ id, seller, photoTakenAtUnixS: Math.floor(nowMs / 1_000) - 1 });
    const seen = aSeenListing({ listing, firstSeenAtMs: nowMs, seenAtMs: nowMs });
    memory.markSeen({ seen, appearedAfterMs: null, lastSeenMs: nowMs, recordedAtMs: nowMs }, nowMs);
  }
  const finding = findPastMatches(filters.activatedSince(0), { memory, demand, clock, published: noneAsked });
  await clock.advance(1);
  const [past] = await finding;
  expect(past?.entries).toHaveLength(SHOWN_AT_MOST);
  expect(new Set(past?.entries.map(({ seen }) => seen.listing.seller.login))).toEqual(new Set(["tom"]));
});

test("an earlier listing names all of the person's filters that hold it, and only the new one buys it", () => {
  const clock = new FakeClock();
  const nowMs = clock.nowMs();
  const demand = new SliceDemand();
  const index = createCubeIndex();
  const filters = new ActiveFilters(index, demand);
  const user = aUser({ id: asUserId("lea") });
  const own = { userId: user.id, isAutobuy: true, activatedAtMs: nowMs };
  const known = aFilter({ ...own, id: asFilterId("known") });
  const other = aFilter({ ...own, id: asFilterId("other"), categoryIds: [1_242] });
  const added = aFilter({ ...own, id: asFilterId("added"), categoryIds: [221] });
  filters.put(user, [known, other], nowMs);
  const started = filters.put(user, [known, other, added], nowMs);
  const seen = aSeenListing({ firstSeenAtMs: nowMs, seenAtMs: nowMs });
  const entry = { seen, appearedAfterMs: nowMs, lastSeenMs: nowMs, recordedAtMs: nowMs };
  const fanOut = new FanOut({ index, filters, demand, cursors: new CursorSource(), log: createQuietLog() });
  const past = started.map((active) => ({ active, entries: [entry] }));
  const { matches, wishes } = fanOut.pastBatch(past, nowMs);
  expect(matches.map(({ filterIds }) => filterIds.toSorted())).toEqual([["added", "known"]]);
  expect(wishes).toMatchObject([{ filterId: "added", otherFilterIds: [] }]);
});

test("what is proven while the backfill runs is left to the news that proves it", async () => {
  const clock = new FakeClock();
  const nowMs = clock.nowMs();
  const demand = new SliceDemand();
  const filters = new ActiveFilters(createCubeIndex(), demand);
  const user = aUser({ id: asUserId("lea") });
  filters.put(user, [aFilter({ userId: user.id, categoryIds: [221], activatedAtMs: nowMs })], nowMs);
  const memory = new SeenListings({ maxEntries: 1_000, maxAgeMs: 60_000 });
  const entries = Array.from({ length: 300 }, (_, place) => {
    const facts = { leafIds: [], marketplaceColourIds: [] };
    const listing = aListing({ id: place + 1 });
    const seen = aSeenListing({ listing, facts, firstSeenAtMs: nowMs, seenAtMs: nowMs });
    return { seen, appearedAfterMs: nowMs, lastSeenMs: nowMs, recordedAtMs: nowMs };
  });
  for (const entry of entries) memory.markSeen(entry, nowMs);
  const finding = findPastMatches(filters.activatedSince(0), { memory, demand, clock, published: noneAsked });
  for (const entry of entries)
    entry.seen = { ...entry.seen, facts: { leafIds: [221], marketplaceColourIds: [] } };
  await clock.advance(1);
  expect((await finding)[0]?.entries).toEqual([]);
});

test("an edited filter shows what its criteria before could not hold for sure", async () => {
  const { filters, found, sight, put } = aPerson();
  put({ categoryIds: [221] });
  sight(1, { facts: { leafIds: [221, 222], marketplaceColourIds: [] } });
  sight(2, { facts: { leafIds: [221], marketplaceColourIds: [] } });
  put({ categoryIds: [221, 222] });
  expect(filters.size).toBe(1);
  expect(await found()).toEqual([1]);
});

test("a filter that could not be read shows what changed meanwhile, and nothing that it had shown", async () => {
  const { clock, filters, found, sight, put } = aPerson();
  put({ priceCapEur: 50 });
  for (const id of [1, 2, 3])
    sight(id, { listing: aListing({ id, totalPriceCents: id === 3 ? 4_000 : 6_000 }) });
  await clock.advance(1_000);
  filters.withhold(asUserId("lea"), clock.nowMs());
  await clock.advance(1_000);
  sight(1, { listing: aListing({ id: 1, totalPriceCents: 4_500 }), seenAtMs: clock.nowMs() });
  await clock.advance(1_000);
  put({ priceCapEur: 50 });
  expect(await found()).toEqual([1]);
});

/** A person with one filter, and the listings in memory. */
function aPerson() {
  const clock = new FakeClock();
  const startMs = clock.nowMs();
  const demand = new SliceDemand();
  const filters = new ActiveFilters(createCubeIndex(), demand);
  const user = aUser({ id: asUserId("lea") });
  const memory = new SeenListings({ maxEntries: 1_000, maxAgeMs: 60_000 });
  return {
    clock,
    filters,
    put: (traits: Parameters<typeof aFilter>[0]) => {
      filters.put(user, [aFilter({ userId: user.id, activatedAtMs: startMs, ...traits })], clock.nowMs());
    },
    sight: (id: number, traits: Parameters<typeof aSeenListing>[0]) => {
      const times = { firstSeenAtMs: startMs, seenAtMs: startMs };
      const seen = aSeenListing({ listing: aListing({ id }), ...times, ...traits });
      const entry = { appearedAfterMs: startMs, lastSeenMs: startMs, recordedAtMs: startMs };
      memory.markSeen({ seen, ...entry }, startMs);
    },
    found: async () => {
      const finding = findPastMatches(filters.activatedSince(0), {
        memory,
        demand,
        clock,
        published: noneAsked,
      });
      await clock.advance(1);
      return (await finding).flatMap(({ entries }) => entries.map(({ seen }) => Number(seen.listing.id)));
    },
  };
}
