// The cost of market data: the archive's size and writes, usual prices, 'bon_prix' in matching, backtests
// over a million versions, and the history of the first start; compared with a bare pass over the same bytes.
// A missed bar fails the run.
// BENCH_VERSIONS (default 1,000,000), BENCH_FILTERS (default 1,000,000; about 2 GB of memory)
import { monitorEventLoopDelay } from "node:perf_hooks";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { NO_RULES } from "#domain/buying-rules.ts";
import { type FilterCriteria, openCriteria } from "#domain/market/filter.ts";
import type { MarketHistory } from "#domain/market/history.ts";
import { DEFAULT_LIMITS } from "#domain/settings.ts";
import { DAY_MS } from "#domain/clock.ts";
import { Block, encodeBlock } from "#market/archive/block.ts";
import type { Buyer } from "#market/backtest/replay-purchases.ts";
import { Appraiser } from "#market/prices/appraiser.ts";
import { RebuildRun } from "#market/prices/rebuild.ts";
import { sellerHash } from "#market/prices/relist-keys.ts";
import { createSandboxHistory } from "#marketplace/sandbox-history.ts";
import { createCubeIndex, type CubeIndex } from "#matching/cube/cube-index.ts";
import { type Candidate, NO_RANK, readListing } from "#matching/candidate.ts";
import { systemClock } from "#server/clock.ts";
import type { OpenStore } from "#store/open-store.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { openTestStore } from "#verify/testing/test-store.ts";
import { judged, pause, percentile, print } from "./figures.ts";
import { drawMonth, marketListing, type Month } from "./market-past.ts";
import { Workload, type WorkloadFilter } from "./matching-workload.ts";
import { aMarketMemory } from "#verify/testing/archived.ts";
import { startTestSandbox } from "#verify/testing/a-sandbox.ts";

const VERSIONS = Number(process.env["BENCH_VERSIONS"] ?? "1000000");
const FILTERS = Number(process.env["BENCH_FILTERS"] ?? "1000000");
const ROUNDS = 5;
const PAGE = 96;
const MB = 1024 * 1024;
/** Limits for a million versions and filters on the reference machine. */
const BARS = {
  bytesPerVersion: 48,
  appraiseUs: 20,
  bargainUs: 1,
  bookMb: 64,
  rebuildMs: 3_000,
  fewTypesMs: 300,
  noTypeMs: 3_000,
  delayP99Ms: 50,
  historyMs: 1_500,
  turnMs: 25,
};
const SECRET = new Uint8Array(32).fill(7);
const NOT_STARTED = new AbortController().signal;

const buyer: Buyer = {
  plan: "thunder",
  limits: DEFAULT_LIMITS,
  priceCapEur: 60,
  bargainPercent: 10,
  maxPurchases: null,
  paymentMethodId: 1,
  priceFloorEur: 0,
  rules: NO_RULES,
  group: null,
  minPriceDays: 7,
};

const QUESTIONS: readonly (readonly [name: string, criteria: FilterCriteria, barMs: number])[] = [
  ["one type", { ...openCriteria, categoryIds: [221], priceCapEur: 60 }, BARS.fewTypesMs],
  ["three types", { ...openCriteria, categoryIds: [221, 222, 1_844], priceCapEur: 60 }, BARS.fewTypesMs],
  ["no type, words", { ...openCriteria, includeWords: [["robe"]], priceCapEur: 60 }, BARS.noTypeMs],
  ["no type, everything held", { ...openCriteria, priceCapEur: 100_000 }, BARS.noTypeMs],
];

const month = drawMonth(VERSIONS, systemClock.nowMs() - 60_000);
printSize(month);
await countStatements();
timeAppraisal();
timeRebuild(month);
await timeBacktests(month);
await timeHistory();
timeBargains();

function printSize({ blocks, versionCount }: Month): void {
  const bytes = blocks.reduce((sum, { data }) => sum + data.length, 0);
  const some = blocks.slice(0, 10).flatMap(({ data }) => new Block(data).versions());
  const json = zstdCompressSync(Buffer.from(JSON.stringify(some))).length / some.length;
  const perVersion = bytes / versionCount;
  print("versions in blocks", `${versionCount.toLocaleString("en")} in ${blocks.length}`);
  print(
    "bytes per version, packed",
    `${perVersion.toFixed(1)} (${judged(perVersion <= BARS.bytesPerVersion, BARS.bytesPerVersion)}); as compressed JSON ${json.toFixed(1)}`,
  );
}

async function countStatements(): Promise<void> {
  let asked = 0;
  await using opened = await openTestStore({ onStatement: () => (asked += 1) });
  const { listings } = opened.store;
  const seen = Array.from({ length: PAGE }, (_, index) => marketListing(index + 1, systemClock.nowMs()));
  const statementsOf = async (archive: readonly { versions: number; data: Uint8Array }[]) => {
    asked = 0;
    const marks = [{ key: "a", lastReadAtMs: systemClock.nowMs(), highestListingId: 1 }];
    await listings.record({ listings: seen, matches: [], marks, archive });
    return asked;
  };
  const without = await statementsOf([]);
  const versions = versionsOf(seen);
  const added = (await statementsOf([{ versions: PAGE, data: encodeBlock(versions) }])) - without;
  print("statements added per page", `${added} (${judged(added === 0, 0)})`);
}

function versionsOf(seen: readonly ReturnType<typeof marketListing>[], appraiser = newAppraiser()) {
  return seen.map(
    (one) => appraiser.appraise({ seen: one, before: null, kind: "new", newSinceMs: null }).version,
  );
}

/** The sellers' keyed hashes are timed separately. */
function newAppraiser(): Appraiser {
  return new Appraiser(30, (sellerId) => Math.imul(sellerId, 0x9e37_79b1) >>> 0);
}

/** Appraises pages one after the other, with as many prices known before. */
function timeAppraisal(): void {
  const nowMs = systemClock.nowMs();
  const appraiser = newAppraiser();
  const count = 200 * PAGE;
  const seen = Array.from({ length: 2 * count }, (_, index) => marketListing(index + 1, nowMs));
  versionsOf(seen.slice(0, count), appraiser);
  let bytes = 0;
  const ownUs = processorUs(() => {
    for (let start = count; start < 2 * count; start += PAGE)
      bytes += encodeBlock(versionsOf(seen.slice(start, start + PAGE), appraiser)).length;
  });
  const readingUs = processorUs(() => {
    for (const { listing } of seen.slice(count)) readListing(listing);
  });
  const hashingUs = processorUs(() => {
    for (const { listing } of seen.slice(count)) sellerHash(SECRET, listing.seller.id);
  });
  const perListing = (us: number): string => (us / count).toFixed(1);
  print(
    "standing and encoding, per listing",
    `${perListing(ownUs)} µs (${judged(ownUs / count <= BARS.appraiseUs, BARS.appraiseUs)}), ${(bytes / count).toFixed(0)} B; reading its texts alone ${perListing(readingUs)} µs, the keyed hash of its seller besides ${perListing(hashingUs)} µs`,
  );
}

function timeRebuild({ blocks, bookBytes, cellCount }: Month): void {
  const bareUs = processorUs(() => {
    for (const { data } of blocks) zstdDecompressSync(data);
  });
  const rebuildUs = processorUs(() => {
    const run = new RebuildRun({ windowDays: 30, untilMs: Infinity });
    for (const { data } of blocks.toReversed()) run.take(new Block(data));
    run.finish();
  });
  print(
    "usual prices and keys of relists: memory",
    `${(bookBytes / MB).toFixed(1)} MB (${judged(bookBytes / MB <= BARS.bookMb, BARS.bookMb)}), ${cellCount.toLocaleString("en")} cells`,
  );
  print(
    "the same made anew from the archive",
    `${(rebuildUs / 1_000).toFixed(0)} ms (${judged(rebuildUs / 1_000 <= BARS.rebuildMs, BARS.rebuildMs)}); decompressing the blocks alone ${(bareUs / 1_000).toFixed(0)} ms`,
  );
}

async function timeBacktests({ blocks, untilMs }: Month): Promise<void> {
  await using opened = await openTestStore();
  for (let start = 0; start < blocks.length; start += 16)
    await opened.store.archive.change({ tail: [], blocks: [], made: blocks.slice(start, start + 16) });
  const bareUs = processorUs(() => {
    for (const { data } of blocks) zstdDecompressSync(data);
  });
  print("decompressing all blocks", `${(bareUs / 1_000).toFixed(0)} ms`);
  for (const [name, criteria, barMs] of QUESTIONS) {
    const memory = memoryOf(opened.store);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    const times: number[] = [];
    let found = "";
    delay.enable();
    for (let round = 0; round <= ROUNDS; round += 1) {
      const beganMs = performance.now();
      const sinceMs = untilMs - 30 * DAY_MS;
      const { replay } = await memory.replay({ criteria, sinceMs, blockedSellerIds: [], buyer }, NOT_STARTED);
      times.push(performance.now() - beganMs);
      found = `${replay.articleCount.toLocaleString("en")} articles of ${replay.examinedCount.toLocaleString("en")} versions`;
    }
    delay.disable();
    await memory.stop();
    const [first = 0, ...warm] = times;
    const warmMs = percentile(warm, 0.5);
    const delayMs = delay.percentile(99) / 1e6;
    print(
      `backtest, ${name}`,
      `first ${first.toFixed(0)} ms, warm ${warmMs.toFixed(0)} (median of ${ROUNDS}; ${judged(warmMs <= barMs, barMs)}); event-loop delay p99 ${delayMs.toFixed(1)} ms (${judged(delayMs <= BARS.delayP99Ms, BARS.delayP99Ms)}); ${found}`,
    );
  }
}

function memoryOf(store: OpenStore, history: ReturnType<typeof createSandboxHistory> | null = null) {
  const log = createQuietLog();
  const { archive } = store;
  return aMarketMemory({ archive, clock: systemClock, log, maxBytes: 512 * MB, history });
}

/** The sandbox and the product share a process, as on the first start. */
async function timeHistory(): Promise<void> {
  const log = createQuietLog();
  await using opened = await openTestStore();
  const sandbox = await startTestSandbox({ historyDays: 30, log });
  await using history = createSandboxHistory(sandbox.url, { clock: systemClock, userAgent: "bench" });
  const memory = memoryOf(opened.store, history);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const before = process.cpuUsage();
  const beganMs = performance.now();
  delay.enable();
  const archivist = await memory.beginReading();
  const { user, system } = process.cpuUsage(before);
  const waitedMs = performance.now() - beganMs;
  delay.disable();
  const { exampleVersions } = await opened.store.archive.totals();
  await archivist.end();
  await memory.stop();
  const bareBefore = process.cpuUsage();
  await readPages(history);
  const bare = process.cpuUsage(bareBefore);
  await sandbox.stop();
  const ownMs = (user + system) / 1_000;
  const turnMs = delay.max / 1e6;
  print(
    "the first start's history",
    `${ownMs.toFixed(0)} ms of processor time (${judged(ownMs <= BARS.historyMs, BARS.historyMs)}), ${waitedMs.toFixed(0)} ms, longest turn ${turnMs.toFixed(0)} ms (${judged(turnMs <= BARS.turnMs, BARS.turnMs)}); ${exampleVersions.toLocaleString("en")} listings`,
  );
  print(
    "fetching and parsing the same pages alone",
    `${((bare.user + bare.system) / 1_000).toFixed(0)} ms of processor time`,
  );
  await pause(0);
}

async function readPages(history: MarketHistory): Promise<void> {
  let after: number | undefined = 0;
  while (after !== undefined) {
    const page = await history.page(after);
    after = page.listings.at(-1)?.number;
  }
}

/** Every tenth filter requires a good price; seven in ten listings have a rank. */
function timeBargains(): void {
  const workload = new Workload(1);
  const filters = Array.from({ length: FILTERS }, () => workload.filter());
  const listings = Array.from({ length: 20_000 }, () => ({
    ...workload.listing(),
    priceRank: workload.below(10) < 3 ? NO_RANK : workload.below(101),
  }));
  const plainUs = bestMeanUs(indexOf(filters), listings);
  const asking = filters.map((filter, number) => {
    const minPriceRank = number % 10 === 0 ? ([75, 90, 95][workload.below(3)] ?? NO_RANK) : NO_RANK;
    return { ...filter, spec: { ...filter.spec, minPriceRank } };
  });
  const askingUs = bestMeanUs(indexOf(asking), listings);
  const moreUs = askingUs - plainUs;
  print(
    "one listing, 10 % of the filters ask for a good price",
    `mean ${askingUs.toFixed(2)} µs, without ${plainUs.toFixed(2)}: ${moreUs.toFixed(2)} more (${judged(moreUs <= BARS.bargainUs, BARS.bargainUs)})`,
  );
}

function indexOf(filters: readonly WorkloadFilter[]): CubeIndex {
  const index = createCubeIndex();
  for (const [number, { spec, matchClass }] of filters.entries()) index.insert(number, spec, matchClass);
  return index;
}

function bestMeanUs(index: CubeIndex, listings: readonly Candidate[]): number {
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round += 1) {
    const us = processorUs(() => {
      for (const listing of listings) index.match(listing);
    });
    best = Math.min(best, us / listings.length);
  }
  return best;
}

/** CPU time of this thread, unaffected by other processes. */
function processorUs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}
