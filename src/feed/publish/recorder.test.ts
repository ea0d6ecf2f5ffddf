import { expect, test } from "vitest";
import type { SeenListing } from "#domain/market/listing.ts";
import type { ListingStore } from "#store/market-store.ts";
import { aListing, aSeenListing } from "#verify/testing/a-listing.ts";
import { aMatch } from "#verify/testing/a-match.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { type RecordedBatch, Recorder } from "./recorder.ts";

const NO_ROOM = new Error("no room");

/** A store that can reject batches, like one that is down or refuses a listing. */
class UnreliableStore implements Pick<ListingStore, "record" | "sliceMarks"> {
  readonly taken: RecordedBatch[] = [];
  isDown = false;
  hasRoom = true;
  rejectedId: number | null = null;
  onTaken: (ids: readonly number[]) => void = () => undefined;

  async record(batch: RecordedBatch): Promise<void> {
    if (this.isDown) throw new Error("down");
    if (!this.hasRoom) throw NO_ROOM;
    if (batch.listings.some(({ listing }) => listing.id === this.rejectedId)) throw new Error("refused");
    this.taken.push(batch);
    this.onTaken(batch.listings.map(({ listing }) => listing.id));
  }

  async sliceMarks(): Promise<[]> {
    if (this.isDown) throw new Error("down");
    return [];
  }

  get ids(): readonly number[] {
    return this.taken.flatMap(({ listings }) => listings.map(({ listing }) => listing.id));
  }
}

function seen(...ids: readonly number[]): readonly SeenListing[] {
  return ids.map((id) => aSeenListing({ listing: aListing({ id }) }));
}

function batchOf(...ids: readonly number[]): RecordedBatch {
  const listings = seen(...ids);
  return {
    listings,
    matches: listings.map((listing) => aMatch({ listing })),
    marks: [{ key: "slice", lastReadAtMs: 1, highestListingId: Math.max(...ids) }],
  };
}

const OPTIONS = { hold: () => Promise.resolve(), isStoreAway: () => false };

test("batches are written in order; those that arrive during a write are combined", async () => {
  const store = new UnreliableStore();
  const recorder = new Recorder(store, new FakeClock(), createQuietLog(), OPTIONS);
  const [first, second, third] = [batchOf(1, 2), batchOf(3), batchOf(4)];
  const writing = recorder.write(first);
  await Promise.resolve();
  await Promise.all([writing, recorder.write(second), recorder.write(third)]);
  expect(store.taken).toEqual([
    first,
    {
      listings: [...second.listings, ...third.listings],
      matches: [...second.matches, ...third.matches],
      marks: [...second.marks, ...third.marks],
    },
  ]);
});

test("a rejected listing in combined batches costs no other listing", async () => {
  const store = new UnreliableStore();
  const clock = new FakeClock();
  const log = createQuietLog();
  store.rejectedId = 3;
  const recorder = new Recorder(store, clock, log, OPTIONS);
  const written = [batchOf(1, 2), batchOf(3, 4), batchOf(5)].map((batch) => recorder.write(batch));
  await clock.advance(1_000);
  await Promise.all(written);
  expect(store.ids).toEqual([1, 2, 4, 5]);
  expect(log.lines.filter(({ level }) => level === "error")).toHaveLength(1);
});

test("a listing that the store rejects is skipped with its matches; the mark and the rest are stored", async () => {
  const store = new UnreliableStore();
  const clock = new FakeClock();
  const log = createQuietLog();
  store.rejectedId = 2;
  const written = new Recorder(store, clock, log, OPTIONS).write(batchOf(1, 2, 3));
  await clock.advance(1_000);
  await written;
  expect(store.ids).toEqual([1, 3]);
  expect(store.taken.flatMap(({ matches }) => matches.map(({ listing }) => listing.listing.id))).toEqual([
    1, 3,
  ]);
  expect(store.taken.at(-1)?.marks[0]?.highestListingId).toBe(3);
  expect(log.lines.filter(({ level }) => level === "error").map(({ fields }) => fields["listingId"])).toEqual(
    [2],
  );
});

test("batches wait while the store is down, and are written in order afterwards", async () => {
  const store = new UnreliableStore();
  const clock = new FakeClock();
  const recorder = new Recorder(store, clock, createQuietLog(), OPTIONS);
  store.isDown = true;
  for (const id of [1, 2, 3]) {
    const written = recorder.write(batchOf(id));
    await clock.advance(10_000);
    await written;
  }
  store.isDown = false;
  const written = recorder.write(batchOf(4));
  await clock.advance(1_000);
  await written;
  expect(store.ids).toEqual([1, 2, 3, 4]);
});

test("waiting batches are written when the store is back, without another batch", async () => {
  const store = new UnreliableStore();
  const clock = new FakeClock();
  const recorder = new Recorder(store, clock, createQuietLog(), OPTIONS);
  store.isDown = true;
  void recorder.write(batchOf(1));
  await clock.advance(60_000);
  store.isDown = false;
  await clock.advance(1_000);
  expect(store.ids).toEqual([1]);
});

test("nothing that waits is dropped: it is full of 5,000 listings, until the store is back", async () => {
  const store = new UnreliableStore();
  const clock = new FakeClock();
  const recorder = new Recorder(store, clock, createQuietLog(), OPTIONS);
  store.isDown = true;
  const fullAfter: boolean[] = [];
  for (let first = 0; first < 6_000; first += 1_000) {
    const written = recorder.write(
      batchOf(...Array.from({ length: 1_000 }, (_, index) => first + index + 1)),
    );
    await clock.advance(10_000);
    await written;
    fullAfter.push(recorder.isFull);
  }
  expect(fullAfter).toEqual([false, false, false, false, true, true]);
  store.isDown = false;
  await clock.advance(1_000);
  expect(recorder.isFull).toBe(false);
  expect(store.ids).toEqual(Array.from({ length: 6_000 }, (_, index) => index + 1));
});

test("batches wait while the store answers but can write nothing, as on a full disk", async () => {
  const store = new UnreliableStore();
  const clock = new FakeClock();
  const log = createQuietLog();
  const isStoreAway = (error: unknown) => error === NO_ROOM;
  const recorder = new Recorder(store, clock, log, { ...OPTIONS, isStoreAway });
  store.hasRoom = false;
  void recorder.write(batchOf(1, 2));
  await clock.advance(60_000);
  expect(log.lines.filter(({ level }) => level === "error")).toEqual([]);
  store.hasRoom = true;
  await clock.advance(1_000);
  expect(store.ids).toEqual([1, 2]);
});

test("a store that goes away again while single listings are written loses none of them", async () => {
  const store = new UnreliableStore();
  const clock = new FakeClock();
  const log = createQuietLog();
  store.rejectedId = 2;
  const recorder = new Recorder(store, clock, log, OPTIONS);
  store.onTaken = (ids) => {
    if (ids.includes(1)) store.isDown = true;
  };
  void recorder.write(batchOf(1, 2, 3));
  await clock.advance(10_000);
  expect(store.ids).toEqual([1]);
  store.onTaken = () => undefined;
  store.isDown = false;
  await clock.advance(2_000);
  // The first one is written again, which changes nothing.
  expect(store.ids).toEqual([1, 1, 3]);
  expect(store.taken.at(-1)?.marks[0]?.highestListingId).toBe(3);
  expect(log.lines.filter(({ level }) => level === "error")).toHaveLength(1);
});
