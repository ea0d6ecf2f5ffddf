import * as fc from "fast-check";
import { expect, test } from "vitest";
import { asListingId } from "#domain/ids.ts";
import { MAX_REMEMBERED, SentListings } from "./sent-listings.ts";

test("a listing is news when it comes first and whenever its price falls, among any number of others", () => {
  const steps = fc.array(
    fc.record({ id: fc.integer({ min: 7e9, max: 7e9 + 60 }), cents: fc.integer({ min: 0, max: 5 }) }),
    { maxLength: 400 },
  );
  fc.assert(
    fc.property(steps, (offers) => {
      const sent = new SentListings();
      const lowestCents = new Map<number, number>();
      for (const { id, cents } of offers) {
        expect(sent.take(asListingId(id), cents)).toBe(cents < (lowestCents.get(id) ?? Infinity));
        lowestCents.set(id, Math.min(cents, lowestCents.get(id) ?? Infinity));
      }
    }),
  );
});

test("of too many the one that was sent longest ago is forgotten, and no other", () => {
  const sent = new SentListings();
  const first = 8_000_000_000;
  const take = (n: number): boolean => sent.take(asListingId(first + n), 100);
  for (let n = 0; n < MAX_REMEMBERED; n += 1) expect(take(n)).toBe(true);
  for (let n = 0; n < MAX_REMEMBERED; n += 1) expect(take(n)).toBe(false);
  expect(take(MAX_REMEMBERED)).toBe(true);
  expect(take(1)).toBe(false);
  expect(take(MAX_REMEMBERED)).toBe(false);
  expect(take(0)).toBe(true);
  expect(take(1)).toBe(true);
  expect(take(2)).toBe(true);
  expect(take(4)).toBe(false);
});

test("after a rise a listing is news as soon as it costs less again, whatever it cost before the rise", () => {
  const sent = new SentListings();
  const id = asListingId(8_000_000_000);
  expect(sent.raise(id, 2_695)).toBe(false);
  sent.take(id, 2_460);
  expect(sent.raise(id, 2_695)).toBe(true);
  expect(sent.raise(id, 2_695)).toBe(false);
  expect(sent.raise(id, 2_460)).toBe(false);
  expect(sent.take(id, 2_695)).toBe(false);
  expect(sent.take(id, 2_550)).toBe(true);
});
