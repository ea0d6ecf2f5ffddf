/**
 * `npm run cluster`: three local nodes with PostgreSQL, Redis, the sandbox and a proxy, for trying out a
 * cluster. Installs what is missing; all data is in a temporary folder that is removed at the end. Reads PORT
 * and SANDBOX_LISTINGS_PER_SECOND. `--break` stops one part after another instead and measures the effect,
 * with `--only Redis` only those whose names contain the word.
 */
import { parseArgs } from "node:util";
import { type Cluster, startCluster } from "#verify/testing/cluster.ts";
import { breakNodes } from "./break-nodes.ts";

const { values: options } = parseArgs({
  options: {
    break: { type: "boolean", default: false },
    only: { type: "string" },
  },
});

const NODES = ["node-1", "node-2", "node-3"];
const EVERYTHING = "web,feed,match,buy";
const RESTART_AFTER_MS = 1_000;

let isEnding = false;
if (options.break) process.exitCode = (await breakNodes(say, options.only)) === 0 ? 0 : 1;
else await serve();

async function serve(): Promise<void> {
  const signalled = untilSignalled();
  say("Starting PostgreSQL, Redis, the sandbox, three nodes and a proxy…");
  await using cluster = await startCluster({
    nodes: Object.fromEntries(NODES.map((name) => [name, EVERYTHING])),
    port: Number(process.env["PORT"] ?? 3_000),
    env: { SANDBOX_LISTINGS_PER_SECOND: process.env["SANDBOX_LISTINGS_PER_SECOND"] ?? "2" },
  });
  for (const name of NODES) {
    say(`${name}: process ${cluster.pid(name)}, metrics at ${cluster.metricsUrl(name)}`);
    void keepAlive(cluster, name);
  }
  say("Kill one of them (kill -9) and watch. Ctrl-C ends everything, and nothing is kept.");
  process.stdout.write(`Synapse: ${cluster.url}\n`);
  await signalled;
  isEnding = true;
  say("Ending…");
  await Promise.all(NODES.map((name) => cluster.kill(name, "SIGTERM")));
}

/** Restarts a node that exits or is killed, like a supervisor. */
async function keepAlive(cluster: Cluster, name: string): Promise<void> {
  for (;;) {
    await cluster.ended(name);
    await new Promise((resolve) => void setTimeout(resolve, RESTART_AFTER_MS));
    if (isEnding) return;
    try {
      await cluster.revive(name);
      say(`${name} had ended: it lives again, process ${cluster.pid(name)}`);
    } catch {
      if (isEnding) return;
      say(`${name} did not start: trying again`);
    }
  }
}

function untilSignalled(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => resolve());
  return promise;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
