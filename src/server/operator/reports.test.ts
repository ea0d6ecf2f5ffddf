import { expect, test } from "vitest";
import type { ProductEvent } from "#domain/events.ts";
import { aMarketMemory, recordJackets } from "#verify/testing/archived.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { openTestStore } from "#verify/testing/test-store.ts";
import { showArchive } from "./reports.ts";

test("erasing the archive publishes an event to every node", async () => {
  await using opened = await openTestStore();
  const { store } = opened;
  const clock = new FakeClock();
  const memory = aMarketMemory({ archive: store.archive, clock });
  const published: ProductEvent[] = [];
  const events = { publish: async (event: ProductEvent) => void published.push(event) };
  const { data } = await showArchive({ action: "erase" }, { memory, store, events, clock });
  expect(data).toEqual({ erased: true });
  expect(published).toEqual([{ kind: "archive_erased" }]);
  await memory.stop();
});

test("the figures of the archive are those of what it holds and of the usual prices in memory", async () => {
  await using opened = await openTestStore();
  const { store } = opened;
  const clock = new FakeClock();
  const memory = aMarketMemory({ archive: store.archive, clock });
  const deps = { memory, store, events: { publish: async () => undefined }, clock };
  const none = { versions: 0, listings: 0, bytes_per_version: 0, example_versions: 0, since: null, days: 0 };
  expect((await showArchive({}, deps)).data).toMatchObject({
    ...none,
    ready: true,
    cells: null,
    book_bytes: null,
  });
  await recordJackets(store, clock.nowMs(), [1_200, 4_500, 12_000]);
  const { dataBytes, diskBytes } = await store.archive.totals();
  const archivist = await memory.beginReading();
  archivist.covered([], [], clock.nowMs());
  const { lines, data } = await showArchive({}, deps);
  expect(data).toEqual({
    ready: true,
    since: clock.nowMs(),
    days: 0,
    versions: 3,
    listings: 3,
    bytes: diskBytes,
    bytes_per_version: Math.round((dataBytes / 3) * 10) / 10,
    // Its type, brand and condition, each pair of them, and the type's parent.
    cells: 5,
    book_bytes: expect.any(Number) as number,
    example_versions: 0,
  });
  expect(dataBytes).toBeGreaterThan(0);
  expect(diskBytes).toBeGreaterThan(dataBytes);
  expect(data).not.toHaveProperty("book_bytes", 0);
  expect(lines.join()).toMatch(/3 versions of 3 listings, 0 of them.*,5 cells of usual prices in \d+ bytes$/);
  await archivist.end();
  expect((await showArchive({}, deps)).data).toMatchObject({ days: 1, cells: null });
  await memory.stop();
});
