import { once } from "node:events";
import { createServer } from "node:http";
import { isIPv4, isIPv6 } from "node:net";
import type { Clock } from "#domain/clock.ts";
import { isLoopbackHost } from "#domain/network.ts";
import type { Service } from "#domain/service.ts";
import type { FeedState } from "#feed/feed.ts";
import { isStoreAnswering } from "#http/routes/health.ts";
import type { PurchasingOperator } from "#purchasing/purchasing.ts";
import type { OpenStore } from "#store/open-store.ts";
import { StartRefused } from "../start-refused.ts";
import type { Instruments } from "./instruments.ts";

/** Values read at each scrape. */
export interface Gauged {
  readonly store: Pick<OpenStore, "openPurchases" | "ping"> & {
    readonly nodes: Pick<OpenStore["nodes"], "others">;
  };
  readonly feedState: () => FeedState;
  readonly stops: PurchasingOperator["stops"];
  readonly socketCount: () => number;
  readonly queues: () => Promise<Readonly<Record<string, number>>>;
  /** For the timeout of the store's figures. */
  readonly clock: Pick<Clock, "schedule">;
}

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/**
 * Prometheus metrics, and `/health` for the supervisor of a node without pages, which has no other port. It opens when all
 * parts run and closes before any of them stops. It listens on loopback unless another address is configured, and
 * refuses host names of DNS rebinding attacks.
 */
export function createMetricsServer(
  { host, port }: { readonly host: string; readonly port: number },
  instruments: Instruments,
  gauged: Gauged,
): Service {
  const answers = new Map<string, () => Promise<Reply>>([
    ["/metrics", () => figures(instruments, gauged)],
    ["/health", () => health(gauged)],
  ]);
  const server = createServer((request, response) => {
    if (!isOwnName(request.headers.host, isLoopbackHost(isIPv6(host) ? `[${host}]` : host))) {
      response.writeHead(421).end();
      return;
    }
    const answer = request.method === "GET" ? answers.get(request.url ?? "") : undefined;
    if (answer === undefined) {
      response.writeHead(404).end();
      return;
    }
    void answer().then(
      ({ status, type, text }) => response.writeHead(status, { "content-type": type }).end(text),
      () => response.writeHead(503).end(),
    );
  });
  return {
    async run() {
      server.listen(port, host);
      await once(server, "listening").catch(() => {
        throw new StartRefused(`METRICS_PORT ${port} cannot be opened: another process uses it`);
      });
    },
    async stop() {
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Outside loopback also accepts addresses, and single-word names, which cannot be registered as public
 * domains.
 */
function isOwnName(host: string | undefined, isForThisMachineAlone: boolean): boolean {
  const hostname = URL.parse(`http://${host ?? ""}/`)?.hostname;
  if (hostname === undefined) return false;
  if (isLoopbackHost(hostname)) return true;
  const isOfPrivateNetwork = hostname.startsWith("[") || isIPv4(hostname) || /^[a-z0-9_-]+$/.test(hostname);
  return !isForThisMachineAlone && isOfPrivateNetwork;
}

async function health({ store, clock }: Gauged): Promise<Reply> {
  const isWell = await isStoreAnswering(store, clock);
  const text = isWell ? "ready\n" : "the store does not answer\n";
  return { status: isWell ? 200 : 503, type: "text/plain; charset=utf-8", text };
}

async function figures(instruments: Instruments, gauged: Gauged): Promise<Reply> {
  const { openPurchases, feedPaused, buyingStopped, sockets, queued, nodes } = instruments;
  sockets.set(gauged.socketCount());
  feedPaused.reset();
  const state = gauged.feedState();
  if (state.kind === "paused") feedPaused.set({ reason: state.reason }, 1);
  // A store or a Redis that does not answer removes only its own figures.
  await Promise.allSettled([
    gauged.store.ping(),
    gauged.store.openPurchases().then((counts) => {
      openPurchases.reset();
      for (const [name, count] of counts) openPurchases.set({ state: name }, count);
    }),
    gauged.stops().then((stops) => {
      buyingStopped.reset();
      for (const { by } of stops) buyingStopped.set({ by }, 1);
    }),
    gauged.store.nodes.others("").then((others) => nodes.set(others.size)),
    gauged.queues().then((depths) => {
      for (const [queue, depth] of Object.entries(depths)) queued.set({ queue }, depth);
    }),
  ]);
  const { registry } = instruments;
  return { status: 200, type: registry.contentType, text: await registry.metrics() };
}
