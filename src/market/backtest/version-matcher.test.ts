import * as fc from "fast-check";
import { expect, test } from "vitest";
import { categoryById, categoryPath } from "#catalogue/categories.ts";
import { type FilterCriteria, openCriteria } from "#domain/market/filter.ts";
import { REPLAY_CONDITIONS, type ReplayCondition } from "#domain/market/replay.ts";
import { NO_RANK, UNKNOWN_ID, unknownCandidate } from "#matching/candidate.ts";
import { compileFilter, filterHolds } from "#matching/compile-filter.ts";
import { aStanding } from "#verify/testing/a-listing.ts";
import { Block, encodeBlock } from "../archive/block.ts";
import { leafSetOf } from "../archive/leaf-sets.ts";
import type { Version } from "../archive/version.ts";
import { ReplayRun } from "./replay-run.ts";

const AT_MS = Date.UTC(2026, 10, 20, 9);
/** T-shirts and dresses are of one size group, shoes of another. */
const [T_SHIRTS, DRESSES, SHOES] = [221, 1_065, 543];

/** Without one condition, and with it. */
const OPEN: Readonly<Record<ReplayCondition, Partial<FilterCriteria>>> = {
  brands: { brandIds: [] },
  sizes: { sizeIds: [] },
  status: { conditionIds: [] },
  color: { colourName: null },
  mots: { includeWords: [] },
  exclure: { excludeWords: [] },
  bon_prix: { bargainPercent: null },
};

const few = <Value>(...values: readonly Value[]) => fc.subarray([...values], { maxLength: 2 });
const words = fc.constantFrom("robe", "jean noir", "zara");

const criteriaArbitrary = fc.record({
  categoryIds: fc.constantFrom<readonly number[]>([], [T_SHIRTS], [T_SHIRTS, DRESSES]),
  brandIds: few(12, 53),
  sizeIds: few(3, 4, 5),
  conditionIds: few(2, 6),
  colourName: fc.constantFrom(null, "Black" as const, "Red" as const, "Bred" as const),
  includeWords: fc.array(fc.uniqueArray(words, { minLength: 1, maxLength: 2 }), { maxLength: 1 }),
  excludeWords: fc.array(fc.tuple(words), { maxLength: 1 }),
  bargainPercent: fc.constantFrom(null, 25 as const, 5 as const),
  priceCapEur: fc.constantFrom(10, 20),
  priceFloorEur: fc.constantFrom(0, 5),
});

const versionArbitrary = fc
  .record({
    leafIds: fc.constantFrom<readonly number[]>([], [T_SHIRTS], [DRESSES], [T_SHIRTS, SHOES], [SHOES]),
    marketplaceColourIds: few(1, 7),
    brandId: fc.constantFrom(0, 12, 53),
    conditionId: fc.constantFrom(0, 2, 6),
    sizes: fc.tuple(fc.constantFrom(0, 3, 4), fc.constantFrom(0, 3, 4)),
    totalPriceCents: fc.constantFrom(499, 500, 1_000, 1_001, 2_000, 2_001),
    foldedTitle: fc.constantFrom("robe", "robe jean noir", "jean", "zara robe", ""),
    rank: fc.constantFrom(null, 74, 75, 95),
  })
  .map(({ sizes, rank, ...facts }) => ({
    ...facts,
    sizeIds: leafSetOf(facts.leafIds).representativeIds.map((_, place) => sizes[place] ?? 0),
    standing: rank === null ? null : aStanding({ rank }),
  }));

type Facts = Pick<Version, "leafIds" | "marketplaceColourIds" | "sizeIds" | "standing"> &
  Pick<Version, "brandId" | "conditionId" | "totalPriceCents" | "foldedTitle">;

/** The definition: a filter holds a listing if it holds it in each leaf that it may be in. */
function holds(criteria: FilterCriteria, facts: Facts): boolean {
  const spec = compileFilter(criteria);
  const { leafIds, sizeIds, foldedTitle, standing, ...others } = facts;
  const sizeGroupOf = (leafId: number) => categoryById(leafId)?.size_id;
  const sizeGroups = leafSetOf(leafIds).representativeIds.map(sizeGroupOf);
  const inLeaf = (leafId: number | null): boolean =>
    spec !== null &&
    filterHolds(spec, {
      ...unknownCandidate,
      ...others,
      categoryIds: leafId === null ? [] : categoryPath(leafId).map(({ id }) => id),
      sizeId: leafId === null ? UNKNOWN_ID : (sizeIds[sizeGroups.indexOf(sizeGroupOf(leafId))] ?? UNKNOWN_ID),
      priceRank: standing?.rank ?? NO_RANK,
      paddedTitle: ` ${foldedTitle} `,
    });
  return leafIds.length === 0 ? inLeaf(null) : leafIds.every(inLeaf);
}

test("what each condition alone leaves out is counted as the plain definition counts it", () => {
  const counted = new Map<ReplayCondition, number>();
  fc.assert(
    fc.property(
      criteriaArbitrary,
      fc.array(versionArbitrary, { minLength: 100, maxLength: 200 }),
      (own, listings) => {
        const criteria: FilterCriteria = { ...openCriteria, ...own };
        const versions = listings.map((facts, index): Version => ({
          ...facts,
          listingId: index + 1,
          kind: "new",
          seenAtMs: AT_MS,
          firstSeenAtMs: AT_MS,
          newSinceMs: AT_MS,
          sellerHash: 1,
          isCounted: false,
          isRelist: false,
        }));
        const period = { sinceMs: AT_MS, untilMs: AT_MS };
        const run = new ReplayRun({ criteria, ...period, blockedSellers: [], relistApartMs: 0, buyer: null });
        run.take(new Block(encodeBlock(versions)));
        const { without, ids } = run.finish();
        expect(ids).toEqual(versions.filter((one) => holds(criteria, one)).map(({ listingId }) => listingId));
        const isSet = (condition: ReplayCondition): boolean => {
          const [value] = Object.keys(OPEN[condition]).map((key) => criteria[key as keyof FilterCriteria]);
          return value !== null && (!Array.isArray(value) || value.length > 0);
        };
        expect(without).toEqual(
          REPLAY_CONDITIONS.filter(isSet).map((condition) => {
            const wider = { ...criteria, ...OPEN[condition] };
            const more = versions.filter((one) => holds(wider, one) && !holds(criteria, one));
            counted.set(condition, (counted.get(condition) ?? 0) + more.length);
            return { condition, count: more.length };
          }),
        );
      },
    ),
    { seed: 7, numRuns: 100 },
  );
  // Each is compared often enough.
  for (const condition of REPLAY_CONDITIONS) expect(counted.get(condition), condition).toBeGreaterThan(30);
});
