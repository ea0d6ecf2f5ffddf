import { type Server, createServer, type ServerResponse } from "node:http";
import type { Clock } from "#domain/clock.ts";
import { type Log, describeError } from "#domain/log.ts";
import { openMarketDatabase } from "./database/market-database.ts";
import { createControlApi, type ControlApi } from "./control/control-api.ts";
import { createFaults, faultKinds } from "./faults/faults.ts";
import { marketplaceEndpoints } from "./http/endpoints.ts";
import { createLinks, createRequestCounters } from "./http/endpoint.ts";
import { createMarketplaceApi, type MarketplaceApi } from "./http/marketplace-api.ts";
import { createHistoryApi, type HistoryApi } from "./http/history-api.ts";
import { createMarket, type Market } from "./market/market.ts";
import { createPages, type Pages } from "./pages/pages.ts";
import { createGrants, createSignInProvider, type SignInProvider } from "./sign-in/sign-in-provider.ts";
import { createReceivers, type Receivers } from "./receivers/receivers.ts";
import { createWorld } from "./world/world.ts";
import { jsonAnswer, type Answer, BodyTooLarge, readIncoming, type Incoming } from "./http/messages.ts";
import { connectionOf } from "./http/client-connection.ts";

/**
 * A fake marketplace and sign-in provider served over real HTTP. The product knows only its address; it
 * shares nothing with the product except the wire schemas.
 */
export interface Sandbox {
  /** Its address on this machine. */
  readonly url: string;
  readonly port: number;
  /** Settles once the server and all pending work have stopped; safe to call twice. */
  stop(): Promise<void>;
}

export interface SandboxOptions {
  /** 0 picks a free port. */
  readonly port: number;
  readonly host: string;
  /** The address that browsers use; http://localhost:PORT by default. */
  readonly publicUrl?: string;
  /** The folder of its database; null keeps it in memory. */
  readonly dataDir: string | null;
  readonly seed: number;
  /** 0 publishes nothing except through control calls. */
  readonly listingsPerSecond: number;
  /** Days of past listings generated on the first start; none by default. */
  readonly historyDays?: number;
  /** Whether sign-in accepts this redirect URI; by default the product's callback on any loopback origin. */
  readonly isAllowedRedirect?: (redirectUri: URL) => boolean;
  readonly log: Log;
  readonly clock: Clock;
}

export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { clock, log, seed } = options;
  const database = openMarketDatabase(options.dataDir);
  const market = createMarket({ database, clock, seed });
  const faults = createFaults({ kinds: faultKinds, clock, seed });
  const world = createWorld({ market, clock, log, seed, listingsPerSecond: options.listingsPerSecond });
  const receivers = createReceivers({ database, clock });
  const server = createSandboxServer();

  const close = async (): Promise<void> => {
    world.stop();
    faults.clear();
    await receivers[Symbol.asyncDispose]();
    await closeServer(server);
    market[Symbol.dispose]();
    database[Symbol.dispose]();
  };

  try {
    const port = await listen(server, options);
    const publicUrl = (options.publicUrl ?? `http://localhost:${port}`).replace(/\/+$/, "");
    const links = createLinks(publicUrl);
    const counters = createRequestCounters();
    const nowMs = (): number => clock.nowMs();
    const endpoints = marketplaceEndpoints({ market, links, nowMs });
    const isAllowedRedirect = options.isAllowedRedirect ?? isLoopbackCallback;
    const handlers = {
      marketplace: createMarketplaceApi({ market, endpoints, faults, counters, clock, log }),
      receivers,
      history: createHistoryApi(market),
      control: createControlApi({ market, links, faults, counters, pace: world, receivers, clock }),
      signIn: createSignInProvider({ grants: createGrants(clock), publicUrl, isAllowedRedirect }),
      pages: createPages({ market, links, nowMs }),
    };
    handleRequests(server, handlers, log);
    makeHistory(market, options.historyDays ?? 0);
    world.start();
    let stopped: Promise<void> | null = null;
    return { url: `http://${urlHost(options.host)}:${port}`, port, stop: () => (stopped ??= close()) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The number of past listings generated on the first start. */
const PAST_LISTINGS = 20_000;

function makeHistory({ history }: Market, days: number): void {
  if (days > 0 && history.isOpen && history.given === 0) history.draw(days, PAST_LISTINGS);
}

async function listen(server: Server, { port, host }: SandboxOptions): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the sandbox listens on no port");
  return address.port;
}

async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Replaces wildcard addresses with loopback and puts IPv6 addresses in brackets. */
function urlHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

const CALLBACK_PATH = "/auth/discord/callback";
const LOOPBACK_HOST = /^(localhost|[\w.-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

function isLoopbackCallback({ pathname, hash, hostname }: URL): boolean {
  return pathname === CALLBACK_PATH && hash === "" && LOOPBACK_HOST.test(hostname);
}

interface Handlers {
  readonly receivers: Receivers;
  readonly marketplace: MarketplaceApi;
  readonly history: HistoryApi;
  readonly control: ControlApi;
  readonly signIn: SignInProvider;
  readonly pages: Pages;
}

/** Fits a catalogue request that lists every leaf category. */
const MAX_HEADER_BYTES = 65_536;

function createSandboxServer(): Server {
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES });
  // Client pools may reuse a connection long after Node's default of five seconds.
  server.keepAliveTimeout = 30_000;
  return server;
}

/** Dispatches each request to the handler that owns its path. */
function handleRequests(server: Server, handlers: Handlers, log: Log): void {
  server.on("request", (request, response) => {
    readIncoming(request)
      .then((incoming) => serve(handlers, incoming, response))
      .catch((error: unknown) => fail(response, error, log));
  });
}

async function serve(handlers: Handlers, incoming: Incoming, response: ServerResponse): Promise<void> {
  const { path } = incoming;
  if (handlers.marketplace.owns(path)) {
    await handlers.marketplace.serve(incoming, connectionOf(response));
    return;
  }
  if (handlers.receivers.owns(path)) {
    await handlers.receivers.serve(incoming, response);
    return;
  }
  if (handlers.history.owns(path)) send(response, await handlers.history.serve(incoming));
  else if (handlers.control.owns(path)) send(response, handlers.control.serve(incoming));
  else if (handlers.signIn.owns(path)) send(response, handlers.signIn.serve(incoming));
  else send(response, handlers.pages.serve(incoming));
}

function send(response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, { ...answer.headers, "content-length": Buffer.byteLength(answer.body) });
  response.end(answer.body);
}

function fail(response: ServerResponse, error: unknown, log: Log): void {
  if (response.headersSent || response.destroyed) return;
  if (error instanceof BodyTooLarge) {
    send(response, jsonAnswer(413, { error: "the body is too large" }));
    return;
  }
  log.error(describeError(error), "the sandbox failed a request");
  send(response, jsonAnswer(500, { error: "internal error" }));
}
