import type { Server } from "node:http";
import type { Clock } from "#domain/clock.ts";
import type { Log } from "#domain/log.ts";
import { openBooks } from "./books/books.ts";
import { createControlFace } from "./control/control-face.ts";
import { createFaults } from "./faults/faults.ts";
import { faultKinds } from "./faults/registry.ts";
import { marketplaceEndpoints } from "./http/endpoints.ts";
import { createLinks } from "./http/links.ts";
import { createMarketplaceFace } from "./http/marketplace-face.ts";
import { createRequestCounters } from "./http/request-counters.ts";
import { createSandboxServer, openFaces } from "./http/sandbox-server.ts";
import { createMarket } from "./market/market.ts";
import { createPeopleFace } from "./pages/people-face.ts";
import { createGrants } from "./sign-in/grants.ts";
import { createSignInFace } from "./sign-in/sign-in-face.ts";
import { createClockwork } from "./world/clockwork.ts";

/**
 * A marketplace and a sign-in provider in a box, over real HTTP. The product knows it through its address alone; of
 * the product it knows nothing but the shapes of the wire.
 */
export interface Sandbox {
  /** Where this machine reaches it. */
  readonly url: string;
  readonly port: number;
  /** Settles when nothing of it is under way any more; safe to call twice. */
  stop(): Promise<void>;
}

export interface SandboxOptions {
  /** 0: any that is free. */
  readonly port: number;
  readonly host: string;
  /** Where browsers reach it; absent: http://localhost:PORT. */
  readonly publicUrl?: string;
  /** A folder of its own; null: books in memory only. */
  readonly dataDir: string | null;
  readonly seed: number;
  /** 0: only what is published by hand. */
  readonly listingsPerSecond: number;
  /** Where sign-ins may return to: a test, or the products' origins. Absent: any product on loopback. */
  readonly allowedRedirects?: AllowedRedirects;
  readonly log: Log;
  readonly clock: Clock;
}

export type AllowedRedirects = readonly string[] | ((redirectUri: URL) => boolean);

export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { clock, log, seed } = options;
  const books = openBooks(options.dataDir);
  const market = createMarket({ books, clock, seed });
  const faults = createFaults({ kinds: faultKinds, clock, seed });
  const world = createClockwork({ market, clock, log, seed, listingsPerSecond: options.listingsPerSecond });
  const server = createSandboxServer();

  const close = async (): Promise<void> => {
    world.stop();
    faults.clear();
    await closeServer(server);
    market[Symbol.dispose]();
    books[Symbol.dispose]();
  };

  try {
    const port = await listen(server, options);
    const publicUrl = (options.publicUrl ?? `http://localhost:${port}`).replace(/\/+$/, "");
    const links = createLinks(publicUrl);
    const counters = createRequestCounters();
    const nowMs = (): number => clock.nowMs();
    const endpoints = marketplaceEndpoints({ market, links, nowMs });
    const isAllowedRedirect = redirectTest(options.allowedRedirects);
    const faces = {
      marketplace: createMarketplaceFace({ market, endpoints, faults, counters, clock, log }),
      control: createControlFace({ market, links, faults, counters, pace: world }),
      signIn: createSignInFace({ grants: createGrants(clock), publicUrl, isAllowedRedirect }),
      people: createPeopleFace({ market, links, nowMs }),
    };
    openFaces(server, faces, log);
    world.start();
    let stopped: Promise<void> | null = null;
    return { url: `http://${urlHost(options.host)}:${port}`, port, stop: () => (stopped ??= close()) };
  } catch (error) {
    await close();
    throw error;
  }
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

/** A sandbox opened on every address is called on this machine's own; a bare IPv6 address needs its brackets. */
function urlHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

const CALLBACK_PATH = "/auth/discord/callback";
const LOOPBACK_HOST = /^(localhost|[\w.-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

function redirectTest(allowed: AllowedRedirects | undefined): (redirectUri: URL) => boolean {
  if (typeof allowed === "function") return allowed;
  const isOurPath = ({ pathname, hash }: URL): boolean => pathname === CALLBACK_PATH && hash === "";
  if (allowed === undefined) return (url) => isOurPath(url) && LOOPBACK_HOST.test(url.hostname);
  const origins = new Set(allowed);
  return (url) => isOurPath(url) && origins.has(url.origin);
}
