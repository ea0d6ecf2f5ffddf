// `npm run screenshots [-- folder]`: every screen in three widths and two themes, with a market that lives.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { chromium, type Browser, type Page } from "@playwright/test";
import type { Body } from "../src/contract/calls.ts";
import { signInAt, type Person } from "../src/testing/person.ts";
import { startProduct, type Product } from "./product.ts";

const folder = process.argv[2] ?? join(".cache", "screenshots");
const WIDTHS = [320, 768, 1_440];
const THEMES = ["dark", "light"] as const;
/** Long enough for the market to fill the stream and for automatic purchases to settle. */
const MARKET_RUNS_MS = 25_000;

interface Screen {
  readonly name: string;
  readonly path: string;
  /** Brings the page into the state that the picture shows. */
  readonly prepare?: (page: Page) => Promise<void>;
  readonly isSignedIn: boolean;
}

const screens: readonly Screen[] = [
  { name: "accueil", path: "/", isSignedIn: false },
  { name: "produits", path: "/synapse/articles", isSignedIn: true },
  { name: "filtres", path: "/synapse/filtres", isSignedIn: true },
  {
    name: "filtre-formulaire",
    path: "/synapse/filtres",
    isSignedIn: true,
    prepare: async (page) => {
      await page.getByRole("button", { name: "Créer un nouveau filtre" }).first().click();
      await page.getByRole("dialog").waitFor();
    },
  },
  { name: "achats", path: "/synapse/achats", isSignedIn: true },
  {
    name: "parametres",
    path: "/synapse/articles",
    isSignedIn: true,
    prepare: async (page) => {
      await page.getByRole("button", { name: "Paramètres utilisateur" }).click();
      await page.getByRole("dialog").getByLabel("Rue").waitFor();
    },
  },
];

await mkdir(folder, { recursive: true });
const product = await startProduct({ SANDBOX_LISTINGS_PER_SECOND: "6" });
const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium",
});
try {
  const person = await signInAt(product.url, "thunder-lea");
  await fillAccount(person);
  await new Promise((resolve) => {
    setTimeout(resolve, MARKET_RUNS_MS);
  });
  for (const theme of THEMES)
    for (const width of WIDTHS) await takeAll(browser, product, { person, theme, width });
} finally {
  await browser.close();
  await product.stop();
}

async function fillAccount(person: Person): Promise<void> {
  const filters: readonly Body<"addFilter">[] = [
    { tag: "Robes d'été", types: { ids: [10] }, limit: 25 },
    { tag: "Baskets Nike", types: { ids: [16, 1242] }, brands: { ids: [53] }, limit: 60, private: true },
    { tag: "Vestes vintage", types: { ids: [1037, 1206] }, limit: 40, info: "Pour la boutique" },
    { tag: "Petits prix", types: { ids: [1195] }, limit: 4, autobuy: true, paiement: 11 },
    { tag: "Jeans Levi's", types: { ids: [183, 257] }, limit: 35, active: false },
  ];
  for (const filter of filters) await person.call("addFilter", filter);
}

interface Look {
  readonly person: Person;
  readonly theme: (typeof THEMES)[number];
  readonly width: number;
}

async function takeAll(of: Browser, { url }: Product, { person, theme, width }: Look): Promise<void> {
  for (const screen of screens) {
    const context = await of.newContext({
      viewport: { width, height: width < 500 ? 700 : 900 },
      colorScheme: theme,
      locale: "fr-FR",
      timezoneId: "Europe/Paris",
    });
    if (screen.isSignedIn) await context.addCookies([sessionCookie(person)]);
    const page = await context.newPage();
    await page.goto(`${url}${screen.path}`);
    await page.getByRole("heading").first().waitFor();
    await screen.prepare?.(page);
    await page.waitForTimeout(1_500);
    await page.screenshot({ path: join(folder, `${screen.name}-${width}-${theme}.png`) });
    await context.close();
  }
}

function sessionCookie({ cookie }: Person) {
  const [name = "", value = ""] = cookie.split("=");
  return {
    name,
    value,
    domain: "localhost",
    path: "/",
    secure: true,
    httpOnly: true,
    sameSite: "Strict" as const,
  };
}
