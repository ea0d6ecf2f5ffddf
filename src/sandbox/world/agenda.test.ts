import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createAgenda } from "./agenda.ts";

test("what is due comes out earliest first, and nothing else does", () => {
  const entries = fc.array(fc.record({ atMs: fc.integer({ min: 0, max: 100 }), listingId: fc.nat() }));
  fc.assert(
    fc.property(entries, fc.integer({ min: 0, max: 100 }), (added, nowMs) => {
      const agenda = createAgenda();
      for (const entry of added) agenda.add(entry);
      const due = agenda.takeDue(nowMs, 1_000);
      const expected = added.filter(({ atMs }) => atMs <= nowMs).map(({ atMs }) => atMs);
      expect(due.map(({ atMs }) => atMs)).toEqual(expected.toSorted((one, other) => one - other));
      expect(agenda.size).toBe(added.length - due.length);
    }),
  );
});

test("no more is taken than asked for", () => {
  const agenda = createAgenda();
  for (let listingId = 0; listingId < 10; listingId += 1) agenda.add({ atMs: 0, listingId });
  expect(agenda.takeDue(1, 4)).toHaveLength(4);
  expect(agenda.takeDue(1, 100)).toHaveLength(6);
});
