/** Several nodes of the product as local processes, with the services that they share. */
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { type Person, signInAt } from "./person.ts";
import { type PostgresServer, openPostgresServer } from "./postgres-server.ts";
import { type ProductProcess, spawnProduct } from "./product-process.ts";
import { type RedisServer, openRedisServer } from "./redis-server.ts";
import { type SandboxClient, sandboxClient } from "./sandbox-client.ts";
import { startProxy } from "./small-proxy.ts";
import { type Tab, type TabOptions, openTab } from "./tab.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { aMasterKey } from "./test-store.ts";

interface ClusterOptions {
  /** The parts of each node, by node name. */
  readonly nodes: Readonly<Record<string, string>>;
  /** The port that people connect to; any free port by default. */
  readonly port?: number;
  /** Additional environment variables of every node. */
  readonly env?: Readonly<Record<string, string>>;
  /** PostgreSQL flushes every commit to the disk. */
  readonly isDurable?: boolean;
  /** The only web node is reached directly, without a proxy. */
  readonly hasNoProxy?: boolean;
}

export interface Cluster extends AsyncDisposable {
  /** The address of the proxy. */
  readonly url: string;
  /** The address of a node's metrics. */
  metricsUrl(name: string): string;
  /** The direct address of a node; it answers only to the proxy's host name. */
  nodeUrl(name: string): string;
  /** The folder of a node's operator socket. */
  dataDir(name: string): string;
  readonly sandbox: SandboxClient;
  readonly postgres: PostgresServer;
  readonly redis: RedisServer;
  /** Ends a node and settles once it has exited; SIGKILL by default, as in a power cut. */
  kill(name: string, signal?: NodeJS.Signals): Promise<void>;
  /** Settles when the node's current process has exited. */
  ended(name: string): Promise<unknown>;
  /** Of the node's current process. */
  pid(name: string): number;
  /** Starts a node that was killed. */
  revive(name: string): Promise<void>;
  signIn(name: string): Promise<Person>;
  /** Connects directly to one node when given, otherwise through the proxy. */
  openTab(person: Person, options?: TabOptions & { readonly node?: string }): Tab;
}

interface Node {
  readonly settings: Readonly<Record<string, string>>;
  readonly port: number;
  readonly metricsPort: number;
  process: ProductProcess;
}

export async function startCluster({
  nodes: wanted,
  port,
  env,
  isDurable = false,
  hasNoProxy = false,
}: ClusterOptions): Promise<Cluster> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder()).path;
  const postgres = stack.use(await openPostgresServer({ isDurable }));
  const redis = stack.use(await openRedisServer());
  const publicPort = port ?? (await freePort());
  const sandboxPort = await freePort();
  const sandboxUrl = `http://127.0.0.1:${sandboxPort}`;
  const market = {
    SERVICES: "sandbox",
    SANDBOX_PORT: String(sandboxPort),
    DATA_DIR: join(folder, "sandbox"),
    ...pace(env),
  };
  await stack.use(spawnProduct(market)).ready;
  const url = `http://localhost:${publicPort}`;
  const shared = {
    PUBLIC_URL: url,
    SANDBOX_URL: sandboxUrl,
    DATABASE_URL: await postgres.freshDatabase(),
    REDIS_URL: redis.url,
    MASTER_KEYS: aMasterKey(),
    TRUST_PROXY: "127.0.0.1",
    ...env,
  };
  const nodes = new Map<string, Node>();
  stack.defer(async () => {
    await Promise.all(Array.from(nodes.values(), (node) => node.process[Symbol.asyncDispose]()));
  });
  for (const [name, services] of Object.entries(wanted)) {
    const isOpenToPeople = hasNoProxy && services.includes("web");
    const [nodePort, metricsPort] = [isOpenToPeople ? publicPort : await freePort(), await freePort()];
    const settings = {
      ...shared,
      SERVICES: services,
      PORT: String(nodePort),
      METRICS_PORT: String(metricsPort),
      DATA_DIR: join(folder, name),
    };
    nodes.set(name, { settings, port: nodePort, metricsPort, process: spawnProduct(settings) });
  }
  await Promise.all(Array.from(nodes.values(), (node) => node.process.ready));
  const ports = Array.from(nodes.values()).filter(
    ({ settings }) => settings["SERVICES"]?.includes("web") === true,
  );
  if (!hasNoProxy)
    stack.use(
      await startProxy(
        publicPort,
        ports.map((node) => node.port),
      ),
    );
  return clusterOf({ nodes, url, sandbox: sandboxClient(sandboxUrl), postgres, redis }, stack.move());
}

/** The listing rate, which is a setting of the sandbox's process. */
function pace(env: ClusterOptions["env"]): Readonly<Record<string, string>> {
  const listings = env?.["SANDBOX_LISTINGS_PER_SECOND"];
  return listings === undefined ? {} : { SANDBOX_LISTINGS_PER_SECOND: listings };
}

type Started = Pick<Cluster, "url" | "sandbox" | "postgres" | "redis"> & {
  readonly nodes: ReadonlyMap<string, Node>;
};

function clusterOf({ nodes, url, ...shared }: Started, ending: AsyncDisposableStack): Cluster {
  const nodeOf = (name: string): Node => {
    const node = nodes.get(name);
    if (node === undefined) throw new Error(`there is no node ${name}`);
    return node;
  };
  const nodeUrl = (name: string): string => `http://127.0.0.1:${nodeOf(name).port}`;
  return {
    ...shared,
    url,
    nodeUrl,
    metricsUrl: (name) => `http://127.0.0.1:${nodeOf(name).metricsPort}/metrics`,
    dataDir: (name) => nodeOf(name).settings["DATA_DIR"] ?? "",
    async kill(name, signal = "SIGKILL") {
      const { process: running } = nodeOf(name);
      running.kill(signal);
      await running.ended;
    },
    ended: (name) => nodeOf(name).process.ended,
    pid: (name) => nodeOf(name).process.pid,
    async revive(name) {
      const node = nodeOf(name);
      node.process = spawnProduct(node.settings);
      await node.process.ready;
    },
    signIn: (name) => signInAt(url, name),
    openTab(person, { node, ...options } = {}) {
      // A node accepts only the proxy's host name.
      const tab = openTab(node === undefined ? url : nodeUrl(node), person.cookie, {
        ...options,
        ...(node === undefined ? {} : { host: new URL(url).host }),
      });
      ending.defer(() => tab.close());
      return tab;
    },
    [Symbol.asyncDispose]: () => ending.disposeAsync(),
  };
}
