import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Atoms } from "./atoms.ts";

function partsOf(atoms: Atoms): readonly string[] {
  return [...atoms.all()].map(({ leafIds }) => sorted(leafIds).join(" ")).toSorted();
}

function sorted(ids: Iterable<number>): readonly number[] {
  return [...ids].toSorted((one, other) => one - other);
}

test("leaves contained in the same sets form one atom", () => {
  const atoms = new Atoms();
  atoms.add(1, [10, 11, 12, 13]);
  expect(partsOf(atoms)).toEqual(["10 11 12 13"]);
  atoms.add(2, [12, 13, 14]);
  expect(partsOf(atoms)).toEqual(["10 11", "12 13", "14"]);
  expect(atoms.atomOf(13)?.setIds).toEqual(new Set([1, 2]));
  expect(atoms.atomOf(99)).toBeUndefined();
});

test("atoms separated by a single set merge when it is removed", () => {
  const atoms = new Atoms();
  atoms.add(1, [10, 11, 12, 13]);
  atoms.add(2, [12, 13, 14]);
  atoms.add(3, [10]);
  atoms.remove(2);
  expect(partsOf(atoms)).toEqual(["10", "11 12 13"]);
  atoms.remove(1);
  atoms.remove(3);
  expect(partsOf(atoms)).toEqual([]);
  expect(atoms.atomOf(10)).toBeUndefined();
});

test("an equal second set splits nothing, and either keeps the split", () => {
  const atoms = new Atoms();
  atoms.add(1, [10, 11]);
  atoms.add(2, [10, 11]);
  atoms.remove(1);
  expect(partsOf(atoms)).toEqual(["10 11"]);
});

test("an edit keeps the revision of atoms that it does not overlap", () => {
  const atoms = new Atoms();
  atoms.add(1, [10, 11]);
  atoms.add(2, [20, 21]);
  const untouched = atoms.atomOf(20)?.revision;
  const touched = atoms.atomOf(10)?.revision;
  atoms.add(3, [10]);
  atoms.remove(3);
  atoms.touch(1);
  expect(atoms.atomOf(20)?.revision).toBe(untouched);
  expect(atoms.atomOf(10)?.revision).not.toBe(touched);
});

test("after any edits the atoms are the equivalence classes of the leaves", () => {
  const edit = fc.record({
    setId: fc.integer({ min: 0, max: 11 }),
    leafIds: fc.array(fc.integer({ min: 1, max: 24 }), { maxLength: 16 }),
  });
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 60 }), (edits) => {
      const atoms = new Atoms();
      const sets = new Map<number, ReadonlySet<number>>();
      for (const { setId, leafIds } of edits) {
        if (sets.delete(setId)) atoms.remove(setId);
        else {
          sets.set(setId, new Set(leafIds));
          atoms.add(setId, leafIds);
        }
        expect(partsOf(atoms)).toEqual(classesOf(sets));
      }
    }),
    { numRuns: 400 },
  );
});

/** The definition of atoms, computed from scratch. */
function classesOf(sets: ReadonlyMap<number, ReadonlySet<number>>): readonly string[] {
  const leafIds = new Set([...sets.values()].flatMap((set) => [...set]));
  const holders = (leafId: number): string =>
    [...sets]
      .filter(([, set]) => set.has(leafId))
      .map(([setId]) => setId)
      .join(" ");
  return [...Map.groupBy(sorted(leafIds), holders).values()].map((leaves) => leaves.join(" ")).toSorted();
}
