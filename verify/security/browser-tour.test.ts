import { chromium, type Browser, type BrowserContext, type Page } from "@playwright/test";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { startProduct, type Product } from "../../e2e/product.ts";
import { PAGE_PATHS } from "#http/plugins/web.ts";
import { figure } from "./figures.ts";
import { PATIENCE_MS, signInBrowser } from "./victim.ts";

/** Visits every screen in a real browser, with scripts injected into every text. */
let product: Product;
let browser: Browser;
let context: BrowserContext;
let page: Page;

const HOSTILE = `<img src=x onerror="globalThis.hacked=1"><script>globalThis.hacked=1</script>`;
const SECRET_TOKEN = "sandbox-thunder-tour";
const STREET = "12 rue du Canari Jaune";

const violations: string[] = [];

beforeAll(async () => {
  product = await startProduct({ LOG_LEVEL: "error" });
  browser = await chromium.launch({ executablePath: process.env["CHROMIUM_PATH"] || "/usr/bin/chromium" });
  context = await browser.newContext({ locale: "fr-FR", viewport: { width: 1_280, height: 900 } });
  context.setDefaultTimeout(PATIENCE_MS);
  await signInBrowser(context, product, "thunder-tour");
  page = await context.newPage();
  await page.exposeFunction("reportViolation", (text: string) => violations.push(text));
  await page.addInitScript(
    `document.addEventListener("securitypolicyviolation", (event) => reportViolation(event.effectiveDirective + " " + event.blockedURI + " on " + location.pathname));`,
  );
  page.on("dialog", (dialog) => void dialog.accept());
  await fill();
});
afterAll(async () => {
  await browser.close();
  await product.stop();
});

async function call(path: string, body: unknown): Promise<void> {
  const answer = await page.evaluate(
    `fetch(${JSON.stringify(path)}, { method: "POST", headers: { "content-type": "application/json" }, body: ${JSON.stringify(JSON.stringify(body))} }).then((response) => response.status)`,
  );
  expect(answer, path).toBe(200);
}

async function fill(): Promise<void> {
  await page.goto(`${product.url}/cookies`);
  await call("/filtres/add", { tag: HOSTILE.slice(0, 80), info: HOSTILE, limit: 100, mots: ["ruse"] });
  await call("/filtres/add", { tag: "achat", mots: ["auto"], autobuy: true, limit: 100 });
  await call("/vinted/edit", {
    token: SECRET_TOKEN,
    paiement: 1,
    adresse: { rue: STREET, ville: HOSTILE.slice(0, 60), code_postal: 75001, pays: "France" },
    relais: [HOSTILE.slice(0, 90)],
  });
  await product.sandbox.publish([
    {
      title: `ruse ${HOSTILE}`,
      price: 10,
      seller: "ruse",
      size_title: "M",
      brand_title: HOSTILE.slice(0, 60),
    },
    { title: `auto ${HOSTILE}`, price: 12 },
    { title: "ruse javascript:alert(1)", price: 9 },
  ]);
}

/** Each stop shows a screen or a part of one. */
const panelStops: readonly (readonly [string, (page: Page) => Promise<void>])[] = [
  [
    "products",
    async (at) => {
      await at.goto(`${product.url}/synapse/articles`);
      await at.getByText(`ruse ${HOSTILE}`).first().waitFor();
    },
  ],
  [
    "the other theme",
    async (at) =>
      await at
        .getByRole("button", { name: /^Passer au thème/ })
        .first()
        .click(),
  ],
  [
    "settings with the token shown",
    async (at) => {
      await at.getByRole("button", { name: "Paramètres utilisateur" }).click();
      await at.getByRole("dialog").getByLabel("Rue").waitFor();
      const toggle = at.getByRole("dialog").getByRole("button", { name: /afficher/i });
      await toggle.first().click();
      await at.waitForTimeout(500);
      await at.keyboard.press("Escape");
    },
  ],
  [
    "filters",
    async (at) => {
      await at.goto(`${product.url}/synapse/filtres`);
      await at.getByText(HOSTILE.slice(0, 80)).first().waitFor();
    },
  ],
  [
    "the filter form",
    async (at) => {
      await at.getByRole("button", { name: "Créer un nouveau filtre" }).first().click();
      await at.getByRole("dialog").waitFor();
      await at.keyboard.press("Escape");
    },
  ],
  [
    "purchases",
    async (at) => {
      await at.goto(`${product.url}/synapse/achats`);
      await at.getByText(`auto ${HOSTILE}`).first().waitFor();
    },
  ],
  [
    "a small screen",
    async (at) => {
      await at.setViewportSize({ width: 360, height: 700 });
      await at.getByRole("button", { name: "Ouvrir le menu" }).click();
      await at.setViewportSize({ width: 1_280, height: 900 });
    },
  ],
];

const pages = PAGE_PATHS.filter((path) => !path.includes("*") && !path.endsWith("/")).concat("/");

test("no screen breaks the policy, and no text of anybody's becomes a script", async () => {
  for (const path of pages.filter((one) => one !== "/synapse")) {
    // The landing page asks whether to open the panel, and the accepted dialog navigates there before that page has
    // loaded: an earlier navigation by the test would be interrupted.
    await page.goto(`${product.url}${path}`, { waitUntil: path === "/" ? "commit" : "load" });
    if (path === "/") await page.waitForURL(`${product.url}/synapse/articles`);
    await page.getByRole("heading").first().waitFor();
    await page.waitForTimeout(200);
  }
  for (const [, stop] of panelStops) {
    await stop(page);
    await page.waitForTimeout(300);
    expect(await page.evaluate("globalThis.hacked")).toBeUndefined();
  }
  expect(violations).toEqual([]);
  figure(
    "content policy",
    `${pages.length + panelStops.length} screens toured with hostile texts: ${violations.length} violations, 0 scripts run`,
  );
});

test("a script that does get into a page is neither run nor unnoticed", async () => {
  await page.evaluate(
    `{ const script = document.createElement("script"); script.textContent = "globalThis.hacked = 1"; document.body.append(script); }`,
  );
  await expect.poll(() => violations.join()).toContain("script-src-elem inline");
  expect(await page.evaluate("globalThis.hacked")).toBeUndefined();
  violations.length = 0;
});

const stored = z.object({
  local: z.record(z.string(), z.string()),
  session: z.record(z.string(), z.string()),
  databases: z.array(z.unknown()),
  caches: z.array(z.string()),
  cookie: z.string(),
});

const DUMP = `(async () => ({
  local: { ...localStorage },
  session: { ...sessionStorage },
  databases: await indexedDB.databases(),
  caches: await caches.keys(),
  cookie: document.cookie,
}))()`;

/** Only preferences, no personal data; new keys must be added deliberately. */
const KEPT_KEYS =
  /^(synapse\.(apparence|barre-des-filtres|disposition-produits|filter-card-sections|raccourcis)|tsr-scroll-restoration[\w-]*)$/;

test("after a tour the browser keeps preferences and nothing else", async () => {
  const kept = stored.parse(await page.evaluate(DUMP));
  const keys = [...Object.keys(kept.local), ...Object.keys(kept.session)];
  expect(keys.filter((key) => !KEPT_KEYS.test(key))).toEqual([]);
  expect(kept).toMatchObject({ databases: [], caches: [], cookie: "" });
  const text = JSON.stringify(kept);
  for (const secret of [SECRET_TOKEN, STREET, "__Host-", "thunder-tour", "ruse"])
    expect(text).not.toContain(secret);
  figure("browser storage", `after the tour: ${keys.length} keys (${keys.join(", ")}), 0 of a person`);
});

test("logging out empties the page, and going back shows nothing", async () => {
  await page.goto(`${product.url}/synapse/achats`);
  await page.getByText(`auto ${HOSTILE}`).first().waitFor();
  await page.getByRole("button", { name: /déconnecter/i }).click();
  await page.waitForURL(`${product.url}/`);
  await page.goBack();
  await page.waitForTimeout(1_000);
  expect(await page.locator("body").innerText()).not.toContain("auto <img");
  const cookies = await context.cookies(product.url);
  expect(cookies.filter(({ name }) => name === "__Host-sid")).toEqual([]);
});
