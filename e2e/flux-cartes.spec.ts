import type { Locator, Page } from "@playwright/test";
import { z } from "zod";
import { addFilter, expect, openWithFilter, signIn, test } from "./journey.ts";
import type { Product } from "./product.ts";

test.use({ marketName: "cards" });

const boxes = z.array(z.object({ top: z.number(), bottom: z.number(), height: z.number() }));
const BOXES = `[...document.querySelectorAll("[data-listing]")].map((card) => {
  const { top, bottom, height } = card.getBoundingClientRect();
  return { top, bottom, height };
})`;

async function boxesOf(page: Page): Promise<z.output<typeof boxes>> {
  return boxes.parse(await page.evaluate(BOXES));
}

/** At one moment: the page may shift between two. */
async function topsOf(elements: Locator): Promise<readonly number[]> {
  return await elements.evaluateAll((found: readonly Placed[]) =>
    found.map((element) => element.getBoundingClientRect().top),
  );
}

/** Whether the bottom bar of phones covers an element. */
async function isCovered(page: Page, element: Locator): Promise<boolean> {
  const bar = page.locator(".bottom-bar");
  if (!(await bar.isVisible())) return false;
  const [barBox, box] = [await bar.boundingBox(), await element.boundingBox()];
  return barBox !== null && box !== null && box.y + box.height > barBox.y;
}

async function openStream(page: Page, product: Product, word: string, count: number): Promise<void> {
  await signIn(page, `seeker-${word}`);
  await openWithFilter(page, { tag: `Filtre ${word}`, types: { ids: [221] }, limit: 50, mots: [word] });
  await product.sandbox.publish(
    Array.from({ length: count }, (_, index) => ({
      title: `Robe ${word} ${index}`,
      price: 10,
      brand_title: "Zara",
    })),
  );
  await expect(page.getByText(`${count} articles trouvés sur Vinted`)).toBeVisible();
}

for (const [width, height] of [
  [1_280, 720],
  [320, 640],
] as const)
  test(`'Acheter' is in sight on arrival at ${width}×${height}, on cards of at most 400 px`, async ({
    page,
    product,
  }) => {
    await page.setViewportSize({ width, height });
    await openStream(page, product, `taille${width}`, 30);
    // Without animations no layout may start from the other's styles.
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.reload();
    await expect(page.getByRole("article").first()).toBeVisible();
    await expect(page.getByRole("button", { name: /^Filtre/ }).first()).toBeVisible();
    const button = page.getByRole("article").first().getByRole("button", { name: "Acheter" });
    await expect(button).toBeInViewport({ ratio: 1 });
    expect(await isCovered(page, button)).toBe(false);
    for (const { height: cardHeight } of await boxesOf(page)) expect(cardHeight).toBeLessThanOrEqual(400);

    // Back and forth: neither layout keeps the other's height.
    for (const [name, layout] of [
      ["Liste", "list"],
      ["Grille", "grid"],
      ["Liste", "list"],
    ] as const) {
      await page.getByRole("button", { name }).click();
      await expect(page.getByRole("article").first()).toHaveAttribute("data-layout", layout);
    }
    for (const { height: rowHeight } of await boxesOf(page)) {
      expect(rowHeight).toBeGreaterThanOrEqual(64);
      expect(rowHeight).toBeLessThanOrEqual(72);
    }
    await expect(button).toBeInViewport({ ratio: 1 });
  });

/** What a person's browser may do to the text of every page (WCAG 1.4.12 and 1.4.4). */
const TEXTS = {
  "text spacing": `* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }
    p { margin-bottom: 2em !important }`,
  "a font of 24 px": "html { font-size: 24px !important }",
} as const;

/** Runs in the page: what of the cards' text is cut at its top or bottom, or lies over other text, and rows that overlap. */
const UNREADABLE = `(() => {
  const found = new Set();
  const meet = (one, other) =>
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1;
  const cards = [...document.querySelectorAll("[data-listing]")];
  const boxes = cards.map((card) => card.getBoundingClientRect());
  if (boxes.some((box, at) => boxes.slice(at + 1).some((other) => meet(box, other)))) found.add("rows overlap");
  for (const card of cards) {
    const box = card.getBoundingClientRect();
    const shown = ".produit-card__title, .produit-card__facts > div, .produit-card__price dd, .produit-card__seller .clip, .buy-button";
    const parts = [...card.querySelectorAll(shown)].filter((part) => getComputedStyle(part).clipPath === "none");
    for (const [at, part] of parts.entries()) {
      const own = part.getBoundingClientRect();
      const isClipped = getComputedStyle(part).overflow !== "visible" && part.scrollHeight > part.clientHeight + 1;
      if (isClipped || own.top < box.top || own.bottom > box.bottom)
        found.add(part.className + " is cut");
      if (parts.slice(at + 1).some((other) => meet(own, other.getBoundingClientRect())))
        found.add(part.className + " is covered");
    }
  }
  return [...found];
})()`;

for (const [name, css] of Object.entries(TEXTS))
  test(`no text of a card is cut, and no rows overlap, with ${name}`, async ({ page, product }) => {
    await page.addInitScript(`
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(${JSON.stringify(css)});
      document.adoptedStyleSheets.push(sheet);
    `);
    await openStream(page, product, `texte${name.length}`, 30);
    for (const layout of ["Grille", "Liste"]) {
      await page.getByRole("button", { name: layout }).click();
      for (const width of [320, 768, 1_440]) {
        await page.setViewportSize({ width, height: 900 });
        await page.mouse.wheel(0, 400);
        // The rows take their new height a moment later.
        await expect.poll(() => page.evaluate(UNREADABLE), `${layout} at ${width} px`).toEqual([]);
      }
    }
  });

test("the first row is whole whatever arrives, one article or several", async ({ page, market, product }) => {
  await openStream(page, product, "rang", 14);
  const firstRow = async (): Promise<number> => {
    const cards = await boxesOf(page);
    return cards.filter(({ top }) => top === cards[0]?.top).length;
  };
  await expect.poll(firstRow).toBeGreaterThan(3);
  const columns = await firstRow();
  for (const name of ["une", "deux", "trois"]) {
    await market.publish({ title: `Robe rang ${name}`, price: 10 });
    await expect(page.getByText(`Robe rang ${name}`)).toBeVisible();
    expect(await firstRow()).toBe(columns);
  }
});

test("photo and title lead to the listing; what is absent reads N/A; labels are there for all", async ({
  page,
  market,
}) => {
  await signIn(page, "seeker-fiche");
  await addFilter(page, { tag: "Fiche", types: { ids: [221] }, limit: 50, mots: ["fiche"] });
  await market.publish({ title: "Robe fiche", price: 10, brand_title: "Zara", status: "Bon état" });
  const card = page.getByRole("article").filter({ hasText: "Robe fiche" });
  const photo = card.getByRole("link", { name: "Voir l'annonce sur Vinted" });
  const href = await photo.getAttribute("href");
  expect(href).toMatch(/^http/);
  const title = card.getByRole("link", { name: "Robe fiche" });
  await expect(title).toHaveAttribute("href", href ?? "");
  for (const link of [photo, title]) await expect(link).toHaveAttribute("target", "_blank");
  const facts = card.getByRole("definition");
  await expect(facts).toContainText(["M", "Bon état", "Zara", /€/]);
  await expect(card.getByRole("term")).toHaveText(["Taille", "État", "Marque", "Prix"]);
  await expect(card.getByText("hors livraison", { exact: false })).toHaveCount(1);
  const tops = (await topsOf(facts)).slice(0, 3);
  expect(new Set(tops).size).toBe(1);
  await page.getByRole("button", { name: "Liste" }).click();
  for (const width of [1_280, 480]) {
    await page.setViewportSize({ width, height: 720 });
    await card.scrollIntoViewIfNeeded();
    for (const label of ["Taille", "État", "Marque", "Prix"]) {
      const term = card.getByRole("term").filter({ hasText: label });
      await expect(term).toBeInViewport({ ratio: width === 480 ? 0.9 : 1 });
      // A label for screen readers only is 1 px wide.
      expect((await term.boundingBox())?.width).toBeGreaterThan(10);
    }
    for (const { height } of await boxesOf(page)) {
      expect(height).toBeGreaterThanOrEqual(64);
      expect(height).toBeLessThanOrEqual(72);
    }
  }
});

test("a condition that is absent, also null, reads N/A", async ({ page }) => {
  await signIn(page, "seeker-neant");
  await page.route("**/articles/recent*", async (route) => {
    const item = {
      id: 77,
      title: "Robe sans état",
      photo: null,
      brand_title: "Zara",
      total_item_price: { amount: "12.00", currency_code: "EUR" },
      size_title: "M",
      status: null,
      path: "/items/77",
      url: "http://localhost/items/77",
      user: { login: "lea", photo: null },
      filtres: [],
      vu_a: Date.now(),
    };
    const items = [item, { ...item, id: 76, title: "Robe d'état vide", status: "" }];
    await route.fulfill({ json: { items } });
  });
  await page.reload();
  for (const title of ["Robe sans état", "Robe d'état vide"])
    await expect(page.getByRole("article").filter({ hasText: title })).toContainText("ÉtatN/A");
});

test("a filter paused by its chip says so, dims what it found, and is taken back with one press", async ({
  page,
  product,
}) => {
  await openStream(page, product, "pause", 5);
  await addFilter(page, { tag: "Endormi", types: { ids: [221] }, limit: 0, active: false });
  await addFilter(page, { tag: "Éveillé", types: { ids: [221] }, limit: 0 });
  await page.reload();
  const chips = page.getByRole("group", { name: "Filtres actifs" }).getByRole("button");
  await expect(chips).toHaveText(["Éveillé", "Filtre pause", "Endormi"]);
  await expect(page.getByText("2 actifs sur 3")).toBeVisible();
  expect(new Set(await topsOf(chips)).size).toBe(1);

  await chips.filter({ hasText: "Filtre pause" }).click();
  const message = page.getByRole("alert").filter({ hasText: "en pause" });
  // Under the pointer a message stays.
  await message.hover();
  await expect(message).toContainText("Filtre pause");
  await expect(chips).toHaveText(["Éveillé", "Filtre pause", "Endormi"]);
  const card = page.getByRole("article").first();
  const photo = card.locator(".photo");
  await expect(card).toContainText("En pause : Filtre pause");
  await expect(photo).not.toHaveCSS("opacity", "1");
  await message.getByRole("button", { name: "Annuler" }).click();
  await expect(card).not.toContainText("En pause");
  await expect(photo).toHaveCSS("opacity", "1");
  await expect(chips.filter({ hasText: "Filtre pause" })).toHaveAttribute("aria-pressed", "true");

  await expect(page.getByText("En direct", { exact: true })).toBeVisible();
  for (const tag of ["Éveillé", "Filtre pause"]) await chips.filter({ hasText: tag }).click();
  await expect(page.getByText("En direct", { exact: true })).toHaveCount(0);
  await expect(page.getByText("Flux en pause : tous vos filtres sont en pause")).toBeVisible();

  for (let n = 4; n <= 60; n += 1) await addFilter(page, { tag: `Filtre ${n}`, limit: 0, active: false });
  await page.reload();
  await expect(chips).toHaveCount(60);
  expect(new Set(await topsOf(chips)).size).toBe(1);
  const line = page.getByRole("group", { name: "Filtres actifs" });
  expect(
    await line.evaluate(({ scrollWidth, clientWidth }: Scrolling) => scrollWidth / clientWidth),
  ).toBeGreaterThan(2);
  expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
});

/** The used parts of the DOM's Element. */
interface Placed {
  getBoundingClientRect(): { readonly top: number };
}

interface Scrolling {
  readonly scrollWidth: number;
  readonly clientWidth: number;
}
