// What is tested: a product started by this run on the embedded store or on its own PostgreSQL, three nodes,
// or nodes that are already running.
import { startCluster } from "#verify/testing/cluster.ts";
import { freePort } from "#verify/testing/free-port.ts";
import { openPostgresServer } from "#verify/testing/postgres-server.ts";
import { type ProductProcess, spawnProduct } from "#verify/testing/product-process.ts";
import { temporaryFolder } from "#verify/testing/temporary-folder.ts";
import { cpus } from "node:os";
import { readFile } from "node:fs/promises";
import { pause } from "../figures.ts";

export interface LoadTarget extends AsyncDisposable {
  /** The address of each web node. */
  readonly urls: readonly string[];
  readonly sandboxUrl: string;
  /** Processes whose memory and CPU time are measured; empty for nodes started outside this run. */
  readonly pids: readonly number[];
  /** The metrics address of each of these processes. */
  readonly metricsUrls: readonly string[];
}

type LoadStore = "embedded" | "postgres";

/** High enough that the feed never limits a run. */
const REQUESTS_PER_SECOND = "40";

export function runningTarget(urls: readonly string[], sandboxUrl: string): LoadTarget {
  return { urls, sandboxUrl, pids: [], metricsUrls: [], [Symbol.asyncDispose]: async () => {} };
}

export const THREE_WHOLE_NODES: readonly string[] = [
  "web,feed,match,buy",
  "web,feed,match,buy",
  "web,feed,match,buy",
];

/**
 * Several nodes with their own PostgreSQL and Redis, behind a proxy in this process when more than one is a
 * web node.
 * @param parts of each node, as in SERVICES
 */
export async function startNodes(parts: readonly string[]): Promise<LoadTarget> {
  const nodes = Object.fromEntries(parts.map((services, index) => [`node-${index + 1}`, services]));
  const names = Object.keys(nodes);
  const cluster = await startCluster({
    nodes,
    env: { RATE_LIMITS: "off", MARKETPLACE_REQUESTS_PER_SECOND: REQUESTS_PER_SECOND },
    isDurable: true,
    hasNoProxy: parts.filter((services) => services.includes("web")).length === 1,
  });
  return {
    urls: [cluster.url],
    sandboxUrl: cluster.sandbox.url,
    pids: names.map((name) => cluster.pid(name)),
    metricsUrls: names.map((name) => cluster.metricsUrl(name)),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

export async function startTarget(store: LoadStore): Promise<LoadTarget> {
  await using stack = new AsyncDisposableStack();
  const database =
    store === "postgres"
      ? await stack.use(await openPostgresServer({ isDurable: true })).freshDatabase()
      : null;
  const sandboxPort = String(await freePort());
  const port = String(await freePort());
  const metricsPort = String(await freePort());
  const sandboxUrl = `http://127.0.0.1:${sandboxPort}`;
  const common = { SANDBOX_PORT: sandboxPort, RATE_LIMITS: "off" };
  await started(stack, { ...common, SERVICES: "sandbox", DATA_DIR: stack.use(await temporaryFolder()).path });
  const product = await started(stack, {
    ...common,
    PORT: port,
    METRICS_PORT: metricsPort,
    DATA_DIR: stack.use(await temporaryFolder()).path,
    SANDBOX_URL: sandboxUrl,
    MARKETPLACE_REQUESTS_PER_SECOND: REQUESTS_PER_SECOND,
    ...(database === null ? {} : { DATABASE_URL: database }),
  });
  const resources = stack.move();
  return {
    urls: [`http://localhost:${port}`],
    sandboxUrl,
    pids: [product.pid],
    metricsUrls: [`http://127.0.0.1:${metricsPort}/metrics`],
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

async function started(
  stack: AsyncDisposableStack,
  settings: Readonly<Record<string, string>>,
): Promise<ProductProcess> {
  const process = stack.use(spawnProduct(settings));
  await process.ready;
  return process;
}

// Figures from the product's metrics and from the operating system over a load run.

interface OwnFigures {
  /** From the match or click to the commit of the intent. */
  readonly wishToIntent: string;
}

const BUCKET = /^synapse_wish_to_intent_seconds_bucket\{(?<labels>[^}]*)\} (?<count>\d+)/gm;

/** Cumulative counts by upper bound in seconds. */
type Buckets = ReadonlyMap<number, number>;

/** @param metricsUrls of all processes under load; without any the result is null */
export async function watchOwnFigures(
  metricsUrls: readonly string[],
): Promise<{ end(): Promise<OwnFigures | null> }> {
  const before = await bucketsOf(metricsUrls);
  return {
    async end() {
      if (metricsUrls.length === 0) return null;
      const after = await bucketsOf(metricsUrls);
      const between = new Map(
        Array.from(after, ([bound, count]) => [bound, count - (before.get(bound) ?? 0)]),
      );
      return { wishToIntent: boundLine(between) };
    },
  };
}

/** The utilisation of all processors of this machine between two moments, 0–1, including other programs. */
export function watchMachine(): { end(): number } {
  const before = processorTimes();
  return {
    end() {
      const after = processorTimes();
      return 1 - (after.idle - before.idle) / (after.all - before.all);
    },
  };
}

function processorTimes(): { readonly idle: number; readonly all: number } {
  const times = cpus().map((each) => each.times);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return { idle: sum(times.map(({ idle }) => idle)), all: sum(times.flatMap((each) => Object.values(each))) };
}

async function bucketsOf(metricsUrls: readonly string[]): Promise<Buckets> {
  const texts = await Promise.all(metricsUrls.map(async (url) => (await fetch(url)).text()));
  const buckets = new Map<number, number>();
  for (const { groups } of texts.flatMap((text) => [...text.matchAll(BUCKET)])) {
    const bound = /le="(?<bound>[^"]+)"/.exec(groups?.["labels"] ?? "")?.groups?.["bound"] ?? "";
    const seconds = bound === "+Inf" ? Infinity : Number(bound);
    buckets.set(seconds, (buckets.get(seconds) ?? 0) + Number(groups?.["count"] ?? 0));
  }
  return buckets;
}

/** "p50 within 25 ms, p99 within 50 ms, 99.4 % within 50 ms (n = 2400)": a histogram has only bounds. */
function boundLine(buckets: Buckets): string {
  const all = buckets.get(Infinity) ?? 0;
  const byBound = [...buckets].toSorted(([one], [other]) => one - other);
  const within = (share: number): string => {
    const [bound = Infinity] = byBound.find(([, upTo]) => upTo >= all * share) ?? [];
    return `${bound * 1_000} ms`;
  };
  const shareWithinTarget = (((buckets.get(TARGET_S) ?? 0) / all) * 100).toFixed(1);
  return `p50 within ${within(0.5)}, p99 within ${within(0.99)}, ${shareWithinTarget} % within ${TARGET_S * 1_000} ms (n = ${all})`;
}

/** The promised p99 from wish to intent. */
const TARGET_S = 0.05;

/** The cost of a process between two moments; Linux only, null elsewhere. */
export interface ProcessCost {
  readonly peakMb: number;
  /** Of one core; above 1 for several. */
  readonly coreShare: number;
}

/** The kernel's unit of CPU time (USER_HZ) on all common systems. */
const TICKS_PER_SECOND = 100;
const SAMPLE_MS = 500;

export function watchCost(pid: number): { end(): Promise<ProcessCost | null> } {
  const over = new AbortController();
  const watching = sample();
  async function sample(): Promise<ProcessCost | null> {
    const [beganAtMs, beganTicks] = [performance.now(), await processorTicks(pid)];
    let peakMb = 0;
    while (!over.signal.aborted) {
      peakMb = Math.max(peakMb, await residentMb(pid));
      await pause(SAMPLE_MS);
    }
    const endTicks = await processorTicks(pid);
    if (beganTicks === null || endTicks === null) return null;
    const seconds = (performance.now() - beganAtMs) / 1_000;
    return { peakMb, coreShare: (endTicks - beganTicks) / TICKS_PER_SECOND / seconds };
  }
  return {
    end() {
      over.abort();
      return watching;
    },
  };
}

/** Linux only, 0 elsewhere. */
export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_024;
}

async function processorTicks(pid: number): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The name in parentheses may contain spaces; user and system time are the 12th and 13th field after it.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return fields.length < 13 ? null : Number(fields[11]) + Number(fields[12]);
}
