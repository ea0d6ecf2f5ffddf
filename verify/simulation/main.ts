import { parseArgs } from "node:util";
import { boughtIn } from "./commit-watch.ts";
import { unreached } from "./rare-states.ts";
import { runSeed, runSeedEmbedded, type RunReport } from "./run-seed.ts";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";

/**
 * `npm run sim`: simulated markets, one per seed. `--seed N` replays one and prints its trace. Exits with 0
 * when every invariant held and, over many seeds, every rare state was reached.
 */
const { values } = parseArgs({
  options: {
    /** Replays one seed and prints its trace. */
    seed: { type: "string" },
    seeds: { type: "string", default: "100" },
    /** The first seed. */
    from: { type: "string", default: "1" },
    /** Simulated hours per seed, of which the last 20 minutes are calm. */
    hours: { type: "string", default: "1" },
    /** Arms every fault of the sandbox instead of a random selection. */
    "all-faults": { type: "boolean", default: false },
    /** `embedded` runs the real store, several seconds per seed. */
    store: { type: "string", default: "memory" },
  },
});

const WHOLE_DAY_HOURS = 12;
const hours = numberOf(values.hours, 0.4);
const store: "embedded" | "memory" = values.store === "embedded" ? "embedded" : "memory";
const isEveryFaultArmed = values["all-faults"];
const exitCode =
  values.seed === undefined
    ? await runMany(numberOf(values.seeds, 1))
    : await replay(numberOf(values.seed, 0));
process.exit(exitCode);

async function replay(seed: number): Promise<number> {
  const run = store === "embedded" ? runSeedEmbedded : runSeed;
  const report = await run({ seed, hours, isEveryFaultArmed, onLine: say });
  say(`seed ${seed}: trace ${report.hash}, ${report.summary}`);
  for (const { invariant, text } of report.violations) say(`${invariant} broken: ${text}`);
  return report.violations.length === 0 ? 0 : 1;
}

async function runMany(seedCount: number): Promise<number> {
  const order = {
    firstSeed: numberOf(values.from, 0),
    seedCount,
    hours,
    isEveryFaultArmed,
    store,
    repeatEvery: 25,
  };
  const startedMs = performance.now();
  const counts = new Map<string, number>();
  const failing: number[] = [];
  await runFleet(order, (report) => {
    for (const [state, count] of report.counts) counts.set(state, (counts.get(state) ?? 0) + count);
    if (report.violations.length > 0) failing.push(printFailure(report));
    if (seedCount === 1 || hours >= WHOLE_DAY_HOURS)
      say(`seed ${report.seed}: trace ${report.hash}, ${report.summary}`);
  });
  for (const [state, count] of [...counts].toSorted(([one], [other]) => (one < other ? -1 : 1)))
    say(`${String(count).padStart(9)}  ${state}`);
  const idle = hours >= WHOLE_DAY_HOURS ? idleHours(counts) : [];
  for (const hour of idle) say(`nothing was bought in hour ${hour + 1}`);
  const missed = store === "memory" ? unreached(counts, seedCount * hours) : [];
  for (const state of missed) say(`never reached: ${state}`);
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  const last = order.firstSeed + seedCount - 1;
  say(`seeds ${order.firstSeed} to ${last}, ${hours} h each: ${failing.length} failed, in ${seconds} s`);
  if (failing.length > 0) say(`failing seeds: ${failing.toSorted((one, other) => one - other).join(", ")}`);
  return failing.length + missed.length + idle.length === 0 ? 0 : 1;
}

/** Hours of a long run without a purchase in any seed. Excludes the last hour, half of which is calm. */
function idleHours(counts: ReadonlyMap<string, number>): readonly number[] {
  return Array.from({ length: Math.floor(hours) - 1 }, (_unused, hour) => hour).filter(
    (hour) => !counts.has(boughtIn(hour)),
  );
}

function printFailure({ seed, violations }: RunReport): number {
  for (const { invariant, text } of violations.slice(0, 3)) say(`seed ${seed}: ${invariant} broken: ${text}`);
  return seed;
}

function numberOf(text: string, least: number): number {
  const number = Number(text);
  if (Number.isFinite(number) && number >= least) return number;
  throw new Error(`${text} is no number from ${least} on`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The seeds to run and their options. Seeds are independent of each other. */
interface FleetOrder {
  readonly firstSeed: number;
  readonly seedCount: number;
  readonly hours: number;
  readonly isEveryFaultArmed: boolean;
  readonly store: "memory" | "embedded";
  /** Every n-th seed is run twice and its traces are compared; 0 for none. */
  readonly repeatEvery: number;
}

/** A worker's seeds: every `step`-th, beginning with `start`. */
interface FleetShare extends FleetOrder {
  readonly start: number;
  readonly step: number;
}

/** Runs all seeds on all processors; settles when all have ended. */
async function runFleet(order: FleetOrder, onReport: (report: RunReport) => void): Promise<void> {
  const step = Math.min(availableParallelism(), order.seedCount);
  await Promise.all(
    Array.from({ length: step }, (_unused, start) => runShare({ ...order, start, step }, onReport)),
  );
}

function runShare(share: FleetShare, onReport: (report: RunReport) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("fleet-worker.ts", import.meta.url), { workerData: share });
    worker.on("message", onReport);
    worker.on("error", reject);
    worker.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`a worker ended with ${code}`))));
  });
}
