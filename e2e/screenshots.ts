// `npm run screenshots [-- folder [word …]]`: every view in four sizes and two themes, with a running
// market; with words, only views whose name contains one of them.
import { setTimeout as pause } from "node:timers/promises";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import { CHROMIUM_PATH } from "./browser.ts";
import { startProduct } from "./product.ts";
import { signInVisitors, withOpenView, views, type View, type Visitors } from "./views.ts";

const [folder = join(".cache", "screenshots"), ...words] = process.argv.slice(2);
const SIZES = [
  { width: 320, height: 700 },
  { width: 768, height: 900 },
  // A small laptop, the lowest of the screens.
  { width: 1_280, height: 720 },
  { width: 1_440, height: 900 },
] as const;
const THEMES = ["dark", "light"] as const;
/** Without a burger button from this width on: the menu is beside the page or in the header. */
const WIDE_PX = 1_024;
const WIDE_LANDING_PX = 768;
/** Lets the market fill the stream and automatic purchases settle. */
const MARKET_RUNS_MS = 25_000;

await mkdir(folder, { recursive: true });
const product = await startProduct({ SANDBOX_LISTINGS_PER_SECOND: "6" });
const browser = await chromium.launch({ executablePath: CHROMIUM_PATH });
try {
  const visitors = await signInVisitors(product);
  await pause(MARKET_RUNS_MS);
  const wanted = views.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
  const failed: string[] = [];
  for (const view of wanted) {
    const widePx = view.path === "/" ? WIDE_LANDING_PX : WIDE_PX;
    for (const size of SIZES.filter(({ width }) => view.isNarrowOnly !== true || width < widePx))
      for (const colorScheme of THEMES)
        await photograph(visitors, view, { size, colorScheme }).catch((error: unknown) => {
          failed.push(`${view.name}, ${size.width} px, ${colorScheme}: ${String(error)}`);
        });
  }
  for (const text of failed) console.error(text);
  process.exitCode = failed.length === 0 ? 0 : 1;
} finally {
  await browser.close();
  await product.stop();
}

interface Shape {
  readonly size: (typeof SIZES)[number];
  readonly colorScheme: (typeof THEMES)[number];
}

async function photograph(visitors: Visitors, view: View, { size, colorScheme }: Shape): Promise<void> {
  const path = join(folder, `${view.name}-${size.width}-${colorScheme}.png`);
  await withOpenView(
    { browser, product, visitors, view, options: { viewport: size, colorScheme } },
    async (page) => {
      await page.screenshot({ path });
    },
  );
}
