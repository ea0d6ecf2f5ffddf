import { expect, test } from "vitest";
import { openCriteria } from "#domain/market/filter.ts";
import { DAY_MS } from "#domain/clock.ts";
import { aListing, aSeenListing } from "#verify/testing/a-listing.ts";
import { aMarketMemory, archived } from "#verify/testing/archived.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { openTestStore } from "#verify/testing/test-store.ts";
import type { ArchiveStore } from "#store/market-store.ts";
import { ArchiveKeeper } from "./archive-keeper.ts";
import { ArchiveReader, EVER } from "./archive-reader.ts";
import { VERSIONS_PER_BLOCK } from "./block.ts";

const LEAF = 221;
const UPKEEP_MS = 10 * 60_000;
const PER_DAY = 10;
/** A size that ten listings do not exceed. */
const DAY_BYTES = archived(Array.from({ length: PER_DAY }, (_, index) => sightingOf(index + 1_000_000, 0)))
  .data.byteLength;

/** An archive with ten listings on each of the given days, and the memory that maintains it. */
async function kept(daysAgo: readonly number[], bounds: { windowDays?: number; maxBytes?: number }) {
  await using opening = new AsyncDisposableStack();
  const { store } = opening.use(await openTestStore());
  const { archive } = store;
  const clock = new FakeClock();
  const [log, nowMs] = [createQuietLog(), clock.nowMs()];
  const memory = aMarketMemory({ archive, clock, log, ...bounds });
  opening.defer(() => memory.stop());
  for (const ago of daysAgo) {
    const seenAtMs = nowMs - ago * DAY_MS;
    const day = new Date(seenAtMs).toISOString().slice(0, 10);
    const { data, versions } = archived(
      Array.from({ length: PER_DAY }, (_, index) => sightingOf(ago * PER_DAY + index + 1, seenAtMs)),
    );
    const times = { firstMs: seenAtMs, lastMs: seenAtMs };
    const block = { day, example: 0, isSorted: true, versions, ...times, leafIds: [LEAF], data };
    await archive.change({ tail: [], blocks: [], made: [block] });
    await archive.cover(day, [], () => []);
  }
  const archivist = await memory.beginReading();
  opening.defer(() => archivist.end());
  const parts = opening.move();
  return {
    days: async () => {
      const heads = await archive.heads({ fromMs: 0, toMs: nowMs + DAY_MS, leafIds: null });
      return heads.map(({ day }) => day).toSorted();
    },
    covered: async () => (await archive.coverage("")).map(({ day }) => day),
    /** Size of the sample that a listing is compared with; does not count its own price. */
    compared: () => {
      const seen = sightingOf(999, clock.nowMs());
      const [first] = archivist.appraise([{ seen, before: seen, kind: "changed", newSinceMs: null }]);
      return first?.standing?.sampleSize ?? 0;
    },
    upkeep: async () => await clock.advance(UPKEEP_MS),
    clock,
    store,
    memory,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

function sightingOf(id: number, seenAtMs: number) {
  const seller = { id, login: `v${id}`, photoUrl: null };
  const listing = aListing({ id, title: `Robe ${id}`, seller });
  return aSeenListing({ listing, firstSeenAtMs: seenAtMs, seenAtMs });
}

test("days older than the window leave the archive, with their coverage and their usual prices", async () => {
  await using of = await kept([0, 1, 2, 3, 4], { windowDays: 3 });
  await of.upkeep();
  // Three calendar days, today included.
  const left = ["2026-11-18", "2026-11-19", "2026-11-20"];
  await expect.poll(of.days).toEqual(left);
  expect(await of.covered()).toEqual(left);
  await expect.poll(of.compared).toBe(left.length * PER_DAY);
  await of.clock.advance(DAY_MS);
  const daysAfterUpkeep = async () => {
    await of.upkeep();
    return await of.days();
  };
  await expect.poll(daysAfterUpkeep).toEqual(left.slice(1));
});

test("above its size the archive loses its oldest days, but never today", async () => {
  const daysAgo = [0, 1, 2, 3];
  await using two = await kept(daysAgo, { maxBytes: 2 * DAY_BYTES });
  await two.upkeep();
  await expect.poll(two.days).toEqual(["2026-11-19", "2026-11-20"]);
  await expect.poll(two.compared).toBe(2 * PER_DAY);
  await expect.poll(two.covered).toEqual(["2026-11-19", "2026-11-20"]);
  await using none = await kept(daysAgo, { maxBytes: 1 });
  await none.upkeep();
  await expect.poll(none.days).toEqual(["2026-11-20"]);
  await using all = await kept(daysAgo, { maxBytes: 4 * DAY_BYTES });
  await all.upkeep();
  // Runs are queued: this one ends after the upkeep.
  await all.memory.facts();
  expect(await all.days()).toHaveLength(4);
  expect(await all.covered()).toHaveLength(4);
});

test("while the oldest day cannot be summed, no newer one leaves before it", async () => {
  await using of = await kept([0, 1, 2, 3], {});
  const { archive } = of.store;
  const [oldest] = (await archive.heads(EVER)).toSorted((one, other) => (one.day < other.day ? -1 : 1));
  const changing: ArchiveStore = {
    ...archive,
    blockData: async (ids) => await archive.blockData(ids.filter((id) => id !== oldest?.id)),
  };
  const parts = { archive: changing, clock: of.clock, log: createQuietLog() };
  const reader = new ArchiveReader(parts);
  const onLeft = (): void => undefined;
  await new ArchiveKeeper({ ...parts, reader, windowDays: 3, maxBytes: 1, onLeft }).upkeep();
  expect(await of.days()).toHaveLength(4);
  await reader.stop();
});

test("the tail becomes blocks of its days, and holds the same", async () => {
  await using of = await kept([], {});
  const { archive, listings } = of.store;
  const yesterdayMs = of.clock.nowMs() - DAY_MS;
  const pieces = [yesterdayMs, yesterdayMs, of.clock.nowMs()].map((seenAtMs, index) =>
    archived([sightingOf(index + 1, seenAtMs)]),
  );
  for (const piece of pieces)
    await listings.record({ listings: [], matches: [], marks: [], archive: [piece] });
  const found = async () => {
    const criteria = { ...openCriteria, priceCapEur: 100 };
    const question = { criteria, sinceMs: yesterdayMs, blockedSellerIds: [], buyer: null };
    return (await of.memory.replay(question, new AbortController().signal)).replay.ids;
  };
  expect(await of.days()).toEqual(["", "", ""]);
  expect(await found()).toEqual([1, 2, 3]);
  await of.upkeep();
  await expect.poll(of.days).toEqual(["2026-11-19", "2026-11-20"]);
  expect(await found()).toEqual([1, 2, 3]);
  const heads = async () => await archive.heads(EVER);
  // A past day is sorted by type, the current one is not.
  const sorted = async () => (await heads()).filter(({ isSorted }) => isSorted).map(({ day }) => day);
  await expect.poll(sorted).toEqual(["2026-11-19"]);
});

test("a piece that cannot be decoded is kept as it is, read no more and named once, until its day leaves", async () => {
  await using of = await kept([], {});
  const { archive, listings } = of.store;
  const yesterdayMs = of.clock.nowMs() - DAY_MS;
  const damaged = archived([sightingOf(2, yesterdayMs)]);
  damaged.data.set([(damaged.data.at(-1) ?? 0) ^ 1], damaged.data.length - 1);
  for (const piece of [archived([sightingOf(1, yesterdayMs)]), damaged])
    await listings.record({ listings: [], matches: [], marks: [], archive: [piece] });
  const reads: number[] = [];
  const watched: ArchiveStore = {
    ...archive,
    blockData: async (ids) => {
      reads.push(...ids);
      return await archive.blockData(ids);
    },
  };
  const parts = { archive: watched, clock: of.clock, log: createQuietLog() };
  const reader = new ArchiveReader(parts);
  const bounds = { windowDays: 3, maxBytes: 1e9, onLeft: () => undefined };
  const keeper = new ArchiveKeeper({ ...parts, reader, ...bounds });
  const days = async () => (await archive.heads(EVER)).map(({ day, isSorted }) => `${day} ${isSorted}`);
  const named = async () => (await of.memory.facts()).damagedBlocks;
  expect(await named()).toEqual([expect.stringMatching(/^t\d+$/u)]);
  await keeper.upkeep();
  // By the day of its packing: its own cannot be read.
  const left = ["2026-11-19 true", "2026-11-20 false"];
  expect((await days()).toSorted()).toEqual(left);
  const id = (await archive.heads(EVER)).find(({ isSorted }) => !isSorted)?.id ?? 0;
  const [block] = await archive.blockData([id]);
  expect(Buffer.from(block?.data ?? [])).toEqual(Buffer.from(damaged.data));
  expect(await named()).toEqual([`b${id}`]);
  await of.clock.advance(DAY_MS);
  for (const timesRead of [1, 1]) {
    await keeper.upkeep();
    expect((await days()).toSorted()).toEqual(left);
    expect(reads.filter((one) => one === id)).toHaveLength(timesRead);
  }
  await of.clock.advance(2 * DAY_MS);
  await keeper.upkeep();
  expect(await days()).toEqual([]);
  expect(await named()).toEqual([]);
  await reader.stop();
});

test("coverage that could not be stored is stored with the next", async () => {
  await using of = await kept([], {});
  const { archive } = of.store;
  let isBroken = true;
  const breaking: ArchiveStore = {
    ...archive,
    cover: async (...args) => {
      if (isBroken) throw new Error("a failed statement");
      await archive.cover(...args);
    },
  };
  const parts = { archive: breaking, clock: of.clock, log: createQuietLog() };
  const reader = new ArchiveReader(parts);
  const keeper = new ArchiveKeeper({
    ...parts,
    reader,
    windowDays: 30,
    maxBytes: 1e9,
    onLeft: () => undefined,
  });
  const nowMs = of.clock.nowMs();
  const minute = Math.floor(nowMs / 60_000);
  keeper.covered([LEAF], [], nowMs - DAY_MS);
  keeper.covered([LEAF], [], nowMs);
  await expect(keeper.upkeep()).rejects.toThrow("a failed statement");
  isBroken = false;
  keeper.covered([LEAF], [], nowMs + 60_000);
  await keeper.upkeep();
  const minutes = (await archive.coverage("")).map(({ coverage }) =>
    coverage.map(({ firstMinute, lastMinute }) => [firstMinute - minute, lastMinute - minute]),
  );
  expect(minutes).toEqual([[[-1_440, -1_440]], [[0, 1]]]);
  await reader.stop();
});

test("a full tail that comes during an upkeep is packed with the next versions after it", async () => {
  await using of = await kept([], {});
  const { archive } = of.store;
  const held = Promise.withResolvers<void>();
  let upkeeps = 0;
  const slow: ArchiveStore = {
    ...archive,
    forgetCoverage: async (day) => {
      upkeeps += 1;
      if (upkeeps === 1) await held.promise;
      await archive.forgetCoverage(day);
    },
  };
  const parts = { archive: slow, clock: of.clock, log: createQuietLog() };
  const reader = new ArchiveReader(parts);
  const onLeft = (): void => undefined;
  const keeper = new ArchiveKeeper({ ...parts, reader, windowDays: 30, maxBytes: 1e9, onLeft });
  keeper.recorded(VERSIONS_PER_BLOCK);
  await expect.poll(() => upkeeps).toBe(1);
  keeper.recorded(VERSIONS_PER_BLOCK);
  held.resolve();
  const upkeepsAfterOneMore = () => {
    keeper.recorded(1);
    return upkeeps;
  };
  await expect.poll(upkeepsAfterOneMore).toBe(2);
  await keeper.stop();
  await reader.stop();
});
