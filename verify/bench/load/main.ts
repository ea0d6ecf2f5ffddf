// `npm run load`: people with open pages, filters, sellers, purchases and reads at once, against one product
// or several nodes. Prints its measurements; fails on a broken guarantee, never for lack of speed.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { sandboxClient } from "#verify/testing/sandbox-client.ts";
import { latencyLine, pause, print } from "../figures.ts";
import { connectPages } from "./open-pages.ts";
import { signInPeople } from "./population.ts";
import {
  watchMachine,
  watchOwnFigures,
  residentMb,
  watchCost,
  type LoadTarget,
  runningTarget,
  startNodes,
  startTarget,
  THREE_WHOLE_NODES,
} from "./target.ts";
import { sizingOf, brokenGuarantees } from "./verdict.ts";
import { FULL_DURATION_S, scaleOf } from "./scale.ts";
import { createSellers, readSteadily } from "./traffic.ts";
import { mulberry32 } from "#sandbox/world/draws.ts";

const { values: options } = parseArgs({
  options: {
    store: { type: "string", default: "embedded" },
    share: { type: "string", default: "0.1" },
    seconds: { type: "string", default: String(FULL_DURATION_S) },
    node: { type: "string", multiple: true },
    url: { type: "string", multiple: true },
    sandbox: { type: "string" },
    storm: { type: "boolean", default: false },
  },
});
/** The last purchases may still be paying when the sellers stop. */
const SETTLE_MS = 15_000;
/** Lets the feed learn the arrival rates before the measurement, as on any day but the first. */
const WARM_UP_S = 30;
const SEED = 1;

const scale = scaleOf(Number(options.share), Number(options.seconds));
await using target = await openTarget();
const sandbox = sandboxClient(target.sandboxUrl);
await sandbox.setPace(0);
const draw = mulberry32(SEED);

const signInStartedAtMs = Date.now();
const population = await signInPeople(target.urls, scale, draw);
print(
  `${scale.sockets} people signed in, ${scale.filters} filters saved`,
  `${((Date.now() - signInStartedAtMs) / 1_000).toFixed(0)} s`,
);
const emptyMb = await memoryMb();
const connectStartedAtMs = Date.now();
const pages = await connectPages(target.urls, population);
print(`${scale.sockets} pages connected`, `${((Date.now() - connectStartedAtMs) / 1_000).toFixed(1)} s`);

const pagesMb = emptyMb === 0 ? null : (await memoryMb()) - emptyMb;

const sellers = createSellers(sandbox, scale, draw);
await sellers.publishFor(WARM_UP_S);
pages.measureFromNow();
const lag = monitorEventLoopDelay({ resolution: 10 });
lag.enable();
const costs = target.pids.map(watchCost);
const ownFigures = await watchOwnFigures(target.metricsUrls);
const machine = watchMachine();
const [published, reads] = await Promise.all([
  sellers.publishFor(scale.durationS),
  readSteadily(population, scale, mulberry32(SEED + 1)),
]);
const spent = await Promise.all(costs.map((cost) => cost.end()));
const machineShare = machine.end();
lag.disable();
await pause(SETTLE_MS);
const own = await ownFigures.end();
const reconnectMs = options.storm ? await pages.reconnectAll() : null;

const bought = published.filter(({ buyingIndex }) => buyingIndex !== null).length;
print(`published in ${scale.durationS} s`, `${published.length} listings, ${bought} of them to be bought`);
print("the product has it → a page has it", latencyLine(pages.deliveriesMs));
print("it is matched → a page has it", latencyLine(pages.publishDelaysMs));
print("the product has it → its buyer's page knows of the intent", latencyLine(pages.intentsMs));
if (own !== null) print("it is matched → its intent is durable", own.wishToIntent);
print("reads answered", latencyLine(reads.answeredMs));
for (const [index, cost] of spent.entries())
  print(
    `process ${index + 1}`,
    cost === null
      ? "not known on this system"
      : `${cost.peakMb.toFixed(0)} MB at most, ${(cost.coreShare * 100).toFixed(0)} % of a core`,
  );
const work = {
  durationS: scale.durationS,
  sockets: scale.sockets,
  listings: published.length,
  deliveries: pages.deliveriesMs.length,
  purchases: bought,
  reads: reads.answeredMs.length,
};
for (const [label, value] of sizingOf(work, spent, pagesMb)) print(label, value);
print("all processors of this machine", `${(machineShare * 100).toFixed(0)} % busy, whatever ran on it`);
print("the driver's own delay (it shares the processors)", `p99 ${(lag.percentile(99) / 1e6).toFixed(0)} ms`);
if (reconnectMs !== null)
  print(`all ${scale.sockets} pages cut at once → all back`, `${(reconnectMs / 1_000).toFixed(1)} s`);

const broken = [
  ...brokenGuarantees(population, pages, sellers.published, await sandbox.orders()),
  ...(reads.errors.length === 0
    ? []
    : [{ what: `failed reads (${reads.errors[0] ?? ""})`, count: reads.errors.length }]),
];
for (const { what, count } of broken) print(`BROKEN: ${what}`, String(count));
if (broken.length === 0) print("lost, doubled, overpaid, failed", "0");
pages.close();
process.exitCode = broken.length === 0 ? 0 : 1;

async function memoryMb(): Promise<number> {
  const each = await Promise.all(target.pids.map(residentMb));
  return each.reduce((sum, one) => sum + one, 0);
}

async function openTarget(): Promise<LoadTarget> {
  if (options.url !== undefined && options.sandbox !== undefined)
    return runningTarget(options.url, options.sandbox);
  const { store } = options;
  if (store === "cluster") return startNodes(options.node ?? THREE_WHOLE_NODES);
  return startTarget(store === "postgres" ? "postgres" : "embedded");
}
