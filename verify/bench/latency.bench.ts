// From a seller's publication to a buyer's screen and to a paid order: the whole product as a process, its
// sandbox over HTTP, a real browser. The wait for the feed's next read is reported separately.
import { chromium, type Page } from "@playwright/test";
import { startProduct } from "../../e2e/product.ts";
import { sandboxClient } from "#verify/testing/sandbox-client.ts";
import { signInAt, type Person } from "#verify/testing/person.ts";
import { openTab, type Tab } from "#verify/testing/tab.ts";
import { latencyLine, pause, print } from "./figures.ts";

const LISTINGS = Number(process.env["BENCH_LISTINGS"] ?? "200");
const LEAF = 221;
/** Not a multiple of the feed's interval, so that listings are published anywhere between two reads. */
const GAP_MS = 237;

/** Runs in the page: records when each title of this measurement first appeared. */
const NOTE_WHAT_IS_SHOWN = `
  globalThis.shown = new Map();
  new MutationObserver(() => {
    for (const [title] of document.documentElement.textContent.matchAll(/Mesure \\d+ fin/g))
      if (!shown.has(title)) shown.set(title, Date.now());
  }).observe(document, { childList: true, subtree: true, characterData: true });
`;

const product = await startProduct();
const sandbox = sandboxClient(product.sandboxUrl);
const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium",
});
try {
  const watcher = await signInAt(product.url, "seeker-regard");
  const buyer = await signInAt(product.url, "thunder-achat");
  const anyLimit = { jour: 100_000, mois: 100_000, achats_jour: 100_000 };
  await buyer.call("editSettings", { limites: anyLimit });
  await watcher.call("addFilter", { tag: "Regarder", types: { ids: [LEAF] }, limit: 100 });
  await buyer.call("addFilter", { tag: "Acheter", types: { ids: [LEAF] }, limit: 100, autobuy: true });
  const page = await openPanel(watcher);
  const stream = openTab(product.url, watcher.cookie);
  const purchases = openTab(product.url, buyer.cookie);
  const boughtAtMs = collectPurchases(purchases);

  const publishedAtMs = new Map<string, number>();
  for (let n = 0; n < LISTINGS; n += 1) {
    const title = `Mesure ${n} fin`;
    publishedAtMs.set(title, Date.now());
    await sandbox.publish({ title, price: 5, catalog_id: LEAF });
    await pause(GAP_MS);
  }
  await pause(5_000);
  report(publishedAtMs, { shown: await shownTimes(page), seen: seenTimes(stream), bought: boughtAtMs });
  stream.close();
  purchases.close();
} finally {
  await browser.close();
  await product.stop();
}

async function openPanel(person: Person): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const [name = "", value = ""] = person.cookie.split("=");
  await context.addCookies([
    { name, value, domain: "localhost", path: "/", secure: true, httpOnly: true, sameSite: "Strict" },
  ]);
  const page = await context.newPage();
  await page.addInitScript(NOTE_WHAT_IS_SHOWN);
  await page.goto(`${product.url}/synapse/articles`);
  await page.getByRole("heading", { name: "Produits" }).waitFor();
  return page;
}

async function shownTimes(page: Page): Promise<Map<string, number>> {
  const entries: unknown = await page.evaluate("[...shown]");
  return new Map(Array.isArray(entries) ? entries : []);
}

function seenTimes(tab: Tab): Map<string, number> {
  return new Map(tab.items.map((item) => [item.title, item.vu_a]));
}

function collectPurchases(tab: Tab): Map<string, number> {
  const atMs = new Map<string, number>();
  tab.socket.on("purchaseData", ({ purchase }) => {
    if (purchase?.status === 1) atMs.set(purchase.product.title, Date.now());
  });
  return atMs;
}

interface Times {
  readonly shown: ReadonlyMap<string, number>;
  readonly seen: ReadonlyMap<string, number>;
  readonly bought: ReadonlyMap<string, number>;
}

function report(published: ReadonlyMap<string, number>, { shown, seen, bought }: Times): void {
  const between = (from: ReadonlyMap<string, number>, to: ReadonlyMap<string, number>): number[] =>
    [...published.keys()].flatMap((title) => {
      const [startMs, endMs] = [from.get(title), to.get(title)];
      return startMs === undefined || endMs === undefined ? [] : [endMs - startMs];
    });
  print("published → the product has it (wait for the feed)", latencyLine(between(published, seen)));
  print("the product has it → shown in the browser", latencyLine(between(seen, shown)));
  print("published → shown in the browser", latencyLine(between(published, shown)));
  print("the product has it → bought and delivered to the buyer", latencyLine(between(seen, bought)));
  print("published → bought and delivered to the buyer", latencyLine(between(published, bought)));
}
