// `npm run interface`: measures the figures of docs/interface.md against their limits.
import { setTimeout as pause } from "node:timers/promises";
import { chromium, type Browser } from "@playwright/test";
import { CHROMIUM_PATH } from "./browser.ts";
import { printFigure, type Figure } from "./interface-figures.ts";
import { aimFigures } from "./interface-hand.ts";
import { javascriptFigure } from "./interface-javascript.ts";
import { lighthouseFigures } from "./interface-lighthouse.ts";
import { replayFigure } from "./interface-replay.ts";
import { accessibilityFigure, narrowFigure } from "./interface-views.ts";
import { streamFigures } from "./interface-stream.ts";
import { startProduct, type Product } from "./product.ts";
import { signInVisitors, type Visitors } from "./views.ts";

/** Lets the market fill the stream and automatic purchases settle. */
const MARKET_RUNS_MS = 25_000;
const LIGHTHOUSE_RUNS = 3;

interface Stage {
  readonly browser: Browser;
  readonly product: Product;
  readonly visitors: Visitors;
}

type Measure = (stage: Stage) => Promise<readonly Figure[]> | AsyncIterable<Figure>;

const parts: Readonly<Record<string, Measure>> = {
  axe: async (stage) => [await accessibilityFigure(stage)],
  narrow: async (stage) => [await narrowFigure(stage)],
  javascript: async ({ browser, product: { url }, visitors: { subscriber } }) => [
    await javascriptFigure(browser, {
      name: "JavaScript of the landing page, gzip",
      address: url,
      person: null,
      barKb: 110,
    }),
    await javascriptFigure(browser, {
      name: "JavaScript of the page of an alert's link, gzip",
      address: `${url}/alerte#${"a".repeat(43)}`,
      person: subscriber,
      barKb: 110,
    }),
    await javascriptFigure(browser, {
      name: "JavaScript of the panel, gzip",
      address: `${url}/synapse/articles`,
      person: subscriber,
      // The stream's connection is a script of its own.
      readyText: "En direct",
      barKb: 190,
    }),
  ],
  replay: async ({ browser }) => [await replayFigure(browser)],
  stream: streamFigures,
  hand: aimFigures,
  lighthouse: async ({ product: { url }, visitors: { subscriber } }) => [
    ...(await lighthouseFigures(
      {
        name: "landing page",
        address: `${url}/`,
        person: null,
        bars: { performance: 95, accessibility: 95, "best-practices": 95, seo: 95 },
      },
      LIGHTHOUSE_RUNS,
    )),
    ...(await lighthouseFigures(
      {
        name: "panel",
        address: `${url}/synapse/articles`,
        person: subscriber,
        bars: { performance: 90 },
      },
      LIGHTHOUSE_RUNS,
    )),
  ],
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in parts));
if (unknown.length > 0) throw new Error(`${unknown.join(", ")}: there is ${Object.keys(parts).join(", ")}`);

const product = await startProduct({ SANDBOX_LISTINGS_PER_SECOND: "6" });
const browser = await chromium.launch({ executablePath: CHROMIUM_PATH });
let areAllMet = true;
try {
  const visitors = await signInVisitors(product);
  await pause(MARKET_RUNS_MS);
  // Stops the market, so that measurements do not depend on arrivals.
  await product.sandbox.setPace(0);
  for (const [name, take] of Object.entries(parts)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    for await (const figure of await take({ browser, product, visitors })) {
      if (!printFigure(figure)) areAllMet = false;
    }
  }
} finally {
  await browser.close();
  await product.stop();
}
process.exitCode = areAllMet ? 0 : 1;
