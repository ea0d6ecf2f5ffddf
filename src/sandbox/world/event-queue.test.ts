import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createEventQueue } from "./world.ts";

test("due events come out earliest first, and no others", () => {
  const entries = fc.array(fc.record({ atMs: fc.integer({ min: 0, max: 100 }), listingId: fc.nat() }));
  fc.assert(
    fc.property(entries, fc.integer({ min: 0, max: 100 }), (added, nowMs) => {
      const events = createEventQueue();
      for (const entry of added) events.add(entry);
      const due = events.takeDue(nowMs, 1_000);
      const expected = added.filter(({ atMs }) => atMs <= nowMs).map(({ atMs }) => atMs);
      expect(due.map(({ atMs }) => atMs)).toEqual(expected.toSorted((one, other) => one - other));
      expect(events.size).toBe(added.length - due.length);
    }),
  );
});

test("takes at most the limit", () => {
  const events = createEventQueue();
  for (let listingId = 0; listingId < 10; listingId += 1) events.add({ atMs: 0, listingId });
  expect(events.takeDue(1, 4)).toHaveLength(4);
  expect(events.takeDue(1, 100)).toHaveLength(6);
});
