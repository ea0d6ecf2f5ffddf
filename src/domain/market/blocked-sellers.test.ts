import * as fc from "fast-check";
import { expect, test } from "vitest";
import { BlockedSellers, foldLogin, type SellerName, withBlocked } from "./blocked-sellers.ts";

const NOW_MS = 1_900_000_000_000;

test("a seller is recognised by id, whatever they are called, and by login only where no id is known", () => {
  const blocked = new BlockedSellers([
    { sellerId: 7, login: "lea75" },
    { sellerId: null, login: "Tom" },
  ]);
  expect(blocked.has({ id: 7, login: "lea_nouvelle" })).toBe(true);
  expect(blocked.has({ id: 8, login: "lea75" })).toBe(false);
  expect(blocked.has({ id: 9, login: "tOM" })).toBe(true);
  expect(BlockedSellers.NONE.has({ id: 7, login: "lea75" })).toBe(false);
});

test("blocking again changes only the id or a newer login", () => {
  const first = withBlocked([], [{ sellerId: null, login: "lea75" }], NOW_MS);
  expect(withBlocked(first, [{ sellerId: null, login: "LEA75" }], NOW_MS + 1)).toEqual(first);
  const known = withBlocked(first, [{ sellerId: 7, login: "lea75" }], NOW_MS + 1);
  expect(known).toEqual([{ sellerId: 7, login: "lea75", sinceMs: NOW_MS }]);
  expect(withBlocked(known, [{ sellerId: null, login: "lea75" }], NOW_MS + 2)).toEqual(known);
  expect(withBlocked(known, [{ sellerId: 7, login: "lea76" }], NOW_MS + 2)).toEqual([
    { sellerId: 7, login: "lea76", sinceMs: NOW_MS },
  ]);
});

test("two sellers of one login are two entries once their ids are known", () => {
  const both = withBlocked(
    [{ sellerId: 7, login: "lea75", sinceMs: NOW_MS }],
    [{ sellerId: 8, login: "lea75" }],
    NOW_MS + 1,
  );
  expect(both.map(({ sellerId }) => sellerId)).toEqual([7, 8]);
});

test("whatever is blocked in whatever order, every seller is, and each once", () => {
  const name: fc.Arbitrary<SellerName> = fc.record({
    sellerId: fc.option(fc.integer({ min: 1, max: 4 })),
    login: fc.constantFrom("a", "A", "b", "c"),
  });
  fc.assert(
    fc.property(fc.array(name, { maxLength: 12 }), (names) => {
      let list: ReturnType<typeof withBlocked> = [];
      for (const one of names) {
        list = withBlocked(list, [one], NOW_MS);
        expect(list.map(({ login }) => foldLogin(login))).toContain(foldLogin(one.login));
      }
      const ids = list.map(({ sellerId }) => sellerId).filter((id) => id !== null);
      expect(new Set(ids)).toEqual(
        new Set(names.map(({ sellerId }) => sellerId).filter((id) => id !== null)),
      );
      expect(new Set(ids).size).toBe(ids.length);
      const bare = list.filter(({ sellerId }) => sellerId === null).map(({ login }) => foldLogin(login));
      expect(new Set(bare).size).toBe(bare.length);
    }),
  );
});
