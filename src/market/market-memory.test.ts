import { expect, test } from "vitest";
import { openCriteria } from "#domain/market/filter.ts";
import type { MarketHistory } from "#domain/market/history.ts";
import { DAY_MS } from "#domain/clock.ts";
import { aListing, aSeenListing } from "#verify/testing/a-listing.ts";
import { aMarketMemory, archived } from "#verify/testing/archived.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { openTestStore, type TestStore } from "#verify/testing/test-store.ts";
import type { ArchiveStore } from "#store/market-store.ts";
import { mergeCoverage } from "./archive/coverage.ts";
import type { MarketArchivist } from "./market-memory.ts";
import { sellerHash } from "./prices/relist-keys.ts";

const DAY = "2026-11-20";
const LEAF = 221;
const OTHER_LEAF = 1_065;

const pieceOf = (firstId: number, count: number) =>
  archived(
    Array.from({ length: count }, (_, index) =>
      aSeenListing({ listing: aListing({ id: firstId + index, title: `Robe ${firstId + index}` }) }),
    ),
  );

/**
 * Stores a block of `count` listings on its day. @param of damaged: with a wrong last byte; `claimed`: the
 * number of versions that is stored beside it
 */
async function put(
  archive: ArchiveStore,
  firstId: number,
  of: { isDamaged?: boolean; count?: number; day?: string; claimed?: number } = {},
) {
  const { clock } = world;
  const { isDamaged = false, count = 10, day = DAY } = of;
  const { data, versions } = pieceOf(firstId, count);
  const bytes = isDamaged ? data.map((byte, place) => (place === data.length - 1 ? byte ^ 1 : byte)) : data;
  const [firstMs, lastMs] = [clock.nowMs(), clock.nowMs()];
  const block = {
    day,
    example: 0,
    isSorted: true,
    versions: of.claimed ?? versions,
    firstMs,
    lastMs,
    leafIds: [LEAF],
    data: bytes,
  };
  await archive.change({ tail: [], blocks: [], made: [block] });
}

const world = { clock: new FakeClock() };

function memoryOn({ store }: TestStore, archive: ArchiveStore = store.archive) {
  const log = createQuietLog();
  const { clock } = world;
  const memory = aMarketMemory({ archive, clock, log });
  const ids = async () => {
    const criteria = { ...openCriteria, priceCapEur: 100 };
    const sinceMs = clock.nowMs() - 3_600_000;
    const question = { criteria, sinceMs, blockedSellerIds: [], buyer: null };
    return (await memory.replay(question, new AbortController().signal)).replay.ids;
  };
  return { memory, log, ids };
}

test("a damaged block is left out, logged once and named", async () => {
  await using opened = await openTestStore();
  const { archive } = opened.store;
  await put(archive, 100);
  await put(archive, 200, { isDamaged: true });
  await put(archive, 300);
  const { memory, log, ids } = memoryOn(opened);
  for (let times = 0; times < 3; times += 1) expect(await ids()).toHaveLength(20);
  const facts = await memory.facts();
  expect(facts).toMatchObject({
    versions: 30,
    listings: 20,
    damagedBlocks: [expect.stringMatching(/^b\d+$/)],
  });
  const lines = log.lines.filter(({ message }) => message.includes("damaged"));
  expect(lines.map(({ fields }) => fields["block"])).toEqual(facts.damagedBlocks);
  await memory.stop();
});

test("a backtest and the prices read the newest three million versions, and cover only days read whole", async () => {
  await using opened = await openTestStore();
  const { archive } = opened.store;
  const days = ["2026-11-18", "2026-11-19", DAY];
  const covered = { colourId: 0, leafIds: [0], firstMinute: 1, lastMinute: 2, isExample: false };
  for (const day of days) await archive.cover(day, [covered], mergeCoverage);
  await put(archive, 100, { day: DAY, claimed: 2_999_990 });
  await put(archive, 200, { day: "2026-11-19" });
  const { memory } = memoryOn(opened);
  const replay = async () => {
    const sinceMs = world.clock.nowMs() - 2 * 86_400_000;
    const question = {
      criteria: { ...openCriteria, priceCapEur: 100 },
      sinceMs,
      blockedSellerIds: [],
      buyer: null,
    };
    const answer = await memory.replay(question, new AbortController().signal);
    return [answer.replay.articleCount, answer.coverage.dayCount];
  };
  const pricedDays = async () => {
    const { coverage } = await memory.prices(LEAF, null, { ...openCriteria, priceCapEur: 100 });
    return coverage.dayCount;
  };
  expect(await replay()).toEqual([20, 3]);
  expect(await pricedDays()).toBe(3);
  // One listing more than three million, on the first day: that day is left out.
  await put(archive, 300, { day: "2026-11-18", count: 1 });
  expect(await replay()).toEqual([20, 2]);
  expect(await pricedDays()).toBe(2);
  // With another block of the second day, none of the days before the third is whole.
  await put(archive, 400, { day: "2026-11-19" });
  expect(await replay()).toEqual([20, 1]);
  await memory.stop();
});

test("a count begins when the types were first read, at the latest with their first version", async () => {
  const sightings = (atMs: number, leafIds: readonly number[]) =>
    [1, 2].map((id) => {
      const listing = aListing({ id: id + (leafIds[0] ?? 0), title: `Robe ${id}` });
      return aSeenListing({
        listing,
        facts: { leafIds, marketplaceColourIds: [] },
        firstSeenAtMs: atMs,
        seenAtMs: atMs,
      });
    });
  await using opened = await openTestStore();
  const { archive, listings } = opened.store;
  const nowMs = world.clock.nowMs();
  const minute = Math.floor(nowMs / 60_000);
  const record = async (atMs: number, leafIds: readonly number[]) => {
    const piece = archived(sightings(atMs, leafIds));
    await listings.record({ listings: [], matches: [], marks: [], archive: [piece] });
  };
  const cover = async (day: string, first: number, last: number) => {
    const part = { colourId: 0, leafIds: [LEAF], isExample: false };
    await archive.cover(
      day,
      [{ ...part, firstMinute: minute + first, lastMinute: minute + last }],
      mergeCoverage,
    );
  };
  await record(nowMs - 40 * 60_000, [LEAF]);
  await record(nowMs - 50 * 60_000, [OTHER_LEAF]);
  const { memory } = memoryOn(opened);
  const minutesAgo = async () => {
    const criteria = { ...openCriteria, categoryIds: [LEAF], priceCapEur: 100 };
    const { sinceMs, seenInTypes } = await memory.count(criteria, []);
    expect(seenInTypes).toBe(2);
    return (nowMs - sinceMs) / 60_000;
  };
  expect(await minutesAgo()).toBe(40);
  // What was read yesterday until 25 hours ago is not in the period.
  await cover("2026-11-19", -1_600, -1_500);
  expect(await minutesAgo()).toBe(40);
  await cover(DAY, -60, 0);
  expect(await minutesAgo()).toBe(60);
  await cover("2026-11-19", -1_600, -800);
  expect(await minutesAgo()).toBe(1_440);
  const never = { ...openCriteria, categoryIds: [9], priceCapEur: 100 };
  expect(await memory.count(never, [])).toMatchObject({ seenInTypes: 0, sinceMs: nowMs - DAY_MS });
  await memory.stop();
});

test("the content of a large archive is counted in parts, between which questions are answered", async () => {
  await using opened = await openTestStore();
  const { archive } = opened.store;
  for (let block = 0; block < 140; block += 1) await put(archive, 1_000 * (block + 1), { count: 2 });
  const reads: number[] = [];
  const asking = Promise.withResolvers<void>();
  const watched: ArchiveStore = {
    ...archive,
    blockData: async (blockIds) => {
      reads.push(blockIds.length);
      // Blocks the count at its first read until the query was sent.
      await asking.promise;
      return await archive.blockData(blockIds);
    },
  };
  const { memory, ids } = memoryOn(opened, watched);
  const order: string[] = [];
  const counted = memory.facts().then((facts) => {
    order.push("facts");
    return facts;
  });
  await expect.poll(() => reads.length).toBeGreaterThan(0);
  const asked = ids().then((found) => {
    order.push("ids");
    return found;
  });
  asking.resolve();
  expect(await counted).toMatchObject({ versions: 280, listings: 280 });
  expect(await asked).toHaveLength(280);
  expect(order).toEqual(["ids", "facts"]);
  expect(Math.max(...reads)).toBeLessThanOrEqual(8);
  await memory.stop();
});

test("at most a million bytes of the archive are read at once, but always one piece", async () => {
  await using opened = await openTestStore();
  const { archive, listings } = opened.store;
  const [firstMs, lastMs] = [world.clock.nowMs(), world.clock.nowMs()];
  const times = { day: DAY, example: 0, isSorted: true, versions: 1, firstMs, lastMs, leafIds: [LEAF] };
  for (const bytes of [400_000, 400_000, 1_500_000, 1, 200_000, 800_000]) {
    const block = { ...times, data: new Uint8Array(bytes) };
    await archive.change({ tail: [], blocks: [], made: [block] });
  }
  for (const bytes of [600_000, 600_000]) {
    const piece = { versions: 1, data: new Uint8Array(bytes) };
    await listings.record({ listings: [], matches: [], marks: [], archive: [piece] });
  }
  /** Newest first, as the archive is read. */
  const read: number[][] = [];
  const watched: ArchiveStore = {
    ...archive,
    tailData: async (ids) => noted(await archive.tailData(ids)),
    blockData: async (ids) => noted(await archive.blockData(ids)),
  };
  function noted<Piece extends { readonly data: Uint8Array }>(pieces: readonly Piece[]) {
    read.push(pieces.map(({ data }) => data.byteLength).toSorted((one, other) => one - other));
    return pieces;
  }
  const { memory, ids } = memoryOn(opened, watched);
  expect(await ids()).toEqual([]);
  expect(read).toEqual([[600_000], [600_000], [200_000, 800_000], [1], [1_500_000], [400_000, 400_000]]);
  await memory.stop();
});

function newSightings(count: number) {
  const atMs = world.clock.nowMs();
  return Array.from({ length: count }, (_, index) => {
    const seller = { id: index, login: `v${index}`, photoUrl: null };
    const listing = aListing({ id: index + 1, title: `Robe ${index}`, seller });
    const seen = aSeenListing({ listing, firstSeenAtMs: atMs, seenAtMs: atMs });
    return { seen, before: null, kind: "new" as const, newSinceMs: null };
  });
}

/** Appraises new listings and stores them, like the market's reader. */
async function read({ store }: TestStore, archivist: MarketArchivist, count: number) {
  const appraisals = archivist.appraise(newSightings(count));
  const piece = archivist.pieceOf(appraisals.map(({ version }) => version));
  const archive = piece === null ? [] : [piece];
  await store.listings.record({ listings: [], matches: [], marks: [], archive });
}

/** Size of the sample that a listing is compared with; does not count its own price. */
function compared(archivist: MarketArchivist): number {
  const seen = aSeenListing({ seenAtMs: world.clock.nowMs() });
  const [first] = archivist.appraise([{ seen, before: seen, kind: "changed", newSinceMs: null }]);
  return first?.standing?.sampleSize ?? 0;
}

test("usual prices that could not be restored are restored later, and what was read meanwhile counts once", async () => {
  await using opened = await openTestStore();
  const { archive } = opened.store;
  const { clock } = world;
  const before = memoryOn(opened);
  const earlier = await before.memory.beginReading();
  await read(opened, earlier, 20);
  await earlier.end();
  await before.memory.stop();
  await clock.advance(1_000);
  let isDown = true;
  const totals = async () => {
    if (isDown) throw new Error("the store does not answer");
    return await archive.totals();
  };
  const { memory } = memoryOn(opened, { ...archive, totals });
  const beginning = memory.beginReading();
  let hasBegun = false;
  void beginning.then(() => {
    hasBegun = true;
  });
  const begins = async () => {
    await clock.advance(10_000);
    return hasBegun;
  };
  await expect.poll(begins).toBe(true);
  const reading = await beginning;
  await read(opened, reading, 30);
  isDown = false;
  const isReady = async () => {
    await clock.advance(10_000);
    return (await memory.facts()).isReady;
  };
  await expect.poll(isReady).toBe(true);
  expect(compared(reading)).toBe(50);
  await reading.end();
  await memory.stop();
});

test("an archive that another node erased is forgotten, with the secret of its sellers' hashes", async () => {
  await using opened = await openTestStore();
  const { archive } = opened.store;
  const { memory } = memoryOn(opened);
  const archivist = await memory.beginReading();
  await read(opened, archivist, 30);
  await memoryOn(opened).memory.erase();
  await memory.forget();
  const [first] = archivist.appraise(newSightings(20));
  expect(first?.version.sellerHash).toBe(sellerHash(await archive.secret(), 0));
  // A repeated message removes nothing that was read since.
  await memory.forget();
  expect(compared(archivist)).toBe(20);
  await archivist.end();
  await memory.stop();
});

test("an erased archive is empty, and its usual prices are forgotten", async () => {
  await using opened = await openTestStore();
  const { memory, ids } = memoryOn(opened);
  const archivist = await memory.beginReading();
  const secret = await opened.store.archive.secret();
  const sightings = newSightings(30);
  const appraisals = archivist.appraise(sightings);
  expect(appraisals.at(-1)?.standing).toMatchObject({ sampleSize: 29 });
  const piece = archivist.pieceOf(appraisals.map(({ version }) => version));
  await opened.store.listings.record({
    listings: [],
    matches: [],
    marks: [],
    archive: piece === null ? [] : [piece],
  });
  archivist.covered([LEAF], [], world.clock.nowMs());
  await world.clock.advance(5_000);
  expect(await ids()).toHaveLength(30);
  await expect.poll(async () => (await memory.facts()).days).toBe(1);
  const held = await memory.facts();
  expect(held.listings).toBe(30);
  expect(held.cells).toBeGreaterThan(0);
  await memory.erase();
  expect(await ids()).toEqual([]);
  expect(await memory.facts()).toMatchObject({ versions: 0, listings: 0, days: 0, sinceMs: null, cells: 0 });
  expect(await opened.store.archive.secret()).not.toEqual(secret);
  const [first] = archivist.appraise(sightings.slice(0, 1));
  expect(first).toMatchObject({ standing: null, isRelist: false });
  expect(first?.version.sellerHash).toBe(sellerHash(await opened.store.archive.secret(), 0));
  await archivist.end();
  await memory.stop();
});

const PAST = 40;
const PAGE = 10;

/** One past listing every 17 hours, in pages of ten. */
const history: MarketHistory = {
  async page(after) {
    const numbers = Array.from({ length: PAGE }, (_, index) => after + index + 1);
    const listings = numbers
      .filter((number) => number <= PAST)
      .map((number) => ({
        number,
        listing: aListing({ id: number, seller: { id: number, login: `v${number}`, photoUrl: null } }),
        leafId: LEAF,
        marketplaceColourIds: [],
        atMs: world.clock.nowMs() - (PAST - number + 1) * 0.7 * DAY_MS,
      }));
    return { listings, isOpen: false };
  },
};

test("a history is imported once, with its days, whenever the process ends or the store fails", async () => {
  const whole = await importedThrough(Infinity, "kill");
  expect(whole).toMatchObject({ versions: PAST, counted: PAST });
  expect(whole.days.length).toBeGreaterThan(25);
  // A page writes the coverage of its days, about eight, then its listings.
  const ends = [
    ["kill", 3],
    ["kill", 8],
    ["kill", 12],
    ["fault", 3],
    ["fault", 8],
  ] as const;
  for (const [end, calls] of ends)
    expect(await importedThrough(calls, end), `${end} after ${calls} calls`).toEqual(whole);
});

/** @param calls number of writes after which all further ones fail ("kill"), or only the next ("fault") */
async function importedThrough(calls: number, end: "kill" | "fault") {
  await using opened = await openTestStore();
  const { archive } = opened.store;
  let left = calls;
  const failing = <Input extends readonly unknown[], Output>(call: (...input: Input) => Promise<Output>) => {
    return async (...input: Input): Promise<Output> => {
      left -= 1;
      if (end === "kill" ? left < 0 : left === -1) throw new Error("the process ends");
      return await call(...input);
    };
  };
  const own: ArchiveStore = {
    ...archive,
    change: failing(async (change) => await archive.change(change)),
    cover: failing(async (day, covered, merge) => await archive.cover(day, covered, merge)),
  };
  const { clock } = world;
  const first = aMarketMemory({ archive: own, clock, history });
  const reading = await first.beginReading();
  if (end === "fault") {
    await clock.advance(2_000);
    await expect.poll(async () => (await archive.totals()).examplesRead).toBe(PAST);
  }
  await reading.end();
  await first.stop();
  const second = aMarketMemory({ archive, clock, history });
  const again = await second.beginReading();
  const { versions } = await archive.totals();
  const days = (await archive.coverage("")).map(({ day }) => day);
  const { prices } = await second.prices(LEAF, null, {
    ...openCriteria,
    categoryIds: [LEAF],
    priceCapEur: 100,
  });
  await again.end();
  await second.stop();
  return { versions, days, counted: prices.all.count };
}

test("past listings that are older than the archive's days are not imported", async () => {
  const ends = await Promise.all([importedLater(15), importedLater(40)]);
  expect(ends[0].examplesRead).toBe(PAST);
  expect(ends[0].versions).toBeGreaterThan(15);
  expect(ends[0].versions).toBeLessThan(25);
  expect(ends[1]).toMatchObject({ versions: 0, examplesRead: 0 });
});

/** @param days how long ago the history ended */
async function importedLater(days: number) {
  await using opened = await openTestStore();
  const { archive } = opened.store;
  const older: MarketHistory = {
    async page(after) {
      const { listings, isOpen } = await history.page(after);
      return { listings: listings.map((one) => ({ ...one, atMs: one.atMs - days * DAY_MS })), isOpen };
    },
  };
  const memory = aMarketMemory({ archive, clock: world.clock, history: older });
  await (await memory.beginReading()).end();
  await memory.stop();
  return await archive.totals();
}
