import * as fc from "fast-check";
import { expect, test } from "vitest";
import { DAY_MS } from "#domain/clock.ts";
import { Block, encodeBlock } from "./block.ts";
import { packVersions } from "./pack.ts";
import { type Version, VERSION_KINDS } from "./version.ts";

const NOW_MS = 1_774_000_000_000;

const moment = fc.integer({ min: NOW_MS - 3 * DAY_MS, max: NOW_MS });
const standing = fc.record({
  lowCents: fc.integer({ min: 50, max: 1_000 }),
  medianCents: fc.integer({ min: 1_000, max: 2_000 }),
  highCents: fc.integer({ min: 2_000, max: 1_000_000 }),
  rank: fc.option(fc.integer({ min: 0, max: 100 })),
  sampleSize: fc.integer({ min: 0, max: 100_000 }),
  dayCount: fc.integer({ min: 0, max: 90 }),
  basis: fc.constantFrom("type_brand_condition", "type_brand", "type_condition"),
});
const version: fc.Arbitrary<Version> = fc.record({
  listingId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  kind: fc.constantFrom(...VERSION_KINDS),
  seenAtMs: moment,
  firstSeenAtMs: moment,
  newSinceMs: fc.option(moment),
  leafIds: fc.constantFrom([], [221], [221, 222], [1844]),
  marketplaceColourIds: fc.constantFrom([], [1], [3, 12]),
  brandId: fc.integer({ min: 0, max: 6_000_000 }),
  conditionId: fc.constantFrom(0, 1, 2, 3, 4, 6),
  sizeIds: fc.constantFrom([], [0], [4], [4, 208]),
  totalPriceCents: fc.integer({ min: 0, max: 10_000_000 }),
  foldedTitle: fc.constantFrom("", "robe ete", "veste en jean bleue", "été"),
  sellerHash: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  standing: fc.option(standing),
  isCounted: fc.boolean(),
  isRelist: fc.boolean(),
});

test("a block holds exactly the versions that it was made of", () => {
  fc.assert(
    fc.property(fc.array(version, { minLength: 1, maxLength: 40 }), (versions) => {
      expect(new Block(encodeBlock(versions)).versions()).toEqual(versions);
    }),
    { numRuns: 200 },
  );
});

test("a changed byte is noticed", () => {
  const [first] = fc.sample(version, { numRuns: 1, seed: 3 });
  const data = encodeBlock(first === undefined ? [] : [first]);
  const damaged = Uint8Array.from(data, (byte, place) => (place === data.length - 1 ? byte ^ 1 : byte));
  expect(() => new Block(damaged)).toThrow();
});

test("packing keeps every version once, by day", () => {
  const versions = fc.sample(version, { numRuns: 9_000, seed: 7 });
  const blocks = packVersions(versions, { isSorted: true, example: 0 });
  const packed = blocks.flatMap(({ data }) => new Block(data).versions());
  const key = (one: Version): string => JSON.stringify(one);
  expect(packed.map(key).toSorted()).toEqual(versions.map(key).toSorted());
  expect(new Set(blocks.map(({ day }) => day)).size).toBeGreaterThan(2);
  for (const { firstMs, lastMs, data } of blocks)
    for (const { seenAtMs } of new Block(data).versions()) {
      expect(seenAtMs).toBeGreaterThanOrEqual(firstMs);
      expect(seenAtMs).toBeLessThanOrEqual(lastMs);
    }
});
