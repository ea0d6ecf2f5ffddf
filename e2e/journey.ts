import { test as base, expect, type Locator, type Page } from "@playwright/test";
import { SIGN_IN_PATH } from "#contract/first-routes.ts";
import type { TrueOrder, NewListing } from "../verify/testing/sandbox-client.ts";
import { startProduct, type Product } from "./product.ts";

export { expect };

/**
 * One product per worker; each journey signs in with its own people. A file whose journeys depend on the
 * whole market names it (`test.use({ marketName })`) and shares its product with no other file.
 */
export const test = base.extend<{ market: Market }, { product: Product; marketName: string }>({
  marketName: ["shared", { option: true, scope: "worker" }],
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
  page: async ({ page }, use) => {
    await use(page);
    // Route handlers may still wait for an answer when the journey ends, which must not fail it.
    await page.unrouteAll({ behavior: "ignoreErrors" });
  },
  baseURL: async ({ product }, use) => {
    await use(product.url);
  },
});

/** The seller's and the marketplace's side. */
export interface Market {
  publish(listing: NewListing): Promise<number>;
  ordersOf(listingId: number): Promise<readonly TrueOrder[]>;
}

function marketOf({ sandbox }: Product): Market {
  return {
    async publish(listing) {
      const [first] = await sandbox.publish(listing);
      if (first === undefined) throw new Error("nothing was published");
      return first.id;
    },
    async ordersOf(listingId) {
      return (await sandbox.orders()).filter((order) => order.item_id === listingId);
    },
  };
}

/**
 * Signs in by following the redirects without rendering the pages between (connexion.spec.ts does that), and
 * opens the final page.
 */
export async function signIn(page: Page, persona: string): Promise<void> {
  const authorisation = await redirectOf(page, SIGN_IN_PATH);
  const callback = await redirectOf(page, `${authorisation}&persona=${persona}`);
  await page.goto(await redirectOf(page, callback));
}

/** The target of the redirect, requested with the page's cookies. */
async function redirectOf(page: Page, address: string): Promise<string> {
  const answer = await page.request.get(address, { maxRedirects: 0 });
  return new URL(answer.headers()["location"] ?? "", answer.url()).href;
}

/**
 * Adds a filter through the product's API, in the page's session.
 * @throws if it buys without words or brands: it would stay active, and buy the listings of later journeys
 */
export async function addFilter(page: Page, filtre: Readonly<Record<string, unknown>>): Promise<void> {
  if (filtre["autobuy"] === true && filtre["mots"] === undefined && filtre["brands"] === undefined)
    throw new Error("a filter that buys needs words or brands that no other journey uses");
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

/**
 * Adds a filter and reloads the page. Otherwise a page that read the filters before shows a newcomer's first
 * steps until it reads them again; the layout then shifts, and a click on a card may be ignored.
 */
export async function openWithFilter(page: Page, filtre: Readonly<Record<string, unknown>>): Promise<void> {
  await addFilter(page, filtre);
  await page.reload();
  await expect(page.getByRole("group", { name: "Filtres actifs" })).toBeVisible();
}

/** Settles when the page has loaded and rendered all that it will by itself: only then does an absence count. */
export async function settled(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle");
  await drawn(page);
}

/**
 * Settles when the page has rendered all that it has received, and has done what it does after that, such as
 * listening to keys: one that is pressed before is lost.
 */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(IS_IDLE);
}

const IS_IDLE = "new Promise((then) => requestIdleCallback(() => then(undefined)))";

/** Settles when the dialog has taken the focus, shortly after it is drawn: a key pressed before that goes elsewhere. */
export async function focusTaken(dialog: Locator): Promise<void> {
  await expect(dialog.locator(":focus")).toHaveCount(1);
  await dialog.evaluate(IS_IDLE);
}

/** Opens the form of a new filter; what is typed before it has taken the focus goes to its first field. */
export async function openNewFilter(page: Page): Promise<Locator> {
  await page.goto("/synapse/filtres?nouveau=true");
  const form = page.getByRole("dialog");
  await focusTaken(form);
  return form;
}

/**
 * Lets a journey add events to those that the server sends over the page's socket; call it before the page connects.
 * @returns sends an event, as JSON of its name and content
 */
export async function socketOf(page: Page): Promise<(event: string) => void> {
  let send: (event: string) => void = () => undefined;
  await page.routeWebSocket(/\/socket\.io\//, (socket) => {
    socket.connectToServer();
    send = (event) => socket.send(`42${event}`);
  });
  return (event) => send(event);
}

/** Clicks until a click reaches the button: the page ignores clicks on what has just moved, or been scrolled. */
export async function press(button: Locator, clickCount = 1): Promise<void> {
  let wasPressed = false;
  await expect(async () => {
    // The button was replaced between the two steps below, and the click went to its replacement.
    if (wasPressed && (await button.count()) === 0) return;
    const pressed = await button.evaluateHandle((element: Pressed) => {
      const noted = { reached: false };
      const note = (): void => {
        noted.reached = true;
      };
      element.addEventListener("click", note, { once: true });
      return noted;
    });
    await button.click({ clickCount, timeout: 5_000 });
    wasPressed = true;
    expect(await pressed.evaluate(({ reached }) => reached)).toBe(true);
  }).toPass();
}

/** The used part of the DOM's Element. */
interface Pressed {
  addEventListener(type: "click", listener: () => void, options: { once: true }): void;
}

/** Presses Escape in a form in which something was typed, and confirms that it is discarded. */
export async function discard(page: Page): Promise<void> {
  await page.keyboard.press("Escape");
  const question = page.getByRole("dialog", { name: "Quitter sans sauvegarder ?" });
  await question.getByRole("button", { name: "Quitter", exact: true }).click();
  await expect(question).toHaveCount(0);
}
