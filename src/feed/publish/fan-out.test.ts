import { expect, test } from "vitest";
import { colourByName } from "#catalogue/colours.ts";
import { BlockedSellers } from "#domain/market/blocked-sellers.ts";
import type { Filter } from "#domain/market/filter.ts";
import { asFilterId, asUserId } from "#domain/ids.ts";
import type { SeenListing } from "#domain/market/listing.ts";
import { ANY_SELLER } from "#domain/market/seller.ts";
import type { User } from "#domain/user.ts";
import { createCubeIndex } from "#matching/cube/cube-index.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { aListing, aSeenListing } from "#verify/testing/a-listing.ts";
import { aUser } from "#verify/testing/a-user.ts";
import { A_MOMENT_MS } from "#verify/testing/fake-clock.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import type { MatchBatch } from "../feed.ts";
import type { News } from "../read/ingest.ts";
import type { SeenEntry } from "../read/seen-listings.ts";
import { SliceDemand } from "../schedule/slice-demand.ts";
import { ActiveFilters } from "./active-filters.ts";
import { CursorSource } from "./cursors.ts";
import { FanOut } from "./fan-out.ts";

const NOW_MS = A_MOMENT_MS + 10_000;

class People {
  readonly index = createCubeIndex();
  readonly demand = new SliceDemand();
  readonly filters = new ActiveFilters(this.index, this.demand);
  readonly fanOut = new FanOut({
    index: this.index,
    filters: this.filters,
    demand: this.demand,
    cursors: new CursorSource(),
    log: createQuietLog(),
  });

  /** A person with filters; each filter gives only the criteria that matter. */
  add(name: string, filters: readonly Partial<Filter>[], traits: Partial<User> = {}): this {
    const user = aUser({ id: asUserId(name), ...traits });
    const own = filters.map((filter, index) =>
      aFilter({ id: asFilterId(`${name}-${index}`), userId: user.id, ...filter }),
    );
    this.filters.put(user, own, A_MOMENT_MS);
    return this;
  }

  batch(...news: readonly News[]): MatchBatch {
    return this.fanOut.batch(news, NOW_MS);
  }
}

function anEntry(
  traits: Parameters<typeof aSeenListing>[0] = {},
  appearedAfterMs: number | null = A_MOMENT_MS,
): SeenEntry {
  const seen = aSeenListing({ firstSeenAtMs: NOW_MS, seenAtMs: NOW_MS, ...traits });
  return { seen, appearedAfterMs, lastSeenMs: NOW_MS, recordedAtMs: NOW_MS };
}

function fresh(traits: Parameters<typeof aSeenListing>[0] = {}): News {
  return { entry: anEntry(traits), before: null, kind: "new" };
}

function past(photoTakenAtUnixS: number | null, id = 1): News {
  return {
    entry: anEntry({ listing: aListing({ id, photoTakenAtUnixS }) }, null),
    before: null,
    kind: "past",
  };
}

const auto = { isAutobuy: true } as const;

test("a person gets one match per listing, with all of their filters that hold it", () => {
  const people = new People().add("lea", [{}, { brandIds: [12] }, { priceCapEur: 5 }]);
  const { matches } = people.batch(fresh());
  expect(matches).toHaveLength(1);
  expect(matches[0]).toMatchObject({ userId: "lea", filterIds: ["lea-0", "lea-1"], matchedAtMs: NOW_MS });
});

test("all matches of a listing have its cursor, and cursors increase from listing to listing", () => {
  const people = new People().add("lea", [{}, { tag: "deux" }]).add("tom", [{}]);
  const { matches } = people.batch(fresh(), fresh({ listing: aListing({ id: 9 }) }));
  const [first, same, second, sameAgain] = matches.map(({ cursor }) => BigInt(cursor));
  expect(matches).toHaveLength(4);
  expect([same, sameAgain]).toEqual([first, second]);
  expect((second ?? 0n) > (first ?? 0n)).toBe(true);
});

test("people at level 0 get no match: no plan, an expired plan, a suspension", () => {
  const people = new People()
    .add("none", [auto], { plan: "none" })
    .add("ended", [auto], { planEndsAtMs: NOW_MS })
    .add("suspended", [auto], { isSuspended: true })
    .add("seeker", [{}], { plan: "seeker" });
  const batch = people.batch(fresh());
  expect(batch.matches.map(({ userId }) => userId)).toEqual(["seeker"]);
  expect(batch.wishes).toEqual([]);
});

test("a listing of a blocked seller is no match and no wish for the person who blocks them", () => {
  const people = new People().add("lea", [auto]).add("tom", [auto]);
  const { seller } = aListing();
  const lea = people.filters.byNumber(0)?.owner;
  people.filters.put(
    aUser({ id: asUserId("lea") }),
    lea?.stored ?? [],
    A_MOMENT_MS,
    new BlockedSellers([{ sellerId: seller.id, login: "called otherwise" }]),
  );
  const batch = people.batch(fresh(), past(A_MOMENT_MS / 1_000, 2));
  expect(batch.matches.map(({ userId }) => userId)).toEqual(["tom", "tom"]);
  expect(batch.wishes.map(({ userId }) => userId)).toEqual(["tom", "tom"]);
  const other = fresh({ listing: aListing({ id: 3, seller: { ...seller, id: seller.id + 1 } }) });
  expect(people.batch(other).wishes).toHaveLength(2);
});

test("wishes come Thunder first over the whole batch, then Acquire; a Seeker has none", () => {
  const people = new People()
    .add("acquire", [auto], { plan: "acquire" })
    .add("seeker", [auto], { plan: "seeker" })
    .add("thunder", [auto]);
  const { wishes, matches } = people.batch(
    fresh({ listing: aListing({ id: 1 }) }),
    fresh({ listing: aListing({ id: 2 }) }),
  );
  expect(wishes.map(({ userId, listingId, lane }) => `${userId} ${listingId} ${lane}`)).toEqual([
    "thunder 1 thunder",
    "thunder 2 thunder",
    "acquire 1 acquire",
    "acquire 2 acquire",
  ]);
  expect(matches).toHaveLength(6);
});

test("news delivered again after more than a minute is shown but not bought", () => {
  const people = new People().add("lea", [auto]);
  const batches = [60_000, 60_001].map((laterMs) => people.fanOut.batch([fresh()], NOW_MS + laterMs));
  expect(batches.map(({ matches, wishes }) => [matches.length, wishes.length])).toEqual([
    [1, 1],
    [1, 0],
  ]);
});

test("the people of one lane take turns at being first", () => {
  const people = new People();
  const names = ["a", "b", "c"];
  for (const name of names) people.add(name, [auto]);
  const firstOnes = [1, 2, 3, 4, 5, 6].map(
    (id) => people.batch(fresh({ listing: aListing({ id }) })).wishes[0]?.userId ?? "nobody",
  );
  expect(names.map((name) => firstOnes.filter((first) => first === name).length)).toEqual([2, 2, 2]);
});

test("a person gets one wish per listing, the oldest filter first, and one more from simulating filters", () => {
  const people = new People().add("lea", [
    { ...auto, createdAtMs: 30 },
    { ...auto, createdAtMs: 20 },
    { ...auto, createdAtMs: 10, isSimulation: true },
    { createdAtMs: 5 },
  ]);
  const { wishes } = people.batch(fresh({ listing: aListing({ id: 2 }) }));
  expect(wishes.map(({ filterId, otherFilterIds }) => [filterId, otherFilterIds])).toEqual([
    ["lea-1", ["lea-0"]],
    ["lea-2", []],
  ]);
});

test("a listing that appeared after the activation is bought, however old its photo", () => {
  const people = new People().add("lea", [auto]);
  const entry = anEntry({ listing: aListing({ photoTakenAtUnixS: 1 }) }, A_MOMENT_MS);
  expect(people.batch({ entry, before: null, kind: "new" }).wishes).toHaveLength(1);
});

test("a listing that may be older than the activation is bought only if its photo is not", () => {
  const people = new People().add("lea", [{ ...auto, activatedAtMs: A_MOMENT_MS + 700 }]);
  const second = A_MOMENT_MS / 1_000;
  expect(people.batch(past(second)).wishes).toHaveLength(1);
  expect(people.batch(past(second - 1)).wishes).toEqual([]);
  expect(people.batch(past(null)).wishes).toEqual([]);
});

test("a listing seen before the activation is never bought, even when its price falls", () => {
  const people = new People().add("lea", [{ ...auto, activatedAtMs: NOW_MS + 1 }]);
  const entry = anEntry();
  expect(people.batch({ entry, before: null, kind: "new" }).wishes).toEqual([]);
  expect(people.batch({ entry, before: entry.seen, kind: "cheaper" }).wishes).toEqual([]);
});

test("automatic buying that is granted again buys no earlier listing", () => {
  const people = new People().add("lea", [auto], { plan: "seeker" });
  people.filters.put(
    aUser({ id: asUserId("lea"), plan: "thunder" }),
    [aFilter({ id: asFilterId("lea-0"), userId: asUserId("lea"), isAutobuy: true })],
    NOW_MS + 1,
  );
  expect(people.batch(fresh()).wishes).toEqual([]);
});

test("older listings are shown only from the last hour, at most fifty per filter", () => {
  const people = new People().add("lea", [{}]);
  const aMinuteAgo = A_MOMENT_MS / 1_000 - 60;
  const twoHoursAgo = NOW_MS / 1_000 - 7_200;
  expect(people.batch(past(twoHoursAgo), past(null)).matches).toEqual([]);
  const many = Array.from({ length: 60 }, (_, index) => past(aMinuteAgo, index + 1));
  expect(people.batch(...many).matches).toHaveLength(50);
  expect(people.batch(past(aMinuteAgo, 99)).matches).toEqual([]);
  expect(people.batch(fresh()).matches).toHaveLength(1);
  expect(people.batch(past(A_MOMENT_MS / 1_000, 98)).matches).toHaveLength(1);
});

test("a newly proven fact is news only for filters that did not match before", () => {
  const people = new People()
    .add("anything", [auto])
    .add("shirts", [{ ...auto, categoryIds: [221] }, {}])
    .add("red", [{ categoryIds: [221], colourName: "Red" }]);
  const before = aSeenListing({ facts: { leafIds: [], marketplaceColourIds: [] }, firstSeenAtMs: NOW_MS });
  const entry = anEntry({ facts: { leafIds: [221], marketplaceColourIds: [] } });
  const batch = people.batch({ entry, before, kind: "changed" });
  expect(batch.matches.map(({ userId, filterIds }) => [userId, filterIds])).toEqual([
    ["shirts", ["shirts-0", "shirts-1"]],
  ]);
  expect(batch.wishes.map(({ filterId }) => filterId)).toEqual(["shirts-0"]);
});

test("a fact proven after an edit shows at most fifty listings of the last hour, and buys none", () => {
  const people = new People().add("lea", [{ ...auto, categoryIds: [4] }]);
  const edited = { ...auto, categoryIds: [221], userId: asUserId("lea"), id: asFilterId("lea-0") };
  people.filters.put(aUser({ id: asUserId("lea") }), [aFilter(edited)], NOW_MS + 1);
  const proven = (id: number, traits: Partial<SeenListing> = {}): News => {
    const entry = anEntry({ listing: aListing({ id }), ...traits });
    const facts = { leafIds: [221, 222], marketplaceColourIds: [] };
    return { entry, before: { ...entry.seen, facts }, kind: "changed" };
  };
  const twoHoursAgo = proven(1, { firstSeenAtMs: NOW_MS - 7_200_000 });
  expect(people.batch(twoHoursAgo)).toMatchObject({ matches: [], wishes: [] });
  const { before } = proven(2);
  const withTitle = (title: string): News => ({
    ...proven(2, { listing: aListing({ id: 2, title }) }),
    before,
  });
  expect(people.batch(withTitle("Autre titre")).wishes).toEqual([]);
  const many = Array.from({ length: 60 }, (_, place) => proven(10 + place));
  const { matches, wishes } = people.batch(...many);
  expect([matches.length, wishes]).toEqual([49, []]);
  const dear = { ...aSeenListing(), listing: aListing({ id: 3, totalPriceCents: 900_000 }) };
  const cheaper: News = { ...proven(3), before: dear, kind: "cheaper" };
  expect(people.batch(cheaper).wishes).toHaveLength(1);
  const later = proven(4, { firstSeenAtMs: NOW_MS + 1 });
  expect(people.batch(later).wishes).toHaveLength(1);
});

test("an edit is no news of a listing that the criteria before it held as well", () => {
  const people = new People().add("lea", [{ ...auto, categoryIds: [221], priceCapEur: 40 }]);
  const edited = { ...auto, categoryIds: [221], userId: asUserId("lea"), id: asFilterId("lea-0") };
  people.filters.put(aUser({ id: asUserId("lea") }), [aFilter({ ...edited, priceCapEur: 45 })], NOW_MS + 1);
  const provenAt = (totalPriceCents: number): News => {
    const entry = anEntry({ listing: aListing({ totalPriceCents }) });
    const facts = { leafIds: [221, 222], marketplaceColourIds: [] };
    return { entry, before: { ...entry.seen, facts }, kind: "changed" };
  };
  // Both hold it only since its category is proven.
  const both = people.batch(provenAt(2_000));
  expect([both.matches.length, both.wishes.length]).toEqual([1, 1]);
  const onlyAfter = people.batch(provenAt(4_400));
  expect([onlyAfter.matches.length, onlyAfter.wishes.length]).toEqual([1, 0]);
});

test("criteria before an edit count only if they hold a listing in every leaf in which it may be", () => {
  const people = new People().add("lea", [{ ...auto, categoryIds: [221] }]);
  const edited = { ...auto, categoryIds: [221, 222], userId: asUserId("lea"), id: asFilterId("lea-0") };
  people.filters.put(aUser({ id: asUserId("lea") }), [aFilter(edited)], NOW_MS + 1);
  const provenIn = (id: number, leafIds: readonly number[]): News => {
    const entry = anEntry({ listing: aListing({ id }), facts: { leafIds, marketplaceColourIds: [] } });
    const facts = { leafIds: [], marketplaceColourIds: [] };
    return { entry, before: { ...entry.seen, facts }, kind: "changed" };
  };
  const { matches, wishes } = people.batch(provenIn(1, [221, 222]), provenIn(2, [222]), provenIn(3, [221]));
  expect(matches.map(({ listing }) => listing.listing.id)).toEqual([1, 2, 3]);
  expect(wishes.map(({ listingId }) => listingId)).toEqual([3]);
});

test("a listing first seen after an edit is bought from the moment at which the criteria before it held it", () => {
  const red = colourByName("Red")?.marketplaceColourIds ?? [];
  const people = new People().add("lea", [{ ...auto, categoryIds: [221], priceCapEur: 40 }]);
  const edited = { ...auto, categoryIds: [221], userId: asUserId("lea"), id: asFilterId("lea-0") };
  const narrower = aFilter({ ...edited, colourName: "Red", priceCapEur: 45 });
  people.filters.put(aUser({ id: asUserId("lea") }), [narrower], A_MOMENT_MS + 5_000);
  const photographed = (id: number, laterS: number, totalPriceCents: number): News => {
    const listing = aListing({ id, photoTakenAtUnixS: A_MOMENT_MS / 1_000 + laterS, totalPriceCents });
    const entry = anEntry({ listing, facts: { leafIds: [221], marketplaceColourIds: red } }, null);
    return { entry, before: null, kind: "past" };
  };
  const held = photographed(1, 2, 2_000);
  const olderThanTheFilter = photographed(2, -1, 2_000);
  const heldOnlySinceTheEdit = photographed(3, 2, 4_400);
  const { matches, wishes } = people.batch(held, olderThanTheFilter, heldOnlySinceTheEdit);
  expect(matches).toHaveLength(3);
  expect(wishes.map(({ listingId }) => listingId)).toEqual([1]);
});

test("filters loaded at the start treat what is proven later as news", () => {
  const people = new People();
  const user = aUser({ id: asUserId("lea") });
  const filter = aFilter({ ...auto, userId: user.id, categoryIds: [221] });
  people.filters.load(user, [filter], NOW_MS + 1, BlockedSellers.NONE);
  const before = aSeenListing({ facts: { leafIds: [], marketplaceColourIds: [] }, firstSeenAtMs: NOW_MS });
  expect(people.batch({ entry: anEntry(), before, kind: "changed" }).wishes).toHaveLength(1);
});

test("a lower price is news for every filter that holds the listing, a higher one for none", () => {
  const people = new People().add("lea", [{}]);
  const before = aSeenListing({ listing: aListing({ totalPriceCents: 5_000 }) });
  expect(people.batch({ entry: anEntry(), before, kind: "cheaper" }).matches).toHaveLength(1);
  expect(people.batch({ entry: anEntry(), before, kind: "changed" }).matches).toEqual([]);
});

test("a category proven before the atoms were split matches only filters that hold all of it", () => {
  const people = new People()
    .add("both", [{ categoryIds: [221, 222] }])
    .add("one", [{ categoryIds: [221] }])
    .add("all", [{}]);
  const { matches } = people.batch(fresh({ facts: { leafIds: [221, 222], marketplaceColourIds: [] } }));
  expect(new Set(matches.map(({ userId }) => userId))).toEqual(new Set(["both", "all"]));
});

test("a later match names a released filter only while it still holds the listing", () => {
  const seller = { ...ANY_SELLER, minRating: 4.5 };
  const people = new People().add("lea", [{ seller, priceCapEur: 50 }, {}]);
  const at = (totalPriceCents: number): SeenListing => ({
    ...anEntry().seen,
    listing: aListing({ totalPriceCents }),
  });
  const entry = { ...anEntry(), seen: at(4_500) };
  const [row] = people.fanOut.batch([{ entry, before: null, kind: "new" }], NOW_MS).held;
  if (row === undefined) throw new Error("nothing was held");
  people.fanOut.released(entry.seen, [row], NOW_MS);
  const namedAt = (totalPriceCents: number): readonly string[] => {
    const cheaper = { ...anEntry(), seen: at(totalPriceCents) };
    return people
      .batch({ entry: cheaper, before: entry.seen, kind: "cheaper" })
      .matches.flatMap(({ filterIds }) => filterIds);
  };
  expect(namedAt(4_200)).toEqual(["lea-1", "lea-0"]);
  const lea = people.filters.byNumber(0)?.owner;
  const lowered = (lea?.stored ?? []).map((filter, index) =>
    index === 0 ? { ...filter, priceCapEur: 30 } : filter,
  );
  people.filters.put(aUser({ id: asUserId("lea") }), lowered, NOW_MS);
  expect(namedAt(4_000)).toEqual(["lea-1"]);
});

test("a size title is interpreted in the leaf's size group, even for a filter without categories", () => {
  const people = new People().add("women", [{ sizeIds: [4] }]).add("men", [{ sizeIds: [208] }]);
  expect(people.batch(fresh()).matches.map(({ userId }) => userId)).toEqual(["women"]);
  const unproven = fresh({ facts: { leafIds: [], marketplaceColourIds: [] } });
  expect(people.batch(unproven).matches).toEqual([]);
});

test("a listing that cannot be matched is skipped and logged; the rest of its page is published", () => {
  const people = new People().add("lea", [{}]);
  const log = createQuietLog();
  const fanOut = new FanOut({
    index: people.index,
    filters: people.filters,
    demand: people.demand,
    cursors: new CursorSource(),
    log,
  });
  const broken = fresh();
  Object.defineProperty(broken.entry.seen.listing, "title", {
    get: () => {
      throw new Error("no title");
    },
  });
  expect(fanOut.batch([broken, fresh({ listing: aListing({ id: 2 }) })], NOW_MS).matches).toHaveLength(1);
  expect(log.lines.map(({ level }) => level)).toEqual(["error"]);
});
