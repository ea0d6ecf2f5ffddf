/**
 * `npm run crash`: kill -9 at random instants and at every named point, on the real process with the real
 * sandbox, whose orders are checked. `--random N` (200), `--times N` per point (3), `--seed N`. `--nodes N`
 * (0): kills of one of two processes that buy for groups on one PostgreSQL, with `--wishes N` (300) each.
 */
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { mulberry32 } from "#sandbox/world/draws.ts";
import { type CrashWorld, startCrashWorld } from "#verify/testing/crash-world.ts";
import type { ProductProcess } from "#verify/testing/product-process.ts";
import type { SandboxClient } from "#verify/testing/sandbox-client.ts";
import { crashPoints, type CrashPoint } from "./crash-points.ts";
import { GROUP_PURCHASES, killNodes } from "./kill-nodes.ts";

const { values: options } = parseArgs({
  options: {
    random: { type: "string", default: "200" },
    times: { type: "string", default: "3" },
    nodes: { type: "string", default: "0" },
    wishes: { type: "string", default: "300" },
    seed: { type: "string", default: String(Math.floor(Date.now() / 86_400_000)) },
  },
});

/** The number of runs between two checks: frequent checks find a violation near its cause. */
const RUNS_BETWEEN_CHECKS = 20;
const MAX_RUN_MS = 3_500;
const POINT_TIMEOUT_MS = 45_000;
const HOOK = pathToFileURL(join(import.meta.dirname, "die-at-point.ts")).href;

let found = 0;
/** The number of deaths at each point; a run that does not reach its point fails. */
const reached = new Map<string, number>();
const random = mulberry32(Number(options.seed));
const startedAtMs = Date.now();
say(`seed ${options.seed}`);
await atPoints(Number(options.times));
await atRandom(Number(options.random));
await ofTwoNodes(Number(options.nodes), Number(options.wishes));
say(`${found} violations in ${Math.round((Date.now() - startedAtMs) / 1_000)} s`);
process.exitCode = found === 0 ? 0 : 1;

async function atPoints(times: number): Promise<void> {
  if (times === 0) return;
  await using world = await startCrashWorld();
  for (let time = 1; time <= times; time += 1) {
    for (const point of crashPoints) await dieAt(world, point);
    await check(world, `each of ${crashPoints.length} points, time ${time}`);
  }
  for (const { name } of crashPoints) say(`${reached.get(name) ?? 0} of ${times} deaths  ${name}`);
}

async function dieAt(world: CrashWorld, point: CrashPoint): Promise<void> {
  let hasReached = false;
  await world.runUntilKilled({
    env: { CRASH_AT: point.name, NODE_OPTIONS: `--import=${HOOK}` },
    prepare: (sandbox) => arrange(sandbox, point),
    async untilKill(product) {
      hasReached = await Promise.race([
        product.ended.then(({ signal }) => signal === "SIGKILL"),
        wait(POINT_TIMEOUT_MS, false, { ref: false }),
      ]);
    },
  });
  await world.sandbox.clearFaults();
  if (hasReached) {
    reached.set(point.name, (reached.get(point.name) ?? 0) + 1);
    return;
  }
  found += 1;
  say(`NOT REACHED  ${point.name}`);
}

async function arrange(sandbox: SandboxClient, { needs }: CrashPoint): Promise<void> {
  if (needs === "lost payment")
    await sandbox.arm({ route: "payment", kind: "reset", variant: "after_effect", rate: 1, count: 1 });
  if (needs === "refused token")
    await sandbox.arm({ route: "orders", kind: "unauthorised", rate: 1, count: 1 });
}

async function atRandom(runCount: number): Promise<void> {
  if (runCount === 0) return;
  await using world = await startCrashWorld();
  for (let run = 1; run <= runCount; run += 1) {
    await world.runUntilKilled({ untilKill: (product) => randomInstant(product) });
    if (run % RUNS_BETWEEN_CHECKS === 0 || run === runCount) await check(world, `${run} random instants`);
  }
}

/** Any instant from the first instruction of the process to a few seconds of work. */
async function randomInstant(product: ProductProcess): Promise<void> {
  const isAtWork = random() < 0.8;
  if (isAtWork) await Promise.race([product.ready, product.ended]);
  await wait(random() * MAX_RUN_MS * (isAtWork ? 1 : 0.5));
}

async function ofTwoNodes(kills: number, wishes: number): Promise<void> {
  if (kills === 0) return;
  const { paid, violations } = await killNodes({
    kills,
    wishes,
    random,
    onGroup({ number, paid: places, violations: ofGroup }) {
      for (const violation of ofGroup) say(`VIOLATION  ${violation}`);
      say(`group ${number}: ${places} of ${GROUP_PURCHASES} paid, ${ofGroup.length} violations`);
    },
  });
  found += violations.length;
  const complete = paid.filter((count) => count === GROUP_PURCHASES).length;
  const groups = `${kills} groups of ${GROUP_PURCHASES} with 2 nodes × ${wishes} wishes, a death in each`;
  say(`${groups}: at most ${Math.max(...paid)} paid, ${complete} complete, ${violations.length} violations`);
}

async function check(world: CrashWorld, what: string): Promise<void> {
  const violations = await world.violations();
  found += violations.length;
  for (const violation of violations) say(`VIOLATION  ${violation}`);
  const { payments, acknowledged } = await world.counts();
  say(`${what}: ${payments} payments, ${acknowledged} acknowledged writes, ${violations.length} violations`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
