import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { addFilter, expect, signIn, test } from "./journey.ts";

test.use({ marketName: "stream" });

// Filter: women's T-shirts (221) of Zara (12), size M (4), very good condition (2), at most 20 EUR in total.
const wanted = {
  title: "T-shirt rayé Zara",
  price: 15,
  brand_title: "Zara",
  size_title: "M",
  status: "Très bon état",
  catalog_id: 221,
};

test("a listing that matches reaches the page by itself, one that does not stays away", async ({
  page,
  market,
}) => {
  await signIn(page, "seeker-flux");
  await expect(page).toHaveURL(/\/synapse\/articles/);
  await addFilter(page, {
    tag: "T-shirts Zara",
    types: { ids: [221] },
    brands: { ids: [12] },
    sizes: { ids: [4] },
    status: { ids: [2] },
    limit: 20,
  });

  const refused = [
    { ...wanted, title: "Trop cher avec les frais", price: 19 },
    { ...wanted, title: "Autre marque", brand_title: "H&M" },
    { ...wanted, title: "Autre catégorie", catalog_id: 1806 },
    { ...wanted, title: "Autre taille", size_title: "XL" },
    { ...wanted, title: "Autre état", status: "Bon état" },
  ];
  for (const listing of refused) await market.publish(listing);
  await market.publish(wanted);

  const card = page.getByRole("article").filter({ hasText: wanted.title });
  await expect(card).toBeVisible();
  await expect(card).toContainText("16,45");
  await expect(card).toContainText("Zara");
  await expect(card.getByRole("button", { name: "Acheter" })).toBeEnabled();
  await expect(page.getByText("1 article trouvé sur Vinted")).toBeVisible();
  for (const { title } of refused) await expect(page.getByText(title)).toHaveCount(0);
});

/** Runs in every page before its own code: records each card that was ever first. */
const NOTE_FIRST_CARDS = `
  window.firstCards = [];
  new MutationObserver(() => {
    const id = document.querySelector("[data-listing]")?.dataset.listing;
    if (id !== undefined && id !== window.firstCards.at(-1)) window.firstCards.push(id);
  }).observe(document, { childList: true, subtree: true });
`;
const CARDS = `[...document.querySelectorAll("[data-listing]")].map(({ dataset }) => Number(dataset.listing))`;

test("a page begins with the newest cards, asks for them once, and keeps their order while the rest comes", async ({
  page,
  product,
}) => {
  await signIn(page, "seeker-ordre");
  await addFilter(page, { tag: "Ordre", types: { ids: [221] }, limit: 50, mots: ["ordre"] });
  // More than the list of recent articles holds, and more than one event of the stream.
  for (const [index, batch] of ["a", "b", "c"].entries()) {
    const listings = Array.from({ length: 40 }, (_, place) => ({
      title: `Robe ordre ${batch}${place}`,
      price: 10,
    }));
    await product.sandbox.publish(listings);
    // One read each: when several pages are read in a row, the newest are published first.
    await expect(page.getByText(`${String(40 * (index + 1))} articles trouvés sur Vinted`)).toBeVisible();
  }

  await page.addInitScript(NOTE_FIRST_CARDS);
  const reads: string[] = [];
  page.on("request", (request) => reads.push(new URL(request.url()).pathname));
  await page.reload();
  await expect(page.getByText("120 articles trouvés sur Vinted")).toBeVisible();
  // Counted before they are rendered.
  await expect.poll(() => page.getByRole("article").count()).toBeGreaterThan(4);
  const cards = z.array(z.number()).parse(await page.evaluate(CARDS));
  expect(cards).toEqual(cards.toSorted((one, other) => other - one));
  expect(await page.evaluate("window.firstCards")).toEqual([String(cards[0])]);
  for (const path of ["/auth/user", "/articles/recent"])
    expect([path, reads.filter((read) => read === path).length]).toEqual([path, 1]);
  // Not even for a moment was the stream taken for an empty one, which is explained.
  expect(reads.filter((path) => path.includes("why-nothing"))).toEqual([]);
});

test("articles that arrive while the page is drawn are never taken for an empty stream", async ({
  page,
  product,
}) => {
  await signIn(page, "seeker-lent");
  await addFilter(page, { tag: "Lent", types: { ids: [221] }, limit: 50, mots: ["lent"] });
  await product.sandbox.publish([{ title: "Robe lent", price: 10 }]);
  const count = page.getByText("1 article trouvé sur Vinted");
  await expect(count).toBeVisible();
  // A busy browser: components learn of an answer some time after it is in the cache.
  await page.addInitScript(`
    const schedule = window.setTimeout;
    window.setTimeout = (act, ms = 0, ...rest) => schedule(act, ms === 0 ? 300 : ms, ...rest);
  `);
  const explanations: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("why-nothing")) explanations.push(request.url());
  });
  for (const lateMs of [120, 280, 400]) {
    await page.route("**/articles/recent*", async (route) => {
      await pause(lateMs);
      await route.continue();
    });
    await page.reload();
    await expect(count).toBeVisible();
    await page.unrouteAll({ behavior: "wait" });
  }
  expect(explanations).toEqual([]);
});
