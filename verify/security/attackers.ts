import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { chromium, type BrowserContext, type Frame, type Page } from "@playwright/test";
import { expect } from "vitest";
import { startProduct, type Product } from "../../e2e/product.ts";
import { freePort } from "#verify/testing/free-port.ts";
import { startProxy } from "#verify/testing/small-proxy.ts";
import { PATIENCE_MS, signInBrowser, victimOf, type Victim } from "./victim.ts";

/**
 * A person is signed in, and opens an attacker's page in the same real browser. The page tries every way in
 * which a browser can send a request to the product, and must not change or read anything.
 */
export const VECTORS = [
  "image",
  "no-cors fetch",
  "cors fetch",
  "form, urlencoded",
  "form, multipart",
  "form, text",
  "iframe",
  "window.open",
  "prefetch",
  "WebSocket",
  "top navigation",
] as const;

export interface Target {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: unknown;
}

interface Attacker {
  readonly name: string;
  readonly open: (page: Page) => Promise<Frame>;
}

/** A product with a signed-in victim, and attackers in the same browser. */
export interface AttackWorld extends AsyncDisposable {
  /** The product's public address. */
  readonly url: string;
  readonly context: BrowserContext;
  readonly victim: Victim;
  readonly attackers: readonly Attacker[];
  readonly targets: readonly Target[];
  /** The vectors whose request reached the attackers' own server, which proves that they send one. */
  readonly reached: ReadonlySet<string>;
  /**
   * Settles when the vector has also reached the attackers' own server: an attack that sends nothing would prove
   * nothing.
   * @returns what the attacker could read
   */
  attack(attacker: Attacker, vector: string): Promise<readonly string[]>;
}

const FETCH_METADATA = ["sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest", "sec-fetch-user"];

/** @param hasFetchMetadata false removes the fetch metadata headers, as with old browsers */
export async function beginBattle(hasFetchMetadata: boolean): Promise<AttackWorld> {
  await using stack = new AsyncDisposableStack();
  const product = hasFetchMetadata ? await startProduct({ LOG_LEVEL: "error" }) : await behindProxy(stack);
  stack.defer(() => product.stop());
  const executablePath = process.env["CHROMIUM_PATH"] || "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath });
  stack.defer(() => browser.close());
  const context = await browser.newContext({ locale: "fr-FR" });
  context.setDefaultTimeout(PATIENCE_MS);
  const reached = new Set<string>();
  const evil = await startAttackServer(reached);
  stack.defer(() => void evil.server.close());
  const victim = await victimOf(product, await signInBrowser(context, product, "thunder-victime"));
  const ending = stack.move();
  const targets = targetsFor(victim);
  return {
    url: product.url,
    context,
    victim,
    attackers: attackersAt(evil.port),
    targets,
    reached,
    attack: (attacker, vector) =>
      attackAll({ context, url: product.url, targets, ownPort: evil.port, reached }, attacker, vector),
    [Symbol.asyncDispose]: () => ending.disposeAsync(),
  };
}

/** The product behind a proxy that removes fetch metadata. */
async function behindProxy(stack: AsyncDisposableStack): Promise<Product> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const product = await startProduct({ LOG_LEVEL: "error", PUBLIC_URL: url });
  stack.use(await startProxy(port, [Number(new URL(product.url).port)], FETCH_METADATA));
  return { ...product, url };
}

const SANDBOXED =
  '<iframe sandbox="allow-scripts allow-forms allow-popups allow-top-navigation allow-modals" src="/page"></iframe>';

/** One server for all attackers, distinguished by host name. */
async function startAttackServer(
  reached: Set<string>,
): Promise<{ readonly port: number; readonly server: Server }> {
  const script = readFileSync(join(import.meta.dirname, "attack-page.mjs"), "utf8");
  const server = createServer((request, response) => {
    const [, probed] = /^\/probe\/([^?]+)/.exec(request.url ?? "") ?? [];
    if (probed !== undefined) {
      reached.add(decodeURIComponent(probed));
      response.writeHead(204).end();
      return;
    }
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(
      request.url === "/sandboxed"
        ? `<!doctype html><body>${SANDBOXED}</body>`
        : `<!doctype html><body><script>${script}</script></body>`,
    );
  });
  server.on("upgrade", (request, wire) => {
    reached.add(decodeURIComponent((request.url ?? "").replace("/probe/", "")));
    wire.destroy();
  });
  const port = await freePort();
  // On all interfaces, because "localhost" can be an IPv4 or an IPv6 address.
  await new Promise<void>((resolve) => void server.listen(port, resolve));
  return { port, server };
}

const attackersAt = (port: number): readonly Attacker[] => [
  {
    name: "another site",
    open: async (page) => await openAt(page, `http://127.0.0.1:${port}/page`),
  },
  {
    name: "the same site on another port",
    open: async (page) => await openAt(page, `http://localhost:${port}/page`),
  },
  {
    name: "a sandboxed frame",
    async open(page) {
      const main = await openAt(page, `http://localhost:${port}/sandboxed`);
      await expect.poll(() => main.childFrames().length).toBe(1);
      const [frame] = main.childFrames();
      if (frame === undefined) throw new Error("there is no frame");
      await frame.waitForFunction("globalThis.attack !== undefined");
      expect(await frame.evaluate("globalThis.origin")).toBe("null");
      return frame;
    },
  },
];

async function openAt(page: Page, url: string): Promise<Frame> {
  await page.goto(url);
  return page.mainFrame();
}

function targetsFor(victim: Victim): readonly Target[] {
  return [
    { method: "GET", path: "/auth/out" },
    { method: "GET", path: "/purchase/delete" },
    { method: "GET", path: "/vinted/token" },
    { method: "GET", path: "/vinted/get" },
    { method: "GET", path: "/socket.io/?EIO=4&transport=websocket" },
    { method: "POST", path: "/filtres/add", body: { tag: "forged" } },
    { method: "POST", path: "/filtres/delete", body: { IDs: [victim.filterId] } },
    { method: "POST", path: "/vinted/edit", body: { token: null, relais: [] } },
    { method: "POST", path: "/purchase/click", body: { id: victim.listingId } },
    { method: "POST", path: "/vinted/cancel", body: { id: victim.transactionId } },
  ];
}

interface Field {
  readonly context: BrowserContext;
  readonly url: string;
  readonly targets: readonly Target[];
  /** The port of the attackers' own server. */
  readonly ownPort: number;
  readonly reached: ReadonlySet<string>;
}

async function attackAll(
  { context, url, targets, ownPort, reached }: Field,
  attacker: Attacker,
  vector: string,
): Promise<readonly string[]> {
  const page = await context.newPage();
  const stolen: string[] = [];
  const name = `${vector} from ${attacker.name}`;
  const probe = { method: "GET", url: `http://localhost:${ownPort}/probe/${encodeURIComponent(name)}` };
  const addressed = [...targets.map((target) => ({ ...target, url: `${url}${target.path}` })), probe];
  // A top navigation replaces the attacker's page, so targets are attacked one at a time.
  const rounds = vector === "top navigation" ? addressed.map((one) => [one]) : [addressed];
  for (const round of rounds) {
    const frame = await attacker.open(page);
    // The attackers' server answers without a page, so that navigation ends where it began.
    const arrival =
      vector === "top navigation" && !round.includes(probe)
        ? page.waitForURL((arrived) => arrived.origin === url, { waitUntil: "commit" })
        : Promise.resolve();
    const call = `globalThis.attack(${JSON.stringify(vector)}, ${JSON.stringify(round)})`;
    // A frame that navigates away cannot return a result.
    stolen.push(...((await frame.evaluate(call).catch(() => [])) as string[]));
    await arrival;
  }
  // The page stays open meanwhile, because closing it would cancel requests that are not sent yet.
  await expect.poll(() => [...reached]).toContain(name);
  await page.close();
  return stolen;
}
