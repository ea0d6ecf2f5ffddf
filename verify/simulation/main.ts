import { parseArgs } from "node:util";
import { boughtIn } from "./books-watch.ts";
import { unreached } from "./rare-states.ts";
import { runSeed, runSeedEmbedded, type RunReport } from "./run-seed.ts";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";

/**
 * `npm run sim`: simulated markets, each from a seed of its own. `--seed N` replays one and prints what happened;
 * its exit code is 0 when every invariant held and, over many seeds, every rare state was reached.
 */
const { values } = parseArgs({
  options: {
    /** One seed, with its trace. */
    seed: { type: "string" },
    /** So many seeds … */
    seeds: { type: "string", default: "100" },
    /** … from this one on. */
    from: { type: "string", default: "1" },
    /** Simulated hours of each, the last 20 minutes of them calm. */
    hours: { type: "string", default: "1" },
    /** Every fault of the sandbox, not only some that are drawn. */
    "all-faults": { type: "boolean", default: false },
    /** `embedded`: the real store, some seconds a seed, instead of the one in memory. */
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
    if (report.violations.length > 0) failing.push(tellFailure(report));
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

/** Hours of a long run in which no seed bought anything: they prove nothing. The last one is calm from its middle on. */
function idleHours(counts: ReadonlyMap<string, number>): readonly number[] {
  return Array.from({ length: Math.floor(hours) - 1 }, (_unused, hour) => hour).filter(
    (hour) => !counts.has(boughtIn(hour)),
  );
}

function tellFailure({ seed, violations }: RunReport): number {
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

/** Which seeds to run, and how. Each is a market of its own, so that they share nothing but the machine. */
interface FleetOrder {
  readonly firstSeed: number;
  readonly seedCount: number;
  readonly hours: number;
  readonly isEveryFaultArmed: boolean;
  /** The books in memory, or the real ones of the embedded store. */
  readonly store: "memory" | "embedded";
  /** Every so many seeds one is run twice, and its traces compared; 0: none. */
  readonly repeatEvery: number;
}

/** The seeds of one worker: every `step`-th from its own start. */
interface FleetShare extends FleetOrder {
  readonly start: number;
  readonly step: number;
}

/** Runs all seeds over the machine's processors; settles with the last of them. */
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
