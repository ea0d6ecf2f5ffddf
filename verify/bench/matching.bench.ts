// The reverse search compared with simpler implementations, on the same filters and listings in one run,
// after checking that their matches are equal. With a million filters a missed bar fails the run.
// node verify/bench/matching.bench.ts [--filters N]     (default 1,000,000; about 2 GB of memory)
import { parseArgs } from "node:util";
import type { Candidate } from "#matching/candidate.ts";
import type { FilterSpec } from "#matching/compile-filter.ts";
import { createCubeIndex, type CubeIndex } from "#matching/cube/cube-index.ts";
import { openPostgresServer } from "#verify/testing/postgres-server.ts";
import { judged, percentile, print } from "./figures.ts";
import { postgresBtree, columnarScan, objectLoop, sqliteClustered, type Rival } from "./matching-rivals.ts";
import { withWords, Workload, type WorkloadFilter } from "./matching-workload.ts";

const { values } = parseArgs({ options: { filters: { type: "string", default: "1000000" } } });
const filterCount = Number(values.filters);
if (!Number.isInteger(filterCount) || filterCount < 1) throw new Error("--filters takes a whole number");

const FULL = 1_000_000;
const LISTINGS = 20_000;
const ROUNDS = 5;
const EDITS = 20_000;
const COMPARED_LISTINGS = 40;
/** The minimum duration of a rival's measurement. */
const RIVAL_MS = 2_000;
/** Limits for a million filters on the reference machine. */
const BARS = { wordsRatio: 1.5, meanUs: 6, p99Us: 20, bytesPerFilter: 240, editP99Us: 20 };

/** Judged at the number of filters for which the bars are meant. */
function barAtFull(isMet: boolean, bar: number): string {
  return filterCount >= FULL ? judged(isMet, bar) : `bar at 1 M: ${bar}`;
}

/** Keeps the result of `readSpec`, so that the compiler cannot eliminate the reads. */
let specRead = 0;

const workload = new Workload(1);
const filters = Array.from({ length: filterCount }, () => workload.filter());
const listings = Array.from({ length: LISTINGS }, () => workload.listing());

const index = build(filters);
const meanUs = timeMatching(index);
timeWords();
timeEdits(index);
let isEqual = true;
for (const createRival of [sqliteClustered, columnarScan, objectLoop])
  isEqual = (await timeRival(createRival(filters))) && isEqual;
await using postgres = await openPostgresServer();
isEqual = (await timeRival(await postgresBtree(filters, await postgres.freshDatabase()))) && isEqual;
if (!isEqual) process.exitCode = 1;

function build(all: readonly WorkloadFilter[]): CubeIndex {
  const built = createCubeIndex();
  const beganMs = performance.now();
  for (const [number, { spec, matchClass }] of all.entries()) built.insert(number, spec, matchClass);
  print("filters", filterCount.toLocaleString("en"));
  print("built in", `${((performance.now() - beganMs) / 1_000).toFixed(2)} s`);
  const bytes = built.usedBytes / filterCount;
  print(
    "memory of the index",
    `${bytes.toFixed(0)} B per filter (${barAtFull(bytes <= BARS.bytesPerFilter, BARS.bytesPerFilter)})`,
  );
  return built;
}

/**
 * The fastest of several rounds per listing, and the CPU time of the fastest round: other load only slows it
 * down.
 */
function timeMatching(matched: CubeIndex): number {
  const bestUs = listings.map(() => Infinity);
  let matchCount = 0;
  for (const listing of listings) matchCount += matched.match(listing).length;
  const bestMeanUs = bestMeanOf(matched, listings);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [place, listing] of listings.entries()) {
      const beganMs = performance.now();
      matched.match(listing);
      bestUs[place] = Math.min(bestUs[place] ?? Infinity, (performance.now() - beganMs) * 1_000);
    }
  }
  const us = (share: number): string => percentile(bestUs, share).toFixed(1);
  const meanBar = barAtFull(bestMeanUs <= BARS.meanUs, BARS.meanUs);
  const p99Bar = barAtFull(percentile(bestUs, 0.99) <= BARS.p99Us, BARS.p99Us);
  print("matches per listing", (matchCount / LISTINGS).toFixed(0));
  print(
    "one listing, Thunder first",
    `mean ${bestMeanUs.toFixed(2)} µs (${meanBar}), p50 ${us(0.5)}, p99 ${us(0.99)} (${p99Bar})`,
  );
  print("listings per second, one thread", Math.round(1e6 / bestMeanUs).toLocaleString("en"));
  printAllocation(matched, listings);
  return bestMeanUs;
}

/** The mean of the fastest round, in µs of CPU time. */
function bestMeanOf(matched: CubeIndex, asked: readonly Candidate[]): number {
  let bestMeanUs = Infinity;
  for (let round = 0; round < ROUNDS; round += 1) {
    const roundUs = processorUs(() => {
      for (const listing of asked) matched.match(listing);
    });
    bestMeanUs = Math.min(bestMeanUs, roundUs / asked.length);
  }
  return bestMeanUs;
}

/** The cost per listing of price floors and keywords, which are tested on each filter. */
function timeWords(): void {
  const worded = withWords(filters, listings);
  const built = createCubeIndex();
  for (const [number, { spec, matchClass }] of worded.filters.entries())
    built.insert(number, spec, matchClass);
  const without = bestMeanOf(index, worded.listings);
  const ratio = bestMeanOf(built, worded.listings) / without;
  print(
    "10 % floors, 5 % words with alternatives",
    `${ratio.toFixed(2)} times the mean without (${barAtFull(ratio <= BARS.wordsRatio, BARS.wordsRatio)})`,
  );
  printAllocation(built, worded.listings);
}

/** CPU time of this thread, unaffected by other processes. */
function processorUs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}

/** The minimum of several rounds, because the compiler and the engine allocate as well. */
function printAllocation(matched: CubeIndex, asked: readonly Candidate[]): void {
  const { gc } = globalThis;
  if (gc === undefined) return print("allocated per match", "not measured: run with --expose-gc");
  let least = Infinity;
  for (let round = 0; round < 2 * ROUNDS; round += 1) {
    gc();
    const before = process.memoryUsage().heapUsed;
    for (const listing of asked) matched.match(listing);
    least = Math.min(least, (process.memoryUsage().heapUsed - before) / LISTINGS);
  }
  print("allocated per match", `${Math.max(0, least).toFixed(1)} B`);
}

/**
 * Removes and re-adds filters far apart, so that the parts of the index that they touch are cold. Their specs
 * are warm, as after a filter has just been compiled. The fastest of several rounds per edit.
 */
function timeEdits(edited: CubeIndex): void {
  const numbers = Array.from({ length: EDITS }, () => workload.below(filterCount));
  const bestUs = numbers.map(() => Infinity);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [place, number] of numbers.entries()) {
      const filter = filters[number];
      if (filter === undefined) continue;
      readSpec(filter.spec);
      const beganMs = performance.now();
      edited.remove(number);
      edited.insert(number, filter.spec, filter.matchClass);
      bestUs[place] = Math.min(bestUs[place] ?? Infinity, (performance.now() - beganMs) * 1_000);
    }
  }
  const us = (share: number): string => percentile(bestUs, share).toFixed(1);
  const p99Bar = barAtFull(percentile(bestUs, 0.99) <= BARS.editP99Us, BARS.editP99Us);
  print("an edit (remove and insert)", `p50 ${us(0.5)} µs, p99 ${us(0.99)} (${p99Bar}), worst ${us(1)}`);
}

function readSpec(spec: FilterSpec): void {
  const { categoryIds, brandIds, sizeIds, conditionIds, marketplaceColourIds, includeWords, excludeWords } =
    spec;
  specRead ^= spec.priceCapEur ^ includeWords.length ^ excludeWords.length;
  for (const ids of [categoryIds, brandIds, sizeIds, conditionIds, marketplaceColourIds])
    for (const id of ids) specRead ^= id;
}

async function timeRival(rival: Rival): Promise<boolean> {
  let isSame = true;
  for (const listing of listings.slice(0, COMPARED_LISTINGS)) {
    if (sorted(await rival.match(listing)).join() !== foundByIndex(listing)) isSame = false;
  }
  const rivalUs = await timePerCall(rival);
  await rival.close();
  const factor = rivalUs / meanUs;
  print(
    rival.name,
    `${rivalUs.toFixed(0)} µs, the index is ${factor.toFixed(0)} times as fast (${barAtFull(factor >= rival.bar, rival.bar)}); ` +
      `${isSame ? "equal" : "DIFFERENT"} matches on ${COMPARED_LISTINGS} listings`,
  );
  return isSame;
}

/** CPU time of this thread, or for a separate server the elapsed time. */
async function timePerCall(rival: Rival): Promise<number> {
  const cpuBefore = process.threadCpuUsage();
  const beganMs = performance.now();
  let calls = 0;
  while (performance.now() - beganMs < RIVAL_MS) {
    const listing = listings[calls % LISTINGS] ?? raise();
    if (rival.isServer) await rival.match(listing);
    else void rival.match(listing);
    calls += 1;
  }
  const waitedUs = (performance.now() - beganMs) * 1_000;
  const { user, system } = process.threadCpuUsage(cpuBefore);
  return (rival.isServer ? waitedUs : user + system) / calls;
}

function foundByIndex(listing: Candidate): string {
  const { numbers, start, length } = index.match(listing);
  return sorted([...numbers.subarray(start, start + length)]).join();
}

function sorted(numbers: readonly number[]): readonly number[] {
  return numbers.toSorted((one, other) => one - other);
}

function raise(): never {
  throw new Error("no listing");
}
