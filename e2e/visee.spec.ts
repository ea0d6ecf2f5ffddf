import type { Locator, Page } from "@playwright/test";
import { z } from "zod";
import { REFRESH_INTERVAL_MS } from "#contract/bounds.ts";
import { INPUTS, openSimulatedUser, startArrivals, type Tally } from "./simulated-user.ts";
import { expect, openWithFilter, press, signIn, socketOf, test } from "./journey.ts";
import type { Product } from "./product.ts";

test.use({ marketName: "aiming" });

type Json = z.infer<ReturnType<typeof z.json>>;

const TRIED_MS = 40_000;
const PER_SECOND = 3;

const MAX_MORE_MS = 300_000;

test("a press buys what was aimed at, or nothing, while articles pour in", async ({ browser, product }) => {
  const users = await Promise.all(
    INPUTS.map((input) => openSimulatedUser({ browser, product, input, name: `visee-${input}` })),
  );
  const arrivals = startArrivals(product, PER_SECOND);
  const endsAtMs = Date.now() + TRIED_MS;
  const tallies = await Promise.all(
    users.map(async (user, place) => {
      const tally: Tally = { right: 0, wrong: 0, refused: 0 };
      // On a busy machine every press may be too late to count, so it goes on until one counts.
      while (Date.now() < endsAtMs || (tally.right === 0 && Date.now() < endsAtMs + MAX_MORE_MS))
        await user.press(tally);
      await user.close();
      return { input: INPUTS[place], wrong: tally.wrong, hasBought: tally.right > 0 };
    }),
  );
  await arrivals.stop();
  expect(tallies).toEqual(INPUTS.map((input) => ({ input, wrong: 0, hasBought: true })));
});

/** The ids of the cards, in order. */
const CARDS = `[...document.querySelectorAll("[data-listing]")].map(({ dataset }) => Number(dataset.listing))`;

async function cardsOf(page: Page): Promise<readonly number[]> {
  return z.array(z.number()).parse(await page.evaluate(CARDS));
}

/** At least this many cards are rendered in two rows. */
const CARDS_IN_SIGHT = 8;

/** The number of cards for which the list has room, also below the rows that are rendered. */
const PLACES = `(() => {
  const list = document.querySelector(".produits-list");
  const { gridTemplateColumns, gridTemplateRows, rowGap } = getComputedStyle(list);
  const rowPx = parseFloat(gridTemplateRows) + parseFloat(rowGap);
  return Math.round(list.offsetHeight / rowPx) * gridTemplateColumns.split(" ").length;
})()`;

/** Opens the stream with a new filter and this many listings on the page. */
async function openStream(page: Page, product: Product, word: string, count: number): Promise<void> {
  await signIn(page, `seeker-${word}`);
  await openWithFilter(page, { tag: word, types: { ids: [221] }, limit: 50, mots: [word] });
  await product.sandbox.publish(
    Array.from({ length: count }, (_, index) => ({
      title: `Robe ${word} ${index}`,
      price: 10,
      seller: `vendeur-${word}-${index}`,
    })),
  );
  await expect(page.getByText(`${count} articles trouvés sur Vinted`)).toBeVisible();
  await expect(page.getByText("En direct", { exact: true })).toBeVisible();
  // Counted before they are rendered: the first rows, and the height of all.
  await expect
    .poll(async () => (await cardsOf(page)).length)
    .toBeGreaterThanOrEqual(Math.min(count, CARDS_IN_SIGHT));
  await expect.poll(() => page.evaluate(PLACES)).toBeGreaterThanOrEqual(count);
}

async function buttonAt(card: Locator): Promise<{ readonly x: number; readonly y: number }> {
  const box = await card.getByRole("button", { name: "Acheter" }).boundingBox();
  if (box === null) throw new Error("the card has no button");
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

const SETTLED_MS = 600;

test("nothing moves under a pointer that rests on a card; what arrives is counted and comes once it leaves", async ({
  page,
  market,
  product,
}) => {
  await page.clock.install();
  await openStream(page, product, "repos", 8);
  const { x, y } = await buttonAt(page.getByRole("article").nth(1));
  await page.mouse.move(x, y, { steps: 5 });
  const before = await cardsOf(page);
  await market.publish({ title: "Robe repos neuve", price: 10 });
  await expect(page.getByRole("button", { name: "1 nouvel article" })).toBeVisible();
  await expect(page.getByText("9 articles trouvés sur Vinted")).toBeVisible();
  // Longer than the list waits for an idle pointer.
  await page.clock.runFor(4_000);
  expect(await cardsOf(page)).toEqual(before);
  await page.getByLabel("Chercher dans les articles").fill("introuvable");
  await expect(page.getByText("Rien pour cette recherche")).toBeVisible();
  await expect(page.getByText("9 articles trouvés sur Vinted")).toBeVisible();
  await page.getByLabel("Chercher dans les articles").fill("");
  await page.mouse.move(5, 5);
  await expect(page.getByText("Robe repos neuve")).toBeVisible();
  await expect(page.getByRole("button", { name: "1 nouvel article" })).toHaveCount(0);
});

/** Lets the page read this of the account, or of its blocked sellers, when it next refreshes, and waits until it has. */
async function readAgain(page: Page, path: string, answer: (read: Json) => Json): Promise<void> {
  await page.route(`**${path}`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: answer(z.json().parse(await response.json())) });
  });
  const read = page.waitForResponse((response) => response.url().endsWith(path));
  await page.clock.runFor(REFRESH_INTERVAL_MS + 1_000);
  await (await read).finished();
  // Renders what it read.
  await page.clock.runFor(1_000);
}

test("neither a notice nor a seller blocked on another device moves the cards under a pointer; both come once it leaves", async ({
  page,
  product,
}) => {
  await page.clock.install();
  await openStream(page, product, "calme", 8);
  const card = page.getByRole("article").nth(2);
  const { x, y } = await buttonAt(card);
  await page.mouse.move(x, y, { steps: 5 });
  const before = { ids: await cardsOf(page), box: await card.boundingBox() };
  const settings = z.object({ vinted: z.record(z.string(), z.json()) });
  await readAgain(page, "/vinted/get", (read) => {
    const { vinted } = settings.parse(read);
    return { vinted: { ...vinted, etat: "a_reconnecter" } };
  });
  await readAgain(page, "/vendeurs/bloques", () => ({
    success: true,
    vendeurs: [{ id: null, login: "vendeur-calme-7", depuis: 1 }],
  }));
  expect({ ids: await cardsOf(page), box: await card.boundingBox() }).toEqual(before);
  // What the person does shows at once, with what was kept back.
  await page
    .getByRole("article")
    .filter({ hasText: "Robe calme 6" })
    .getByRole("button", { name: /^Bloquer/ })
    .click();
  await expect(page.getByRole("article")).toHaveCount(6);
  await expect(page.getByRole("button", { name: "Reconnecter" })).toHaveCount(0);
  await page.mouse.move(5, 5);
  await page.clock.runFor(4_000);
  await expect(page.getByRole("button", { name: "Reconnecter" })).toBeVisible();
});

test("a press that blocks a seller shows at once under the pointer, also on a page too busy to draw before the answer", async ({
  page,
  product,
}) => {
  await page.addInitScript(`
    const schedule = window.setTimeout;
    window.setTimeout = (act, ms = 0, ...rest) => schedule(act, ms === 0 ? 300 : ms, ...rest);
  `);
  await openStream(page, product, "lasse", 4);
  const card = page.getByRole("article").first();
  await expect(card).toBeVisible();
  await page.route("**/vendeurs/bloquer", async (route) => {
    const vendeurs = [{ id: null, login: "vendeur-lasse-3", depuis: 1 }];
    await route.fulfill({ json: { success: true, message: "Bloqué.", vendeurs } });
  });
  await press(card.getByRole("button", { name: /^Bloquer/ }));
  await expect(page.getByRole("article")).toHaveCount(3);
});

/** Runs in the page: for how many milliseconds after it is inserted an element leaves the pointer to what is below it. */
const uncoveredMs = (selector: string) => `new Promise((resolve) => {
  const element = () => document.querySelector("${selector}");
  const observer = new MutationObserver(() => {
    if (element() === null) return;
    observer.disconnect();
    const insertedAtMs = performance.now();
    const look = () => {
      const box = element()?.getBoundingClientRect();
      if (box !== undefined) {
        const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
        if (hit?.closest("${selector}")) return resolve(performance.now() - insertedAtMs);
      }
      requestAnimationFrame(look);
    };
    look();
  });
  observer.observe(document.body, { childList: true, subtree: true });
})`;

test("what comes over a card takes no press at first, also where motion is reduced", async ({
  page,
  market,
  product,
}) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  const send = await socketOf(page);
  await openStream(page, product, "voile", 8);
  const { x, y } = await buttonAt(page.getByRole("article").nth(1));
  await page.mouse.move(x, y, { steps: 5 });
  const ofPill = page.evaluate<number>(uncoveredMs(".new-items-pill button"));
  await market.publish({ title: "Robe voile neuve", price: 10 });
  expect(await ofPill).toBeGreaterThan(400);
  const ofToast = page.evaluate<number>(uncoveredMs(".toast"));
  send(JSON.stringify(["filtreData", { message: "Votre filtre n'achète plus.", filtres: [], raison: "" }]));
  expect(await ofToast).toBeGreaterThan(400);
});

/**
 * Runs in the page: a timer of 1 to 1.5 s finds the clock at 1 ms before its time, as browsers may call it,
 * and the time is reached while its callback runs, as on a busy machine.
 */
const CALL_TIMERS_EARLY = `(() => {
  const [now, start] = [performance.now.bind(performance), globalThis.setTimeout];
  globalThis.setTimeout = (callback, delayMs = 0, ...rest) => {
    if (delayMs <= 1_000 || delayMs > 1_500) return start(callback, delayMs, ...rest);
    const dueAtMs = now() + delayMs;
    return start(() => {
      const times = [dueAtMs - 1];
      performance.now = () => times.pop() ?? Math.max(now(), dueAtMs + 1);
      callback(...rest);
      performance.now = now;
    }, delayMs);
  };
})()`;

test("articles arrive once the pointer rests beside the list, also when the timer is called early", async ({
  page,
  market,
  product,
}) => {
  await page.addInitScript(CALL_TIMERS_EARLY);
  await openStream(page, product, "tot", 2);
  // Two moves: the first only tells where the pointer is, and a third would restart the timer.
  await page.mouse.move(5, 5, { steps: 2 });
  await market.publish({ title: "Robe tot neuve", price: 10 });
  await expect(page.getByRole("article")).toHaveCount(3);
});

test("the focus stays with its card while articles arrive, and A buys that card", async ({
  page,
  market,
  product,
}) => {
  await page.clock.install();
  await openStream(page, product, "focus", 6);
  const card = page.getByRole("article").nth(1);
  // The count is updated before the cards are rendered.
  await expect(card).toBeVisible();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await expect(card).toBeFocused();
  const [, focused = 0] = await cardsOf(page);
  for (const name of ["une", "deux"]) await market.publish({ title: `Robe focus ${name}`, price: 10 });
  await expect(page.getByRole("button", { name: "2 nouveaux articles" })).toBeVisible();
  // Longer than the list waits for an idle pointer.
  await page.clock.runFor(4_000);
  await expect(card).toBeFocused();
  await page.keyboard.press("a");
  await expect.poll(async () => (await market.ordersOf(focused)).length).toBe(1);
  await expect(card.getByRole("button", { name: "Déjà acheté" })).toBeDisabled();
});

/**
 * Runs in the page: when a third card comes, J is pressed, and A at the same time, which the page handles when
 * it would take one.
 */
const PRESS_ON_ARRIVAL = `new MutationObserver((_changes, observer) => {
  if (document.querySelectorAll("[data-listing]").length < 3) return;
  observer.disconnect();
  const [walk, buy] = ["j", "a"].map((key) => new KeyboardEvent("keydown", { key, bubbles: true }));
  document.body.dispatchEvent(walk);
  setTimeout(() => {
    document.activeElement.dispatchEvent(buy);
    globalThis.hasPressed = true;
  }, 1_100);
}).observe(document.body, { childList: true, subtree: true })`;

test("A pressed at once on a card that has just come buys nothing, also when a busy page handles it late", async ({
  page,
  market,
  product,
}) => {
  await openStream(page, product, "hative", 2);
  await expect(page.getByRole("article")).toHaveCount(2);
  await page.evaluate(PRESS_ON_ARRIVAL);
  const arrived = await market.publish({ title: "Robe hative neuve", price: 10 });
  await expect.poll(() => page.evaluate("globalThis.hasPressed")).toBe(true);
  const card = page.getByRole("article").filter({ hasText: "Robe hative neuve" });
  await expect(card).toBeFocused();
  // A purchase would show immediately.
  await expect(card.getByRole("button", { name: "Acheter" })).toBeEnabled();
  expect(await market.ordersOf(arrived)).toEqual([]);
  await page.keyboard.press("a");
  await expect(card.getByRole("button", { name: "Déjà acheté" })).toBeDisabled();
});

/** Runs in the page: the times of the last change of the first card and of the last press. */
const NOTE_CHANGE_AND_PRESS = `(() => {
  const firstCard = () => document.querySelector("[data-listing]")?.dataset.listing;
  let shown = firstCard();
  const note = () => {
    if (firstCard() !== shown) globalThis.changedAtMs = performance.now();
    shown = firstCard();
  };
  new MutationObserver(note).observe(document.body, { childList: true, subtree: true, attributeFilter: ["data-listing"] });
  addEventListener("pointerdown", ({ timeStamp }) => (globalThis.pressedAtMs = timeStamp), { capture: true });
})()`;

test("a card that has just come under the pointer takes no press, and takes one once it has been there", async ({
  page,
  product,
}) => {
  // A press that comes too late uses up a card.
  await openStream(page, product, "glisse", 40);
  const clicks: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/purchase/click")) clicks.push(request.postData() ?? "");
  });
  await page.evaluate(NOTE_CHANGE_AND_PRESS);
  const first = page.getByRole("article").first();
  const { x, y } = await buttonAt(first);
  let next = 0;
  // On a busy machine the press may come when the card has already been in place long enough.
  let isInTime = false;
  while (!isInTime) {
    clicks.length = 0;
    [, next = 0] = await cardsOf(page);
    await first.getByRole("button", { name: /^Bloquer/ }).focus();
    await page.mouse.move(x, y);
    await page.waitForTimeout(SETTLED_MS);
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await cardsOf(page))[0], { intervals: [10] }).toBe(next);
    await page.mouse.down();
    await page.mouse.up();
    isInTime = Number(await page.evaluate("pressedAtMs - changedAtMs")) < 400;
  }
  await page.waitForTimeout(SETTLED_MS);
  expect(clicks).toEqual([]);
  // The server's answer renders the list again, which then ignores presses for a while.
  const pressAgain = async (): Promise<void> => {
    const button = await buttonAt(first);
    await page.mouse.move(button.x, button.y);
    await page.waitForTimeout(SETTLED_MS);
    await page.mouse.down();
    await page.mouse.up();
    await expect.poll(() => clicks.length, { timeout: 1_000 }).toBe(1);
  };
  await expect(pressAgain).toPass();
  expect(JSON.parse(clicks[0] ?? "")).toMatchObject({ id: next });
});

test.describe("on a touch screen", () => {
  test.use({ hasTouch: true });

  test("nothing moves under a finger that rests", async ({ page, market, product }) => {
    await openStream(page, product, "pose", 4);
    const before = await cardsOf(page);
    const { x, y } = await buttonAt(page.getByRole("article").first());
    const input = await page.context().newCDPSession(page);
    await input.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x, y }] });
    await market.publish({ title: "Robe pose nouvelle", price: 10 });
    await expect(page.getByRole("button", { name: "1 nouvel article" })).toBeVisible();
    // Longer than a pointer counts as moving.
    await page.waitForTimeout(2_500);
    expect(await cardsOf(page)).toEqual(before);
    await input.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    await expect(page.getByRole("article").first()).toContainText("Robe pose nouvelle");
  });
});

test("scrolling, and the second press on what goes away, buy nothing", async ({ page, market, product }) => {
  await openStream(page, product, "double", 40);
  const clicks: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/purchase/click")) clicks.push(request.url());
  });
  await page.mouse.move(700, 500);
  await page.mouse.wheel(0, 600);
  await expect.poll(() => page.evaluate("scrollY")).toBe(600);
  const { x, y } = await buttonAt(page.getByRole("article").filter({ hasText: "Robe double" }).nth(7));
  await page.evaluate(
    "globalThis.nudging = setInterval(() => scrollBy(0, (globalThis.step = -(globalThis.step ?? 2))), 30)",
  );
  await page.waitForTimeout(200);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.up();
  await page.evaluate("clearInterval(globalThis.nudging)");

  await market.publish({ title: "Robe double neuve", price: 10 });
  const pill = page.getByRole("button", { name: "1 nouvel article" });
  await expect(pill).toBeVisible();
  await page.waitForTimeout(SETTLED_MS);
  await pill.dblclick();
  await expect(page.getByText("Robe double neuve")).toBeInViewport();
  await page.waitForTimeout(SETTLED_MS);
  expect(clicks).toEqual([]);
});
