import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Arena } from "./arena.ts";
import { cellAt, setTag, SlotTable } from "./slot-table.ts";

test("exactly the present keys are found through any additions and removals", () => {
  const edit = fc.tuple(fc.boolean(), fc.integer({ min: -3, max: 40 }), fc.integer({ min: 0, max: 60 }));
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 1_500, size: "max" }), (edits) => {
      const arena = new Arena();
      const table = new SlotTable(arena);
      const values = new Map<string, number>();
      let serial = 0;
      for (const [isAddition, category, brand] of edits) {
        const key = `${category} ${brand}`;
        const slot = isAddition ? table.findOrAdd(category, brand) : table.find(category, brand);
        if (isAddition) {
          serial += 1;
          setTag(arena.words, slot, 1 + (serial % 3));
          arena.words[cellAt(slot)] = serial;
          values.set(key, serial);
        } else {
          expect(slot === 0).toBe(!values.has(key));
          if (slot !== 0) table.remove(slot);
          values.delete(key);
        }
      }
      for (let category = -3; category <= 40; category += 1) {
        for (let brand = 0; brand <= 60; brand += 1) {
          const slot = table.find(category, brand);
          const value = slot === 0 ? undefined : arena.words[cellAt(slot)];
          if (value !== values.get(`${category} ${brand}`)) throw new Error(`${category} ${brand}: ${value}`);
        }
      }
    }),
    { numRuns: 25 },
  );
});

test("a removal from a segment with collisions leaves no gap", () => {
  const arena = new Arena();
  const table = new SlotTable(arena);
  const keys = Array.from({ length: 40_000 }, (_, index) => [index % 3, index] as const);
  for (const [category, brand] of keys) {
    const slot = table.findOrAdd(category, brand);
    setTag(arena.words, slot, 3);
  }
  for (const [category, brand] of keys.filter((_, index) => index % 2 === 0)) {
    table.remove(table.find(category, brand));
  }
  const wrong = keys.filter(
    ([category, brand], index) => (table.find(category, brand) === 0) !== (index % 2 === 0),
  );
  expect(wrong).toEqual([]);
});

test("a segment that grew frees its old memory", () => {
  const arena = new Arena();
  const table = new SlotTable(arena);
  const keyCount = 40_000;
  for (let key = 0; key < keyCount; key += 1) setTag(arena.words, table.findOrAdd(key % 3, key), 1);
  // Just after it grew, a segment is more than 35 % full; a slot is four words.
  expect(arena.usedWords).toBeLessThan((keyCount * 4) / 0.35);
});
