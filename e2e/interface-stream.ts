/** The page's response time to input while listings arrive at a high rate, and its memory use. */
import { setTimeout as pause } from "node:timers/promises";
import type { Browser, CDPSession, Page } from "@playwright/test";
import { z } from "zod";
import { signInAt } from "../verify/testing/person.ts";
import { FRENCH, takeSession } from "./browser.ts";
import type { Figure } from "./interface-figures.ts";
import type { Product } from "./product.ts";

const LEAF = 221;
const CARDS = 5_000;
const MANY_CARDS = 20_000;
/** From here on new listings are held, as while a person reads or aims: more than the limit of held ones. */
const HELD_FROM = 12_500;
/** The maximum of one control call. */
const BATCH = 500;
/** On a busy machine a batch may take a minute; a lost one never arrives. */
const BATCH_DEADLINE_MS = 240_000;
const NEW_PER_SECOND = 50;
const ROUNDS = 6;
/** Objects freed by one pass (nodes, observer entries) may hold others that only the next can free. */
const GARBAGE_PASSES = 4;
const INTERACTION_BAR_MS = 100;
/** The permitted growth of memory with four times as many listings: the list itself is bounded. */
const GROWTH_BAR_PERCENT = 25;

/** Runs in the page: records every interaction longer than a frame, and every long task. */
const WATCH_INTERACTIONS = `
  globalThis.watched = { events: [], tasks: [] };
  const nameOf = (target) =>
    (target?.ariaLabel || (target?.matches?.("button, a") && target.textContent) || target?.nodeName || "").slice(0, 24);
  new PerformanceObserver((list) => {
    for (const { name, interactionId, startTime, duration, processingStart, processingEnd, target } of list.getEntries())
      if (interactionId > 0)
        watched.events.push({ name, on: nameOf(target?.closest?.("button, a, input, [role]") ?? target),
          id: interactionId, duration, input: processingStart - startTime,
          handlers: processingEnd - processingStart, drawing: startTime + duration - processingEnd });
  }).observe({ type: "event", durationThreshold: 16, buffered: true });
  new PerformanceObserver((list) => {
    for (const { duration, scripts } of list.getEntries())
      watched.tasks.push({ duration, scripts: scripts.map((script) => ({
        name: (script.invoker || script.sourceFunctionName || script.invokerType).slice(-60), duration: script.duration })) });
  }).observe({ type: "long-animation-frame", buffered: true });
`;

/** Runs in the page: the position of the first buy button. */
const FIRST_TO_BUY = `(() => {
  const button = [...document.querySelectorAll("article button")].find((each) => each.textContent === "Acheter");
  const { left, top, width, height } = button.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2 };
})()`;
const place = z.object({ x: z.number(), y: z.number() });

const watched = z.object({
  events: z.array(
    z.object({
      name: z.string(),
      on: z.string(),
      id: z.number(),
      duration: z.number(),
      input: z.number(),
      handlers: z.number(),
      drawing: z.number(),
    }),
  ),
  tasks: z.array(
    z.object({
      duration: z.number(),
      scripts: z.array(z.object({ name: z.string(), duration: z.number() })),
    }),
  ),
});
type Watched = z.infer<typeof watched>;

interface Stage {
  readonly browser: Browser;
  readonly product: Product;
}

export async function streamFigures({ browser, product }: Stage): Promise<readonly Figure[]> {
  const person = await signInAt(product.url, "seeker-mesure");
  await person.call("addFilter", { tag: "Tout", types: { ids: [LEAF] }, limit: 500 });
  await person.call("addFilter", { tag: "Rien", types: { ids: [LEAF] }, limit: 0 });
  const context = await browser.newContext({ ...FRENCH, viewport: { width: 1_440, height: 900 } });
  try {
    await takeSession(context, person);
    const page = await context.newPage();
    const arrivals = countArrivals(page);
    await page.addInitScript(WATCH_INTERACTIONS);
    await page.goto(`${product.url}/synapse/articles`);
    await page.getByRole("heading", { name: "Produits" }).waitFor();
    const devtools = await context.newCDPSession(page);

    await publishUpTo(product, arrivals, CARDS);
    const restMs = await interactionsOf(page);
    const stream = startStream(product);
    const liveMs = await interactionsOf(page);
    await stream.stop();
    const arrived = stream.published();
    await pointAtNothing(page);
    const heapAfterFew = await heapOf(devtools);
    await publishUpTo(product, arrivals, HELD_FROM);
    await pointAtFirstToBuy(page);
    await publishUpTo(product, arrivals, MANY_CARDS);
    const heapAfterMany = await heapOf(devtools);
    return [
      interactionFigure(`${CARDS} cards, nothing new`, restMs),
      interactionFigure(`${CARDS} cards, ${arrived} new at ${NEW_PER_SECOND}/s`, liveMs),
      {
        name: `memory after ${MANY_CARDS} cards, ${MANY_CARDS - HELD_FROM} held, over ${CARDS}`,
        value: (heapAfterMany.mb / heapAfterFew.mb - 1) * 100,
        unit: "%",
        bar: { atMost: GROWTH_BAR_PERCENT },
        details: [
          `${heapAfterFew.mb.toFixed(1)} MB and ${heapAfterFew.nodes} nodes, then ${heapAfterMany.mb.toFixed(1)} MB and ${heapAfterMany.nodes} nodes`,
        ],
      },
    ];
  } finally {
    await context.close();
  }
}

let publishedCount = 0;

interface ArrivalCounter {
  count(): number;
  /** Describes the listings that have not arrived: their count, first and last. */
  missing(): string;
}

/** Counts this run's listings in the page's connection, because the list is only partly rendered. */
function countArrivals(page: Page): ArrivalCounter {
  const numbers = new Set<number>();
  const read = (text: string): void => {
    for (const [, number] of text.matchAll(/Mesure (\d+) fin/gu)) numbers.add(Number(number));
  };
  page.on("websocket", (socket) => {
    socket.on("framereceived", ({ payload }) => read(String(payload)));
  });
  // After a reconnection the page may use long polling for a while.
  page.on("response", (response) => {
    if (response.url().includes("/socket.io/")) void response.text().then(read, () => undefined);
  });
  return {
    count: () => numbers.size,
    missing() {
      const absent = Array.from({ length: publishedCount }, (_, number) => number).filter(
        (number) => !numbers.has(number),
      );
      return `${absent.length} are missing, from ${absent[0]} to ${absent.at(-1)}`;
    },
  };
}

/** Publishes up to this total and waits for the arrival of each batch, so that none is lost. */
async function publishUpTo(product: Product, arrivals: ArrivalCounter, upTo: number): Promise<void> {
  while (publishedCount < upTo) {
    await publish(product, Math.min(BATCH, upTo - publishedCount));
    const deadlineMs = Date.now() + BATCH_DEADLINE_MS;
    while (arrivals.count() < publishedCount) {
      if (Date.now() > deadlineMs) throw new Error(`of ${publishedCount} listings ${arrivals.missing()}`);
      await pause(100);
    }
  }
}

async function publish({ sandbox }: Product, count: number): Promise<void> {
  const listings = Array.from({ length: count }, (_, index) => ({
    title: `Mesure ${publishedCount + index} fin`,
    price: 5 + (index % 40),
    catalog_id: LEAF,
  }));
  publishedCount += count;
  await sandbox.publish(listings);
}

function startStream(product: Product): { stop(): Promise<void>; published(): number } {
  const before = publishedCount;
  const stopping = new AbortController();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      const beganAtMs = Date.now();
      await publish(product, NEW_PER_SECOND / 5);
      await pause(Math.max(0, beganAtMs + 200 - Date.now()));
    }
  })();
  // Errors are thrown by stop() instead of ending the process with its product left behind.
  running.catch(() => undefined);
  return {
    published: () => publishedCount - before,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** Simulated use: chips, layouts, purchases, keys, scrolling, back to the top, a letter in the search. */
async function interactionsOf(page: Page): Promise<Watched> {
  await page.evaluate("watched.events.length = 0; watched.tasks.length = 0");
  for (let round = 0; round < ROUNDS; round += 1) {
    await page.getByRole("button", { name: "Rien" }).click();
    await pause(250);
    await page.getByRole("button", { name: "Liste" }).click();
    await pause(250);
    await page.getByRole("button", { name: "Grille" }).click();
    await pause(250);
    await buy(page);
    await pause(250);
    await page.getByRole("button", { name: "Filtres", exact: true }).click();
    await pause(150);
    await page.getByRole("button", { name: "Filtres", exact: true }).click();
    await page.keyboard.press("j");
    await pause(100);
    await page.keyboard.press("j");
    await page.mouse.move(700, 600);
    for (let turn = 0; turn < 10; turn += 1) {
      await page.mouse.wheel(0, 900);
      await pause(40);
    }
    await page.keyboard.press("Home");
    await pause(400);
    await page.keyboard.press("/");
    await page.keyboard.press("m");
    await pause(150);
    await page.keyboard.press("Backspace");
    await pause(250);
  }
  return watched.parse(await page.evaluate("watched"));
}

/** Like a person: the pointer moves to the button, which pauses the list, and presses after a while. */
async function buy(page: Page): Promise<void> {
  await pointAtFirstToBuy(page);
  await pause(600);
  await page.mouse.down();
  await page.mouse.up();
}

async function pointAtFirstToBuy(page: Page): Promise<void> {
  const { x, y } = place.parse(await page.evaluate(FIRST_TO_BUY));
  await page.mouse.move(x, y, { steps: 6 });
}

/** Releases held listings and waits until they are rendered. */
async function pointAtNothing(page: Page): Promise<void> {
  await page.mouse.move(2, 2);
  await page.evaluate("document.activeElement?.blur()");
  await pause(6_000);
}

/** The longest interaction, which is the INP of so short a visit, and where its time went. */
function interactionFigure(when: string, { events, tasks }: Watched): Figure {
  const byLength = events.toSorted((a, b) => b.duration - a.duration);
  const interactions = new Set(events.map(({ id }) => id)).size;
  const scripts = new Map<string, number>();
  for (const { name, duration } of tasks.flatMap((task) => task.scripts))
    scripts.set(name, (scripts.get(name) ?? 0) + duration);
  const heaviest = [...scripts].toSorted(([, a], [, b]) => b - a).slice(0, 4);
  return {
    name: `interaction to next paint, ${when}`,
    value: byLength[0]?.duration ?? 0,
    unit: "ms",
    bar: { atMost: INTERACTION_BAR_MS },
    details: [
      `${interactions} interactions longer than a frame; ${tasks.length} long frames, the longest ${Math.round(Math.max(0, ...tasks.map(({ duration }) => duration)))} ms`,
      ...byLength
        .slice(0, 3)
        .map(
          ({ name, on, duration, input, handlers, drawing }) =>
            `${name} on "${on}" ${duration} ms: waited ${Math.round(input)}, handled ${Math.round(handlers)}, drew ${Math.round(drawing)}`,
        ),
      ...heaviest.map(([name, duration]) => `in long frames: ${Math.round(duration)} ms ${name}`),
    ],
  };
}

async function heapOf(devtools: CDPSession): Promise<{ readonly mb: number; readonly nodes: number }> {
  for (let pass = 0; pass < GARBAGE_PASSES; pass += 1) {
    await devtools.send("HeapProfiler.collectGarbage");
    await pause(300);
  }
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  const { nodes } = await devtools.send("Memory.getDOMCounters");
  return { mb: usedSize / 1_000_000, nodes };
}
