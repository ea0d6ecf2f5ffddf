import { expect, test } from "vitest";
import type { SeenListing } from "#domain/market/listing.ts";
import type { ListingStore } from "#store/market-store.ts";
import { aListing, aSeenListing } from "#verify/testing/a-listing.ts";
import { aMatch } from "#verify/testing/a-match.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { type RecordedBatch, Recorder } from "./recorder.ts";

/** A store that can reject batches, like one that is down or refuses a listing. */
class Gate implements Pick<ListingStore, "record" | "sliceMarks"> {
  readonly taken: RecordedBatch[] = [];
  isDown = false;
  poison: number | null = null;

  async record(batch: RecordedBatch): Promise<void> {
    if (this.isDown) throw new Error("down");
    if (batch.listings.some(({ listing }) => listing.id === this.poison)) throw new Error("refused");
    this.taken.push(batch);
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

test("batches are written in order; those that arrive during a write are combined", async () => {
  const gate = new Gate();
  const recorder = new Recorder(gate, new FakeClock(), createQuietLog());
  const [first, second, third] = [batchOf(1, 2), batchOf(3), batchOf(4)];
  const writing = recorder.write(first);
  await Promise.resolve();
  await Promise.all([writing, recorder.write(second), recorder.write(third)]);
  expect(gate.taken).toEqual([
    first,
    {
      listings: [...second.listings, ...third.listings],
      matches: [...second.matches, ...third.matches],
      marks: [...second.marks, ...third.marks],
    },
  ]);
});

test("a rejected listing in combined batches costs no other listing", async () => {
  const gate = new Gate();
  const clock = new FakeClock();
  const log = createQuietLog();
  gate.poison = 3;
  const recorder = new Recorder(gate, clock, log);
  const written = [batchOf(1, 2), batchOf(3, 4), batchOf(5)].map((batch) => recorder.write(batch));
  await clock.advance(1_000);
  await Promise.all(written);
  expect(gate.ids).toEqual([1, 2, 4, 5]);
  expect(log.lines.filter(({ level }) => level === "error")).toHaveLength(1);
});

test("a listing that the store rejects is skipped with its matches; the mark and the rest are stored", async () => {
  const gate = new Gate();
  const clock = new FakeClock();
  const log = createQuietLog();
  gate.poison = 2;
  const written = new Recorder(gate, clock, log).write(batchOf(1, 2, 3));
  await clock.advance(1_000);
  await written;
  expect(gate.ids).toEqual([1, 3]);
  expect(gate.taken.flatMap(({ matches }) => matches.map(({ listing }) => listing.listing.id))).toEqual([
    1, 3,
  ]);
  expect(gate.taken.at(-1)?.marks[0]?.highestListingId).toBe(3);
  expect(log.lines.filter(({ level }) => level === "error").map(({ fields }) => fields["listingId"])).toEqual(
    [2],
  );
});

test("batches wait while the store is down, and are written in order afterwards", async () => {
  const gate = new Gate();
  const clock = new FakeClock();
  const recorder = new Recorder(gate, clock, createQuietLog());
  gate.isDown = true;
  for (const id of [1, 2, 3]) {
    const written = recorder.write(batchOf(id));
    await clock.advance(10_000);
    await written;
  }
  gate.isDown = false;
  await recorder.write(batchOf(4));
  expect(gate.ids).toEqual([1, 2, 3, 4]);
});

test("waiting batches are bounded: the oldest are dropped and logged", async () => {
  const gate = new Gate();
  const clock = new FakeClock();
  const log = createQuietLog();
  const recorder = new Recorder(gate, clock, log);
  gate.isDown = true;
  for (let first = 0; first < 8_000; first += 1_000) {
    const written = recorder.write(
      batchOf(...Array.from({ length: 1_000 }, (_, index) => first + index + 1)),
    );
    await clock.advance(10_000);
    await written;
  }
  gate.isDown = false;
  await recorder.write(batchOf(9_000));
  expect(gate.ids[0]).toBe(3_001);
  expect(gate.ids).toHaveLength(5_001);
  expect(log.lines.filter(({ level }) => level === "error")).toHaveLength(3);
});
