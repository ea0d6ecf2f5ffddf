/**
 * A simulated person in front of the stream: reads the cards, needs 300 ms to decide and 300 ms to move, then presses
 * where the card was. The purchase is compared with the card that was aimed at.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Browser, BrowserContext, Page } from "@playwright/test";
import { z } from "zod";
import { signInAt } from "../verify/testing/person.ts";
import { FRENCH, takeSession } from "./browser.ts";
import type { Product } from "./product.ts";

export const INPUTS = ["mouse", "touch", "keyboard"] as const;
export type Input = (typeof INPUTS)[number];

export interface Tally {
  /** Presses that bought the card that was aimed at. */
  right: number;
  /** Presses that bought another card. */
  wrong: number;
  /** Presses without an effect. */
  refused: number;
}

const DECIDE_MS = 300;
const MOVE_MS = 300;
const MOVE_STEPS = 6;
/** The longest pause; random, so that attempts also fall right before or after a change of the list. */
const MAX_REST_MS = 4_000;
/** On a busy machine the pointer may be too slow: the attempt is then abandoned or not counted. */
const MAX_AIM_MS = 900;
/** The request of a press is sent within this time, or not at all. */
const OUTCOME_MS = 500;
const LEAF = 221;
/** A place without cards: the lower end of the side menu. */
const AWAY = { x: 60, y: 690 };

/** Runs in the page: the cards that can be bought with one press at this moment. */
const CARDS_TO_BUY = `(() => {
  const cards = [...document.querySelectorAll("[data-listing]")];
  return cards.slice(0, 12).flatMap((card, index) => {
    const button = [...card.querySelectorAll("button")].find((each) => each.textContent === "Acheter");
    if (!button) return [];
    const { left, top, width, height } = button.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    const isInSight = top > 60 && top + height < innerHeight;
    // A message may cover it; a card that takes no press yet is aimed at all the same.
    const cover = document.elementFromPoint(x, y);
    const isCovered = !cover || cover.closest(".mantine-Notifications-root, dialog, [role=dialog]") !== null;
    return isInSight && !isCovered ? [{ id: Number(card.dataset.listing), index, x, y, seenAtMs: Date.now() }] : [];
  });
})()`;
const targets = z.array(
  z.object({ id: z.number(), index: z.number(), x: z.number(), y: z.number(), seenAtMs: z.number() }),
);
type Target = z.output<typeof targets>[number];

/** Runs in the page: the browser's time of the last press. */
const RECORD_PRESSES = `
  globalThis.pressedAtMs = 0;
  addEventListener("pointerdown", ({ timeStamp }) => {
    globalThis.pressedAtMs = performance.timeOrigin + timeStamp;
  }, { capture: true });
`;

interface SimulatedUserOptions {
  readonly browser: Browser;
  readonly product: Product;
  readonly input: Input;
  /** Distinguishes the concurrent simulated users. */
  readonly name: string;
}

export interface SimulatedUser {
  /** Looks, aims and presses once; false when there was nothing to buy or the attempt was abandoned. */
  press(tally: Tally): Promise<boolean>;
  close(): Promise<void>;
}

/** Signs in a person with practically unlimited purchases, and opens the stream. */
export async function openSimulatedUser({
  browser,
  product,
  input,
  name,
}: SimulatedUserOptions): Promise<SimulatedUser> {
  const person = await signInAt(product.url, `seeker-${name}`);
  const { vinted } = await person.call("settings");
  await person.call("editSettings", {
    token: "",
    paiement: 1,
    adresse: vinted.adresse,
    relais: vinted.relais,
    limites: { jour: 100_000, mois: 100_000, achats_jour: 100_000 },
  });
  await person.call("addFilter", { tag: "Visée", types: { ids: [LEAF] }, limit: 500, mots: ["visee"] });
  const context = await browser.newContext({
    ...FRENCH,
    viewport: { width: 1_280, height: 900 },
    hasTouch: input === "touch",
  });
  await takeSession(context, person);
  const page = await context.newPage();
  await page.addInitScript(RECORD_PRESSES);
  await page.goto(`${product.url}/synapse/articles`);
  await page.getByText("En direct", { exact: true }).waitFor();
  return simulatedUserOn(page, context, input);
}

function simulatedUserOn(page: Page, context: BrowserContext, input: Input): SimulatedUser {
  const bought: number[] = [];
  page.on("request", (request) => {
    if (!request.url().endsWith("/purchase/click")) return;
    bought.push(z.object({ id: z.number() }).parse(request.postDataJSON()).id);
  });
  return {
    async press(tally) {
      await rest(page, input);
      const target = pick(targets.parse(await page.evaluate(CARDS_TO_BUY)), input);
      if (target === undefined) return false;
      bought.length = 0;
      if (!(await aimAndPress(page, target, input))) return false;
      await pause(OUTCOME_MS);
      const pressedAtMs = z.number().parse(await page.evaluate("globalThis.pressedAtMs"));
      if (input !== "keyboard" && pressedAtMs - target.seenAtMs > MAX_AIM_MS) return false;
      if (bought.length === 0) tally.refused += 1;
      else if (bought.every((id) => id === target.id)) tally.right += 1;
      else tally.wrong += 1;
      return true;
    },
    close: () => context.close(),
  };
}

/** Stays away from the cards for a while, so that the stream resumes. */
async function rest(page: Page, input: Input): Promise<void> {
  if (input === "mouse") await page.mouse.move(AWAY.x, AWAY.y);
  // Walking may have scrolled down, where the list does not insert new articles.
  if (input === "keyboard") await page.evaluate("document.activeElement?.blur(); scrollTo(0, 0)");
  await pause(Math.random() * MAX_REST_MS);
}

/** Any visible card; with the keyboard one of the first three. */
function pick(cards: readonly Target[], input: Input): Target | undefined {
  const near = input === "keyboard" ? cards.filter(({ index }) => index < 3) : cards;
  return near[Math.floor(Math.random() * near.length)];
}

/** False when it took too long or the focus is on another card. */
async function aimAndPress(page: Page, target: Target, input: Input): Promise<boolean> {
  const { x, y, seenAtMs } = target;
  const isLate = (): boolean => Date.now() - seenAtMs > MAX_AIM_MS;
  await pause(DECIDE_MS);
  switch (input) {
    case "mouse":
      for (let step = 1; step <= MOVE_STEPS; step += 1) {
        const share = step / MOVE_STEPS;
        await page.mouse.move(AWAY.x + (x - AWAY.x) * share, AWAY.y + (y - AWAY.y) * share);
        await pause(MOVE_MS / MOVE_STEPS);
      }
      if (isLate()) return false;
      await page.mouse.down();
      await page.mouse.up();
      return true;
    case "touch":
      await pause(MOVE_MS);
      if (isLate()) return false;
      await page.touchscreen.tap(x, y);
      return true;
    case "keyboard":
      if (!(await walkTo(page, target))) return false;
      await page.keyboard.press("a");
      return true;
    default:
      return input satisfies never;
  }
}

/** To the first card without looking, like experienced users; to further ones by checking the focus. */
async function walkTo(page: Page, { id, index, seenAtMs }: Target): Promise<boolean> {
  for (let step = 0; step <= index; step += 1) {
    await page.keyboard.press("j");
    await pause(MOVE_MS);
  }
  if (index === 0) return Date.now() - seenAtMs <= MAX_AIM_MS;
  return (await page.evaluate("Number(document.activeElement.dataset.listing)")) === id;
}

export interface Arrivals {
  stop(): Promise<void>;
}

/** Publishes listings that match the filter of every simulated user, at random times with this mean rate. */
export function startArrivals({ sandbox }: Product, perSecond: number): Arrivals {
  const stopping = new AbortController();
  let published = 0;
  const running = (async () => {
    let dueAtMs = Date.now();
    while (!stopping.signal.aborted) {
      dueAtMs += (-Math.log(1 - Math.random()) * 1_000) / perSecond;
      await pause(Math.max(0, dueAtMs - Date.now()));
      published += 1;
      await sandbox.publish({ title: `Visee ${published}`, price: 1 + (published % 9) });
    }
  })();
  // Errors are thrown by stop().
  running.catch(() => undefined);
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
