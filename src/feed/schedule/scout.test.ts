import { expect, test } from "vitest";
import type { Listing } from "#domain/market/listing.ts";
import { aListing } from "#verify/testing/a-listing.ts";
import { ingestPage } from "../read/ingest.ts";
import { SeenListings } from "../read/seen-listings.ts";
import { Scout } from "./scout.ts";
import { type SliceState, SliceStates } from "./slice-states.ts";
import { SCOUT_SLICE, sliceOf } from "./slice.ts";

const DRESSES = 178;
const SHIRTS = 221;

/** Two slices with learned words, and a scout. */
class ScoutFixture {
  readonly memory = new SeenListings({ maxEntries: 1_000, maxAgeMs: 86_400_000 });
  readonly slices = new SliceStates();
  readonly scout = new Scout({
    slices: this.slices,
    memory: this.memory,
    interestIn: (_, leafId) => (leafId === null ? 0 : 5),
  });
  #nextId = 1;

  constructor() {
    this.slices.update([SCOUT_SLICE, sliceOf([DRESSES], null, "rest"), sliceOf([SHIRTS], null, "rest")], 0);
    for (let count = 0; count < 20; count += 1) {
      this.read(this.state(DRESSES), this.listing("Robe fleurie"));
      this.read(this.state(SHIRTS), this.listing("Chemise fleurie"));
    }
  }

  listing(title: string): Listing {
    this.#nextId += 1;
    return aListing({ id: this.#nextId, title });
  }

  state(leafId: number): SliceState {
    const found = [...this.slices.states].find(({ slice }) => slice.leafIds.includes(leafId));
    if (found === undefined) throw new Error("the slice is there");
    return found;
  }

  read(state: SliceState, ...listings: readonly Listing[]): void {
    const page = { listings, droppedCount: 0, totalPages: 1, receivedAtMs: 1_000 };
    this.scout.learn(ingestPage(page, state, this.memory).news, state);
  }

  observe(...listings: readonly Listing[]): number {
    return this.scout.observePage({ listings, droppedCount: 0, totalPages: 1, receivedAtMs: 1_000 });
  }
}

test("a listing of the whole market is expected in the slice of its words, and counted once", () => {
  const fixture = new ScoutFixture();
  const dress = fixture.listing("Robe neuve");
  expect([fixture.observe(dress), fixture.observe(dress)]).toEqual([1, 0]);
  const dresses = fixture.state(DRESSES).expected.get(dress.id) ?? 0;
  expect(dresses).toBeGreaterThan(2.5);
  expect(fixture.state(SHIRTS).expected.get(dress.id) ?? 0).toBeLessThan(dresses / 3);
});

test("a listing that was found is no longer expected", () => {
  const fixture = new ScoutFixture();
  const dress = fixture.listing("Robe fleurie");
  fixture.observe(dress);
  const state = fixture.state(DRESSES);
  state.mark = { sentAtMs: 0, receivedAtMs: 0, highestListingId: 0 };
  fixture.read(state, dress);
  expect([...fixture.slices.states].flatMap(({ expected }) => [...expected.keys()])).toEqual([]);
});

test("a wrong first guess raises the probability of the others", () => {
  const fixture = new ScoutFixture();
  const [dresses, shirts] = [fixture.state(DRESSES), fixture.state(SHIRTS)];
  const flowery = fixture.listing("Robe chemise fleurie");
  fixture.observe(flowery);
  const before = shirts.expected.get(flowery.id) ?? 0;
  dresses.expected.delete(flowery.id);
  fixture.scout.recordMiss(dresses, [flowery.id]);
  expect(shirts.expected.get(flowery.id) ?? 0).toBeGreaterThan(before);
  expect(dresses.expected.has(flowery.id)).toBe(false);
});
