import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asFilterId, asUserId } from "#domain/ids.ts";
import type { AutobuyWish } from "#domain/market/match.ts";
import { aListing, aSeenListing } from "#verify/testing/a-listing.ts";
import { aWish } from "#verify/testing/a-match.ts";
import { createLanes } from "./dispatcher.ts";

function wish(user: string, listingId: number, lane: AutobuyWish["lane"] = "acquire"): AutobuyWish {
  const listing = aSeenListing({ listing: aListing({ id: listingId }) });
  return aWish({ userId: asUserId(user), listing, lane });
}

const anybody = () => true;

describe("createLanes()", () => {
  it("serves Thunder before Acquire, and each lane in order of arrival", () => {
    const lanes = createLanes();
    const acquires = [wish("a", 1), wish("b", 2)];
    const thunders = [wish("c", 3, "thunder"), wish("d", 4, "thunder")];
    for (const each of [...acquires, ...thunders]) lanes.add(each);
    const served = Array.from({ length: 5 }, () => lanes.take(anybody));
    expect(served).toEqual([...thunders, ...acquires, null]);
  });

  it("skips a wish that may not start, which keeps its place", () => {
    const lanes = createLanes();
    const [first, second] = [wish("a", 1), wish("b", 2)];
    lanes.add(first);
    lanes.add(second);
    expect(lanes.take((each) => each !== first)).toBe(second);
    lanes.add(wish("c", 3));
    expect(lanes.take(anybody)).toBe(first);
  });

  it("returns a wish that is given back to its place", () => {
    const lanes = createLanes();
    const wishes = [wish("a", 1), wish("b", 2), wish("c", 3)];
    for (const each of wishes) lanes.add(each);
    const [first, second] = [lanes.take(anybody), lanes.take(anybody)];
    if (second !== null) lanes.giveBack(second);
    if (first !== null) lanes.giveBack(first);
    expect(Array.from({ length: 3 }, () => lanes.take(anybody))).toEqual(wishes);
  });

  it("accepts a person's wish for a listing once, while it waits and while it is served", () => {
    const lanes = createLanes();
    expect(lanes.add(wish("a", 1))).toBe(true);
    expect(lanes.add(wish("a", 1))).toBe(false);
    const taken = lanes.take(anybody);
    expect(lanes.add(wish("a", 1))).toBe(false);
    if (taken !== null) lanes.finish(taken);
    expect(lanes.add(wish("a", 1))).toBe(true);
  });

  it("replaces a waiting wish by a later version of its listing, at its place", () => {
    const lanes = createLanes();
    const [first, second] = [wish("a", 1), wish("b", 2)];
    lanes.add(first);
    lanes.add(second);
    const { listing, seenAtMs } = first.listing;
    const fallen = { ...listing, totalPriceCents: listing.totalPriceCents - 100 };
    const later = { ...first, listing: { ...first.listing, listing: fallen, seenAtMs: seenAtMs + 1 } };
    expect(lanes.add(later)).toBe(true);
    expect(lanes.add(first), "an older version").toBe(false);
    expect(lanes.waitingCount()).toBe(2);
    expect(lanes.take(anybody)).toBe(later);
    expect(lanes.add({ ...later, listing: { ...later.listing, seenAtMs: seenAtMs + 2 } }), "served").toBe(
      false,
    );
  });

  it("is bounded, for each lane and for each person", () => {
    const lanes = createLanes({ perLane: 3, perUser: 2 });
    expect([1, 2, 3].map((id) => lanes.add(wish("a", id)))).toEqual([true, true, false]);
    expect([4, 5].map((id) => lanes.add(wish("b", id)))).toEqual([true, false]);
    expect(lanes.add(wish("b", 5, "thunder"))).toBe(true);
    expect(lanes.waitingCount()).toBe(4);
  });

  it("removes the wishes that are dropped, and no others", () => {
    const lanes = createLanes();
    const filterId = asFilterId("gone");
    lanes.add({ ...wish("a", 1), filterId });
    lanes.add(wish("a", 2));
    expect(lanes.drop((each) => each.filterId === filterId)).toHaveLength(1);
    expect(lanes.take(anybody)?.listingId).toBe(2);
    expect(lanes.add(wish("a", 1))).toBe(true);
  });

  it("never loses or doubles a wish, whatever is taken, given back, finished and dropped", () => {
    const act = fc.constantFrom("add", "take", "give back", "finish", "drop" as const);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(act, fc.integer({ min: 0, max: 5 }), fc.boolean()), { maxLength: 60 }),
        (acts) => {
          const lanes = createLanes();
          const waiting = new Set<AutobuyWish>();
          const taken: AutobuyWish[] = [];
          for (const [what, id, isThunder] of acts) {
            if (what === "add") {
              const each = wish("a", id, isThunder ? "thunder" : "acquire");
              const isKnown = [...waiting, ...taken].some((other) => other.listingId === each.listingId);
              expect(lanes.add(each)).toBe(!isKnown);
              if (!isKnown) waiting.add(each);
            } else if (what === "take") {
              const each = lanes.take(anybody);
              if (each === null) expect(waiting.size).toBe(0);
              else {
                expect(waiting.delete(each)).toBe(true);
                const isThunderWaiting = [...waiting].some(({ lane }) => lane === "thunder");
                if (each.lane === "acquire") expect(isThunderWaiting).toBe(false);
                taken.push(each);
              }
            } else if (what === "drop") {
              lanes.drop(({ listingId }) => listingId === id);
              for (const each of waiting) if (each.listingId === id) waiting.delete(each);
            } else {
              const each = taken.pop();
              if (each === undefined) continue;
              if (what === "finish") lanes.finish(each);
              else {
                lanes.giveBack(each);
                waiting.add(each);
              }
            }
            expect(lanes.waitingCount()).toBe(waiting.size);
          }
        },
      ),
    );
  });
});
