import { expect, test } from "vitest";
import type { SearchPage } from "#marketplace/marketplace.ts";
import { aListing } from "#verify/testing/a-listing.ts";
import { type SliceState, SliceStates } from "../schedule/slice-states.ts";
import { sliceOf } from "../schedule/slice.ts";
import { ingestPage } from "./ingest.ts";
import { SeenListings } from "./seen-listings.ts";

const [EARLIER_MS, LATER_MS] = [1_000, 2_000];

test("a page processed out of order adds its proofs and reverts nothing", () => {
  const memory = new SeenListings({ maxEntries: 10, maxAgeMs: 60_000 });
  const dear = aListing({ totalPriceCents: 3_000 });
  const cheap = { ...dear, totalPriceCents: 2_000 };
  ingestPage(pageOf([cheap], LATER_MS), stateOf([]), memory);
  const late = ingestPage(pageOf([dear], EARLIER_MS), stateOf([221]), memory);
  expect(late.news).toMatchObject([{ kind: "changed" }]);
  // The recorded version must be the newest, otherwise the store keeps its own.
  expect(late.toRecord).toMatchObject([{ listing: cheap, facts: { leafIds: [221] }, seenAtMs: LATER_MS }]);
  expect(memory.get(dear.id)).toMatchObject({ seen: late.toRecord[0], lastSeenMs: LATER_MS });
  expect(ingestPage(pageOf([cheap], LATER_MS + 1), stateOf([221]), memory).news).toEqual([]);
});

test("a page processed out of order does not restore a category that the seller changed", () => {
  const memory = new SeenListings({ maxEntries: 10, maxAgeMs: 60_000 });
  const listing = aListing({});
  ingestPage(pageOf([listing], LATER_MS), stateOf([300]), memory);
  expect(ingestPage(pageOf([listing], EARLIER_MS), stateOf([221]), memory).news).toEqual([]);
  expect(memory.get(listing.id)?.seen.facts.leafIds).toEqual([300]);
});

test("an older page does not replace a listing that was seen unchanged since", () => {
  const memory = new SeenListings({ maxEntries: 10, maxAgeMs: 60_000 });
  const cheap = aListing({ totalPriceCents: 2_000 });
  const state = stateOf([221]);
  for (const atMs of [0, LATER_MS]) ingestPage(pageOf([cheap], atMs), state, memory);
  const late = ingestPage(pageOf([{ ...cheap, totalPriceCents: 2_500 }], EARLIER_MS), state, memory);
  expect(late).toMatchObject({ news: [], toRecord: [] });
  expect(memory.get(cheap.id)).toMatchObject({ seen: { listing: cheap }, lastSeenMs: LATER_MS });
});

test("a page reaches known listings only if its last listing in order is known", () => {
  const memory = new SeenListings({ maxEntries: 10, maxAgeMs: 60_000 });
  const state = stateOf([221]);
  const known = aListing({ id: 5 });
  ingestPage(pageOf([known], 0), state, memory);
  state.mark = { sentAtMs: 0, receivedAtMs: 0, highestListingId: 5 };
  const promoted = { ...known, isPromoted: true };
  const later = [8, 7, 6].map((id) => aListing({ id }));
  expect(ingestPage(pageOf([...later, promoted], LATER_MS), state, memory).reachesKnown).toBe(false);
  expect(ingestPage(pageOf([...later, known], LATER_MS), state, memory).reachesKnown).toBe(true);
});

test("a promoted listing proves nothing about those above it and does not raise the mark", () => {
  const memory = new SeenListings({ maxEntries: 10, maxAgeMs: 60_000 });
  const state = stateOf([221]);
  const [known, deep] = [aListing({ id: 5 }), aListing({ id: 3 })];
  ingestPage(pageOf([known], 0), state, memory);
  state.mark = { sentAtMs: 0, receivedAtMs: 0, highestListingId: 5 };
  state.coveredFrom = aListing({ id: 1 }).id;
  const below = ingestPage(pageOf([deep, { ...known, isPromoted: true }], LATER_MS), state, memory);
  expect(below.news).toMatchObject([{ kind: "past" }]);
  const absurd = aListing({ id: Number.MAX_SAFE_INTEGER, isPromoted: true });
  expect(ingestPage(pageOf([absurd, known], LATER_MS), state, memory).highestListingId).toBe(5);
});

function pageOf(listings: SearchPage["listings"], receivedAtMs: number): SearchPage {
  return { listings, droppedCount: 0, totalPages: 1, receivedAtMs };
}

function stateOf(leafIds: readonly number[]): SliceState {
  const slices = new SliceStates();
  slices.update([sliceOf(leafIds, null, "rest")], 0);
  const [state] = slices.states;
  if (state === undefined) throw new Error("a slices that follows a slice has its state");
  return state;
}
