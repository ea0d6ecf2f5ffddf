import * as fc from "fast-check";
import { expect, test } from "vitest";
import { brandById, brandIdForTitle } from "#catalogue/brand-titles.ts";
import type { ConditionId } from "#catalogue/conditions.ts";
import { protectionFeeCents } from "#catalogue/simulation-priors.ts";
import { drawPastListing } from "#sandbox/world/draw-past-listing.ts";
import { priceLawOf } from "#sandbox/world/price-law.ts";
import { conditionIdForLabel } from "#catalogue/conditions.ts";
import { PriceBook, type Thing } from "./price-book.ts";

const TYPES = [221, 1844, 222];

const price = fc.record({
  typeId: fc.constantFrom(...TYPES),
  brandId: fc.constantFrom(0, 12, 53, 88),
  conditionId: fc.constantFrom(0, 1, 2, 3),
  cents: fc.integer({ min: 50, max: 1_000_000 }),
  day: fc.integer({ min: 20_000, max: 20_030 }),
});

test("what is taken off a book leaves it as if it had never been counted", () => {
  fc.assert(
    fc.property(fc.array(price, { maxLength: 80 }), fc.array(price, { maxLength: 80 }), (kept, gone) => {
      const [book, reference] = [new PriceBook(), new PriceBook()];
      for (const { cents, day, ...thing } of kept) reference.count(thing, cents, day);
      for (const { cents, day, ...thing } of [...kept, ...gone]) book.count(thing, cents, day);
      for (const { cents, ...thing } of gone) book.discount(thing, cents);
      for (const typeId of TYPES) {
        const thing = { typeId, brandId: 12, conditionId: 2 };
        const { dayCount: _, ...own } = book.standingOf(thing, 5_000) ?? { dayCount: 0 };
        const { dayCount: __, ...expected } = reference.standingOf(thing, 5_000) ?? { dayCount: 0 };
        expect(own).toEqual(expected);
      }
    }),
    { numRuns: 100 },
  );
});

test("a price is unknown below five similar ones, and one of wider cells below twenty", () => {
  const book = new PriceBook();
  const thing: Thing = { typeId: 221, brandId: 12, conditionId: 2 };
  for (let count = 0; count < 4; count += 1) book.count(thing, 1_000 + count * 100, 20_000);
  expect(book.standingOf(thing, 1_000)).toBeNull();
  book.count(thing, 1_400, 20_001);
  expect(book.standingOf(thing, 900)).toMatchObject({
    sampleSize: 5,
    dayCount: 2,
    basis: "type_brand_condition",
  });
  const other = { ...thing, conditionId: 3 };
  expect(book.standingOf(other, 1_000)).toBeNull();
  for (let count = 0; count < 15; count += 1) book.count(thing, 1_500, 20_001);
  expect(book.standingOf(other, 1_000)).toMatchObject({ rank: null, sampleSize: 20, basis: "type_brand" });
});

test("ranks agree with the law that the prices are drawn from", () => {
  const book = new PriceBook();
  const errors: number[] = [];
  for (let number = 1; number <= 20_000; number += 1) {
    const facts = drawPastListing({ seed: 1, number, atMs: 0 });
    const brandId = brandIdForTitle(facts.brandTitle) ?? 0;
    const conditionId: ConditionId = conditionIdForLabel(facts.conditionLabel) ?? 2;
    const thing = { typeId: facts.leafId, brandId, conditionId };
    const cents = facts.priceCents + protectionFeeCents(facts.priceCents);
    const standing = number % 5 === 0 ? book.standingOf(thing, cents) : null;
    if (standing !== null && standing.rank !== null && standing.sampleSize >= 50 && brandId !== 0) {
      const law = priceLawOf({ leafId: facts.leafId, brand: brandById(brandId) ?? null, conditionId });
      errors.push(Math.abs(standing.rank - 100 * law.shareAbove(facts.priceCents)));
    }
    book.count(thing, cents, 20_000 + Math.floor(number / 700));
  }
  expect(errors.length).toBeGreaterThan(20);
  expect(errors.reduce((sum, error) => sum + error, 0) / errors.length).toBeLessThan(6);
});
