// What is put under load: one product that this run starts on the embedded store or on a PostgreSQL of its own, three
// nodes, or nodes that run already.
import { startCluster } from "#verify/testing/cluster.ts";
import { freePort } from "#verify/testing/free-port.ts";
import { openPostgresServer } from "#verify/testing/postgres-server.ts";
import type { ProductProcess } from "#verify/testing/product-process.ts";
import { spawnProduct } from "#verify/testing/product-process.ts";
import { temporaryFolder } from "#verify/testing/temporary-folder.ts";

export interface LoadTarget extends AsyncDisposable {
  /** Where people come in, one for each node. */
  readonly urls: readonly string[];
  readonly sandboxUrl: string;
  /** Processes whose memory and processor time count; none for nodes that somebody else started. */
  readonly pids: readonly number[];
  /** Where each of these processes tells its metrics. */
  readonly metricsUrls: readonly string[];
}

export type LoadStore = "embedded" | "postgres";

/** Reading often enough for the feed never to be what limits a run. */
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
 * Several nodes on a PostgreSQL and a Redis of their own; where more than one serves people, behind a proxy that this
 * process runs.
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
