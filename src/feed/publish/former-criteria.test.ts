import { expect, test } from "vitest";
import { leafIdsUnder } from "#catalogue/categories.ts";
import { candidateIn } from "#matching/candidate.ts";
import { compileFilter, filterHolds } from "#matching/compile-filter.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { aSeenListing } from "#verify/testing/a-listing.ts";
import { FormerCriteria, readingOf } from "./former-criteria.ts";

test("criteria hold a listing if and only if they would in each of its proven leaves", () => {
  const women = leafIdsUnder(4);
  const leafSets = [[], [221], [221, 222], [221, 1_242], women, [...women, 1_242]];
  const specs = [
    {},
    { priceCapEur: 5 },
    { categoryIds: [221] },
    { categoryIds: [4] },
    { sizeIds: [4] },
    { categoryIds: [4], sizeIds: [4] },
    { sizeIds: [4, 208] },
  ].map((criteria) => compileFilter(aFilter(criteria)));
  const former = new FormerCriteria();
  const answers = specs.flatMap((spec) =>
    leafSets.map((leafIds) => {
      const seen = aSeenListing({ facts: { leafIds, marketplaceColourIds: [] } });
      const leaves: readonly (number | null)[] = leafIds.length === 0 ? [null] : leafIds;
      const inEach = leaves.map(
        (leafId) => spec !== null && filterHolds(spec, candidateIn(readingOf(seen), leafId, [])),
      );
      expect(former.hold(spec, seen)).toBe(!inEach.includes(false));
      return former.hold(spec, seen);
    }),
  );
  expect([specs.includes(null), new Set(answers).size]).toEqual([false, 2]);
  expect(former.hold(null, aSeenListing())).toBe(false);
});
