import { test as base, expect, type Page } from "@playwright/test";
import { z } from "zod";
import { startProduct, type Product } from "./product.ts";

export { expect };

const published = z.object({ items: z.array(z.object({ id: z.number() })) });

const orders = z.object({
  orders: z.array(
    z.object({
      transaction_id: z.number(),
      item_id: z.number(),
      account: z.string(),
      state: z.string(),
      payments: z.number(),
    }),
  ),
});
type Order = z.infer<typeof orders>["orders"][number];

/** One product for each worker; each journey signs in as people of its own. */
export const test = base.extend<{ market: Market }, { product: Product }>({
  product: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the fixtures that are needed from this pattern.
    async ({}, use) => {
      const product = await startProduct();
      await use(product);
      await product.stop();
    },
    { scope: "worker" },
  ],
  market: async ({ product }, use) => {
    await use(marketOf(product));
  },
  baseURL: async ({ product }, use) => {
    await use(product.url);
  },
});

/** What a seller and the marketplace itself do and know. */
export interface Market {
  publish(listing: Readonly<Record<string, unknown>>): Promise<number>;
  ordersOf(listingId: number): Promise<readonly Order[]>;
}

function marketOf(product: Product): Market {
  return {
    async publish(listing) {
      const { items } = published.parse(await product.control("POST", "/control/listings", listing));
      const [first] = items;
      if (first === undefined) throw new Error("nothing was published");
      return first.id;
    },
    async ordersOf(listingId) {
      const books = orders.parse(await product.control("GET", "/control/orders"));
      return books.orders.filter((order) => order.item_id === listingId);
    },
  };
}

/** Signs in through the sandbox's own page, as a person does, and answers once the panel stands. */
export async function signIn(page: Page, persona: string): Promise<void> {
  // The arrival question of the landing page is not what these journeys are about.
  await page.goto("/");
  const [authorisation] = await Promise.all([
    page.waitForURL(/\/discord\/oauth2\/authorize/).then(() => page.url()),
    page.getByRole("link", { name: "Rejoindre Dès Maintenant" }).click(),
  ]);
  await page.goto(`${authorisation}&persona=${persona}`);
}

/** Adds a filter through the product's own call, in the page's session. */
export async function addFilter(page: Page, filtre: Readonly<Record<string, unknown>>): Promise<void> {
  const answer = await page.evaluate(async (body) => {
    const response = await fetch("/filtres/add", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return await response.text();
  }, filtre);
  expect(JSON.parse(answer)).toMatchObject({ success: true });
}
