import { sql } from "drizzle-orm";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asFilterId, asListingId, asUserId, type ListingId } from "#domain/ids.ts";
import type { SeenListing } from "#domain/market/listing.ts";
import type { UserMatch } from "#domain/market/match.ts";
import { aListing, aSeenListing } from "#verify/testing/a-listing.ts";
import { archived } from "#verify/testing/archived.ts";
import type { ArchivePiece } from "../market-store.ts";
import type { OpenStore } from "../open-store.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import {
  type StoreUnderTest,
  aPersonOf,
  NOW_MS,
  storeForAll,
  rowsOf,
  hostileText,
} from "../suite-store.suite.ts";

export function describeListings({ shared, open }: StoreUnderTest): void {
  describe("listings", () => {
    const at = shared;

    test("a listing is returned as it was last seen, with the time at which it was first seen", async () => {
      const first = seen(1, { firstSeenAtMs: NOW_MS, seenAtMs: NOW_MS });
      await record(at(), [first]);
      expect(await at().listings.byId(first.listing.id)).toEqual(first);
      const cheaper = seen(1, { firstSeenAtMs: NOW_MS + 9, seenAtMs: NOW_MS + 9, totalPriceCents: 900 });
      await record(at(), [cheaper]);
      const expected = { ...cheaper, firstSeenAtMs: NOW_MS };
      expect(await at().listings.byId(first.listing.id)).toEqual(expected);
      // An older version that arrives late is ignored.
      await record(at(), [seen(1, { seenAtMs: NOW_MS + 5, totalPriceCents: 950 })]);
      expect(await at().listings.byId(first.listing.id)).toEqual(expected);
    });

    test("a batch may name a listing twice: the version seen last counts", async () => {
      await record(at(), [
        seen(2, { seenAtMs: NOW_MS + 2, totalPriceCents: 800 }),
        seen(2, { seenAtMs: NOW_MS + 1, totalPriceCents: 700 }),
      ]);
      expect(await at().listings.byId(asListingId(2))).toMatchObject({ listing: { totalPriceCents: 800 } });
    });

    test("an id of no listing returns null", async () => {
      for (const id of [404, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1e300, -1, 2 ** 60]) {
        expect(await at().listings.byId(asListingId(id))).toBeNull();
      }
    });

    test("of several listings the known ones are returned, each once", async () => {
      const known = [seen(41), seen(42)];
      await record(at(), known);
      const found = await at().listings.byIds([42, 1.5, 40, 41, 42, 2 ** 60].map(asListingId));
      expect(found.toSorted((a, b) => a.listing.id - b.listing.id)).toEqual(known);
      expect(await at().listings.byIds([])).toEqual([]);
    });

    test("any text of a listing is returned unchanged", async () => {
      const text = hostileText(20);
      await fc.assert(
        fc.asyncProperty(text, text, async (title, brandTitle) => {
          const one = aSeenListing({ listing: aListing({ id: 3, title, brandTitle }) });
          await record(at(), [one]);
          expect(await at().listings.byId(asListingId(3))).toEqual(one);
        }),
        { numRuns: 30, examples: [["a\u0000b\ud800c\udc00", `"'\\{},\n`]] },
      );
    });

    test("those seen since a moment are returned newest first, up to the limit", async () => {
      const base = NOW_MS + 1_000_000;
      const some = [10, 11, 12, 13].map((id) => seen(id, { seenAtMs: base + id }));
      await record(at(), some);
      const since = await at().listings.seenSince(base + 11, 2);
      expect(since.map(({ listing }) => listing.id)).toEqual([13, 12]);
      expect(await at().listings.seenSince(base + 11, 50)).toHaveLength(3);
    });
  });

  describe("slice marks", () => {
    const at = storeForAll(open);

    test("a mark is recorded with its batch and never goes back", async () => {
      const mark = { key: "221", lastReadAtMs: NOW_MS, highestListingId: 90_000_000_000 };
      await at().listings.record({ listings: [], matches: [], marks: [mark] });
      await at().listings.record({
        listings: [],
        matches: [],
        marks: [{ ...mark, lastReadAtMs: NOW_MS + 1, highestListingId: 5 }],
      });
      expect(await at().listings.sliceMarks()).toEqual([{ ...mark, lastReadAtMs: NOW_MS + 1 }]);
    });

    test("of several marks of one slice in a batch the highest is kept, with any number of rows", async () => {
      const { listings } = at();
      const marks = [3, 9, 5].map((highestListingId) => ({
        key: "twice",
        lastReadAtMs: NOW_MS,
        highestListingId,
      }));
      const many = Array.from({ length: 5_001 }, (_, n) => seen(50_000 + n));
      await listings.record({ listings: many, matches: [], marks });
      const twice = (await listings.sliceMarks()).filter(({ key }) => key === "twice");
      expect(twice).toEqual([{ key: "twice", lastReadAtMs: NOW_MS, highestListingId: 9 }]);
      expect(await listings.byIds([asListingId(50_000), asListingId(55_000)])).toHaveLength(2);
    });

    test("a batch is recorded whole or not at all", async () => {
      const broken = { ...(await matchFactory(at)("u", 20, 1n)), cursor: "no cursor" };
      const mark = { key: "broken", lastReadAtMs: NOW_MS, highestListingId: 1 };
      await expect(
        at().listings.record({ listings: [seen(20)], matches: [broken], marks: [mark] }),
      ).rejects.toThrow();
      expect(await at().listings.byId(asListingId(20))).toBeNull();
      expect((await at().listings.sliceMarks()).map(({ key }) => key)).not.toContain("broken");
    });
  });

  test("the archive's piece of a page adds no statement", async () => {
    let asked = 0;
    await using opened = await open({ onStatement: () => (asked += 1) });
    const { listings } = opened.store;
    const page = [seen(60_001), seen(60_002)];
    const marks = [{ key: "archived", lastReadAtMs: NOW_MS, highestListingId: 60_002 }];
    const statementsWith = async (archive: readonly ArchivePiece[]): Promise<number> => {
      asked = 0;
      await listings.record({ listings: page, matches: [], marks, archive });
      return asked;
    };
    const without = await statementsWith([]);
    expect(without).toBeGreaterThan(0);
    expect(await statementsWith([archived(page)])).toBe(without);
    expect(await opened.store.archive.totals()).toMatchObject({ versions: 2 });
  });

  describe("matches", () => {
    const at = shared;
    const aMatchOf = matchFactory(at);
    const personOf = async (name: string) => (await aMatchOf(name, 1, 1n)).userId;

    test("a person's matches are returned newest first, and to nobody else", async () => {
      const [one, two] = [await aMatchOf("alone", 30, 5n), await aMatchOf("alone", 31, 7n)];
      await recordMatches(at(), [one, two, await aMatchOf("other", 30, 6n)]);
      expect(await at().listings.recentMatches(one.userId, 10)).toEqual([two, one]);
      expect(await at().listings.recentMatches(one.userId, 1)).toEqual([two]);
      expect(await at().listings.recentMatches(asUserId("nobody"), 10)).toEqual([]);
    });

    test("cursors are compared as integers, beyond the precision of a double", async () => {
      const cursors = [9n, 10n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n];
      const some = await Promise.all(cursors.map((cursor, n) => aMatchOf("numbers", 40 + n, cursor)));
      const userId = await personOf("numbers");
      await recordMatches(at(), some);
      const after = async (cursor: string | null) =>
        (await at().listings.matchesAfter(userId, { cursor, sinceMs: 0, limit: 50 })).map(
          (match) => match.cursor,
        );
      const newestFirst = cursors.map(String).toReversed();
      expect(await after(null)).toEqual(newestFirst);
      expect(await after("9")).toEqual(newestFirst.slice(0, 4));
      expect(await after(String(2n ** 53n))).toEqual(newestFirst.slice(0, 2));
      // Malformed cursors of a client are ignored.
      for (const hostile of [
        "",
        "-1",
        "1e3",
        "9".repeat(19),
        "9".repeat(400),
        "1; drop table matches",
        "\u0000",
      ]) {
        expect(await after(hostile)).toEqual(newestFirst);
      }
    });

    test("the newest matches are found whatever one listing or other people have had since", async () => {
      const userId = await personOf("often");
      const own = await Promise.all(
        Array.from({ length: 400 }, async (_, n): Promise<UserMatch> => {
          // Ever fewer listings: 40 at first, one at last.
          const listingId = 1_000 + (n % Math.ceil((400 - n) / 10));
          return { ...(await aMatchOf("often", listingId, BigInt(10 * n + 1))), matchedAtMs: NOW_MS + n };
        }),
      );
      const others = await Promise.all(
        Array.from({ length: 300 }, (_, n) => aMatchOf("crowd", 2_000, BigInt(4 * n + 2_500))),
      );
      await recordMatches(at(), [...own, ...others]);
      const expected = (after: { cursor: string | null; sinceMs: number; limit: number }) => {
        const left = own.filter(
          ({ cursor, matchedAtMs }) =>
            BigInt(cursor) > BigInt(after.cursor ?? 0) && matchedAtMs >= after.sinceMs,
        );
        const latest = new Map(left.map(({ listing, cursor }) => [listing.listing.id, cursor]));
        const cursors = [...latest.values()].toSorted((one, other) => Number(other) - Number(one));
        return cursors.slice(0, after.limit);
      };
      for (const limit of [1, 2, 3, 5, 10, 39, 40, 41, 500])
        for (const cursor of [null, "1500", "3985"])
          for (const sinceMs of [0, NOW_MS + 200, NOW_MS + 1_000]) {
            const after = { cursor, sinceMs, limit };
            const found = await at().listings.matchesAfter(userId, after);
            expect(found.map((match) => match.cursor)).toEqual(expected(after));
          }
    });

    test("matches before a moment are left out", async () => {
      const [early, late] = [await aMatchOf("moments", 50, 1n), await aMatchOf("moments", 51, 2n)];
      await recordMatches(at(), [early, { ...late, matchedAtMs: NOW_MS + 10 }]);
      const after = { cursor: null, sinceMs: NOW_MS + 10, limit: 10 };
      const found = await at().listings.matchesAfter(early.userId, after);
      expect(found.map(({ listing }) => listing.listing.id)).toEqual([51]);
    });

    test("a listing that another filter holds later is returned once, at its latest match", async () => {
      const first = await aMatchOf("again", 60, 1n);
      const { id } = aFilter({ id: asFilterId("second"), userId: first.userId });
      await at().filters.add(aFilter({ id, userId: first.userId }), 10);
      const again = { ...first, cursor: "9", filterIds: [...first.filterIds, id] };
      await recordMatches(at(), [first]);
      await recordMatches(at(), [again, again]);
      expect(await at().listings.recentMatches(first.userId, 10)).toEqual([again]);
    });

    test("a batch that is written twice, or in parts by two nodes, is one match per person", async () => {
      const [one, other] = [await aMatchOf("twice", 61, 1n), await aMatchOf("apart", 61, 1n)];
      for (const part of [[one], [one], [other], [one, other]]) await recordMatches(at(), part);
      for (const match of [one, other])
        expect(await at().listings.recentMatches(match.userId, 10)).toEqual([match]);
    });

    test("a match whose filters were deleted is kept without them, and one of an erased person is ignored", async () => {
      const kept = await aMatchOf("bereft", 62, 1n);
      const erased = { ...kept, userId: asUserId("erased") };
      await recordMatches(at(), [kept, erased]);
      await at().filters.remove(kept.userId, kept.filterIds);
      const expected = { ...kept, filterIds: [] };
      expect(await at().listings.recentMatches(kept.userId, 10)).toEqual([expected]);
      expect(await at().listings.recentMatches(erased.userId, 10)).toEqual([]);
    });

    test("a listing whose price fell is returned once, with its new price, at its latest match", async () => {
      await recordMatches(at(), [await aMatchOf("fallen", 70, 1n), await aMatchOf("fallen", 71, 2n)]);
      const cheaper = seen(70, { seenAtMs: NOW_MS + 1, totalPriceCents: 500 });
      await recordMatches(at(), [{ ...(await aMatchOf("fallen", 70, 3n)), listing: cheaper }]);
      const found = await at().listings.recentMatches(await personOf("fallen"), 10);
      expect(found.map(({ cursor, listing }) => [cursor, listing.listing.totalPriceCents])).toEqual([
        ["3", 500],
        ["2", 1_120],
      ]);
    });

    test("thousands of matches of one batch are recorded together", async () => {
      const crowd = await Promise.all(["a", "b", "c"].map((name) => aMatchOf(`crowd-${name}`, 80, 1n)));
      const many = Array.from({ length: 4_000 }, (_, n) =>
        crowd.map((match) => ({ ...match, listing: seen(100_000 + n), cursor: String(n) })),
      );
      await recordMatches(at(), many.flat());
      for (const { userId } of crowd)
        expect(await at().listings.recentMatches(userId, 10_000)).toHaveLength(4_000);
      // One row per listing, not per person.
      const rows = sql`select count(*)::integer as count from match_events where listing_id >= 100000`;
      expect(await rowsOf(at(), rows)).toEqual([{ count: 4_000 }]);
    });

    test("batches that arrive at once and share rows are all recorded", async () => {
      const names = Array.from({ length: 20 }, (_, n) => `parallel-${n}`);
      const batch = await Promise.all(names.map((name, n) => aMatchOf(name, 90 + (n % 3), BigInt(n % 6))));
      await Promise.all([batch, batch.toReversed(), batch].map((matches) => recordMatches(at(), matches)));
      for (const { userId } of batch) expect(await at().listings.recentMatches(userId, 10)).toHaveLength(1);
    });
  });

  describe("pruning", () => {
    const at = storeForAll(open);

    test("deletes listings, matches and marks that are older than the moment, however many", async () => {
      const old = Array.from({ length: 4_500 }, (_, n) => seen(n + 1, { seenAtMs: NOW_MS - 1 }));
      const young = seen(9_999, { seenAtMs: NOW_MS });
      const aMatchOf = matchFactory(at);
      const [gone, kept] = [await aMatchOf("pruned", 1, 1n), await aMatchOf("pruned", 9_999, 2n)];
      const mark = (key: string, lastReadAtMs: number) => ({ key, lastReadAtMs, highestListingId: 1 });
      await at().listings.record({
        listings: [...old, young],
        matches: [{ ...gone, matchedAtMs: NOW_MS - 1 }, kept],
        marks: [mark("old", NOW_MS - 1)],
      });
      await at().listings.record({ listings: [], matches: [], marks: [mark("young", NOW_MS)] });
      const closed = new Set<ListingId>();
      await at().listings.prune(NOW_MS, (dropped) => {
        for (const { id } of dropped) closed.add(id);
        return { versions: dropped.length, data: new Uint8Array() };
      });
      expect(old.filter(({ listing }) => !closed.has(listing.id))).toEqual([]);
      expect(closed).not.toContain(young.listing.id);
      expect(await at().listings.seenSince(0, 10_000)).toEqual([young]);
      expect(await at().listings.recentMatches(kept.userId, 9)).toEqual([kept]);
      expect((await at().listings.sliceMarks()).map(({ key }) => key)).toEqual(["young"]);
    });
  });
}

interface SeenTraits {
  readonly firstSeenAtMs?: number;
  readonly seenAtMs?: number;
  readonly totalPriceCents?: number;
}

function seen(id: number, traits: SeenTraits = {}): SeenListing {
  const { totalPriceCents = 1_120, firstSeenAtMs = NOW_MS, seenAtMs = NOW_MS } = traits;
  return aSeenListing({ listing: aListing({ id, totalPriceCents }), firstSeenAtMs, seenAtMs });
}

/** Matches of existing people: each name is a person with one filter. */
function matchFactory(at: () => OpenStore) {
  const people = new Map<string, Promise<Pick<UserMatch, "userId" | "filterIds">>>();
  const addPersonWithFilter = async (name: string) => {
    const { id: userId } = await aPersonOf(at());
    const filterId = asFilterId(`filter-of-${name}`);
    await at().filters.add(aFilter({ id: filterId, userId }), 10);
    return { userId, filterIds: [filterId] };
  };
  return async (name: string, listingId: number, cursor: bigint): Promise<UserMatch> => {
    const person = people.get(name) ?? addPersonWithFilter(name);
    people.set(name, person);
    return { ...(await person), listing: seen(listingId), cursor: String(cursor), matchedAtMs: NOW_MS };
  };
}

async function record(store: OpenStore, listings: readonly SeenListing[]): Promise<void> {
  await store.listings.record({ listings, matches: [], marks: [] });
}

async function recordMatches(store: OpenStore, matches: readonly UserMatch[]): Promise<void> {
  await store.listings.record({ listings: matches.map(({ listing }) => listing), matches, marks: [] });
}
