import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Thing } from "./price-book.ts";
import { RecentKeys } from "./recent-keys.ts";
import { SellerShares } from "./seller-shares.ts";

const WINDOW_DAYS = 30;
const TODAY = 20_000;
const THINGS: readonly Thing[] = [
  { typeId: 221, brandId: 12, conditionId: 2 },
  { typeId: 221, brandId: 12, conditionId: 3 },
  { typeId: 221, brandId: 53, conditionId: 2 },
  { typeId: 222, brandId: 12, conditionId: 2 },
];

const newShares = (maxKeys?: number) => new SellerShares(new RecentKeys(WINDOW_DAYS, maxKeys));

/** How many of ten prices find a place. */
function taken(shares: SellerShares, day: number, thing: Thing | undefined = THINGS[0], seller = 1): number {
  let count = 0;
  for (let price = 0; price < 10; price += 1)
    if (thing !== undefined && shares.take(seller, thing, day)) count += 1;
  return count;
}

test("a seller has three places a day and nine in the window, separately in each cell", () => {
  const shares = newShares();
  const days = [0, 1, 2, 3, 4, 29, 30, 31, 32, 33, 34];
  expect(days.map((day) => taken(shares, TODAY + day))).toEqual([3, 3, 3, 0, 0, 0, 0, 3, 3, 3, 0]);
  expect(THINGS.map((thing) => taken(shares, TODAY + 34, thing))).toEqual([0, 3, 3, 3]);
  expect(taken(shares, TODAY + 34, THINGS[0], 2)).toBe(3);
});

test("a price that found no place renews none", () => {
  const shares = newShares();
  for (let day = 0; day <= 30; day += 1) taken(shares, TODAY + day);
  expect(taken(shares, TODAY + 31)).toBe(3);
});

test("a full memory has no place for new sellers", () => {
  const shares = newShares(2);
  expect([1, 2, 3].map((seller) => taken(shares, TODAY, THINGS[0], seller))).toEqual([2, 0, 0]);
  expect(taken(shares, TODAY + WINDOW_DAYS + 1, THINGS[0], 3)).toBe(2);
});

test("from the counted prices of the window, read in any order, the same shares result", () => {
  const sale = fc.record({
    laterDays: fc.constantFrom(0, 0, 0, 1),
    seller: fc.constantFrom(1, 2),
    thing: fc.constantFrom(...THINGS.slice(0, 2)),
  });
  const sales = fc.array(sale, { minLength: 50, maxLength: 200 });
  fc.assert(
    fc.property(sales, fc.nat(), (drawn, order) => {
      let day = TODAY;
      const live = newShares();
      const counted: { seller: number; thing: Thing; day: number }[] = [];
      const offered = drawn.map(({ laterDays, seller, thing }) => {
        day += laterDays;
        return { seller, thing, day };
      });
      const half = Math.floor(offered.length / 2);
      for (const each of offered.slice(0, half))
        if (live.take(each.seller, each.thing, each.day)) counted.push(each);
      const archived = counted.filter((each) => (offered[half]?.day ?? 0) - each.day <= WINDOW_DAYS);
      const rebuilt = newShares();
      // A permutation: the archive may be read from either end, and a day's block is sorted by type.
      const step = [1, 7, 11, 13].find((each) => archived.length % each !== 0) ?? 1;
      for (let index = 0; index < archived.length; index += 1) {
        const each = archived[(order + index * step) % archived.length];
        if (each !== undefined) expect(rebuilt.take(each.seller, each.thing, each.day)).toBe(true);
      }
      const after = SellerShares.from(structuredClone(rebuilt.snapshot()));
      for (const { seller, thing, day: at } of offered.slice(half))
        expect(after.take(seller, thing, at)).toBe(live.take(seller, thing, at));
    }),
    { numRuns: 200 },
  );
});
