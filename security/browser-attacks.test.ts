import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { chromium, type Browser, type BrowserContext, type Frame, type Page } from "@playwright/test";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startProduct, type Product } from "../e2e/product.ts";
import { freePort } from "../src/testing/free-port.ts";
import { figure } from "./figures.ts";
import { signInBrowser, victimOf, type Victim } from "./victim.ts";

/**
 * A person is signed in, and in the same real browser opens a page of somebody else, which tries every way that a
 * browser has of sending a request to us. It must change nothing and read nothing.
 */
const VECTORS = [
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

interface Target {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: unknown;
}

interface Attacker {
  readonly name: string;
  readonly open: (page: Page) => Promise<Frame>;
}

let product: Product;
let browser: Browser;
let context: BrowserContext;
let victim: Victim;
let evil: { readonly port: number; readonly server: Server };
/** Under which vectors the attackers' own server was reached: that a request was really sent. */
const reached = new Set<string>();

beforeAll(async () => {
  product = await startProduct({ LOG_LEVEL: "error" });
  browser = await chromium.launch({ executablePath: process.env["CHROMIUM_PATH"] || "/usr/bin/chromium" });
  context = await browser.newContext({ locale: "fr-FR" });
  evil = await startAttackServer();
  victim = await victimOf(product, await signInBrowser(context, product, "thunder-victime"));
});
afterAll(async () => {
  await browser.close();
  evil.server.close();
  await product.stop();
});

const SANDBOXED =
  '<iframe sandbox="allow-scripts allow-forms allow-popups allow-top-navigation allow-modals" src="/page"></iframe>';

/** One server for all attackers: which one it is depends on the name under which the browser asks. */
async function startAttackServer() {
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
  // On every address: "localhost" may be either of two.
  await new Promise<void>((resolve) => void server.listen(port, resolve));
  return { port, server };
}

const attackers: readonly Attacker[] = [
  {
    name: "another site",
    open: async (page) => await openAt(page, `http://127.0.0.1:${evil.port}/page`),
  },
  {
    name: "the same site on another port",
    open: async (page) => await openAt(page, `http://localhost:${evil.port}/page`),
  },
  {
    name: "a sandboxed frame",
    async open(page) {
      const main = await openAt(page, `http://localhost:${evil.port}/sandboxed`);
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

function targetsFor(): readonly Target[] {
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

async function attackAll(attacker: Attacker, vector: string, targets: readonly Target[]): Promise<string[]> {
  const page = await context.newPage();
  const loot: string[] = [];
  const addressed = targets.map((target) => ({ ...target, url: `${product.url}${target.path}` }));
  // A navigation takes the attacker's page away: one target at a time.
  const rounds = vector === "top navigation" ? addressed.map((one) => [one]) : [addressed];
  for (const round of rounds) {
    const frame = await attacker.open(page);
    const arrival =
      vector === "top navigation"
        ? page.waitForURL((url) => url.origin === product.url, { waitUntil: "commit" })
        : Promise.resolve();
    const call = `globalThis.attack(${JSON.stringify(vector)}, ${JSON.stringify(round)})`;
    // The frame that navigates itself away cannot answer any more.
    loot.push(...((await frame.evaluate(call).catch(() => [])) as string[]));
    await arrival;
  }
  await page.close();
  return loot;
}

/** The same vector at the attackers' own server: an attack that sends nothing would prove nothing. */
async function probe(attacker: Attacker, vector: string): Promise<void> {
  const page = await context.newPage();
  const frame = await attacker.open(page);
  const name = `${vector} from ${attacker.name}`;
  const url = `http://localhost:${evil.port}/probe/${encodeURIComponent(name)}`;
  await frame
    .evaluate(`globalThis.attack(${JSON.stringify(vector)}, [${JSON.stringify({ method: "GET", url })}])`)
    .catch(() => []);
  await expect.poll(() => [...reached], { timeout: 10_000 }).toContain(name);
  await page.close();
}

test("no page of somebody else changes or reads anything", async () => {
  const before = await victim.state();
  const targets = targetsFor();
  const counts = { tried: 0, logouts: 0, changed: 0, bytesRead: 0 };
  for (const attacker of attackers) {
    for (const vector of VECTORS) {
      const loot = await attackAll(attacker, vector, targets);
      const after = await victim.state();
      expect(after, `${vector} from ${attacker.name}`).toEqual(before);
      expect(loot.join(""), `${vector} from ${attacker.name}`).toBe("");
      await probe(attacker, vector);
      counts.tried += targets.length;
      counts.logouts += 1;
      counts.bytesRead += loot.join("").length;
    }
  }
  expect(counts.tried).toBe(VECTORS.length * attackers.length * targets.length);
  figure(
    "browser attacks",
    `${counts.tried} forged requests (${VECTORS.length} vectors x ${attackers.length} attackers x ${targets.length} targets): ${counts.changed} state changes, ${counts.bytesRead} bytes read; ${counts.logouts} forged logouts: 0 effect; all ${reached.size} ways were seen to send`,
  );
});

test("the product's own page can do and read what the others could not", async () => {
  const before = await victim.state();
  const page = await context.newPage();
  await page.goto(`${product.url}/cgu`);
  const own = async (target: Target): Promise<string> =>
    await page.evaluate(async ({ method, path, body }) => {
      const response = await fetch(path, {
        method,
        ...(body === undefined
          ? {}
          : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
      });
      return await response.text();
    }, target);
  expect(await own({ method: "GET", path: "/vinted/token" })).toMatch(/^\{"token":"[\w-]{8,}"\}$/);
  await own({ method: "GET", path: "/purchase/delete" });
  await own({ method: "POST", path: "/filtres/add", body: { tag: "mine" } });
  const after = await victim.state();
  expect(after.filters).not.toEqual(before.filters);
  expect(after.purchases).not.toEqual(before.purchases);
  expect(after.tokensShown).toBe(before.tokensShown + 1);
  expect(await own({ method: "GET", path: "/auth/out" })).toContain("déconnecté");
  await expect(victim.state()).rejects.toThrow("no session");
});
