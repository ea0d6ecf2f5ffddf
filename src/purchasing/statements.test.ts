import { expect, test } from "vitest";
import type { BuyingRules } from "#domain/buying-rules.ts";
import { sleep } from "#domain/clock.ts";
import { asGroupId } from "#domain/ids.ts";
import type { Filter } from "#domain/market/filter.ts";
import { systemClock } from "#server/clock.ts";
import { openTestStore } from "#verify/testing/test-store.ts";
import { paymentsTaken, startBuyingWorld } from "./buying-world.suite.ts";

const MOVE = "-- MOVE";
const OWN_STATEMENTS = ["-- FACTS", "-- OPEN", MOVE, MOVE];
/** A mark is shared by all purchases of 300 ms; one purchase may span two of them. */
const MARK = "-- Marks purchases as published";
const MAX_MARKS = 2;
/** Each buys once: its pause begins then. */
const FILTERS = 6;
/** Longer than the delay of the publication marks. */
const A_WHILE_MS = 1_300;

/** Every rule, the hours and days being all of them. */
const rules: BuyingRules = {
  dayBudgetEur: 500,
  totalBudgetEur: 500,
  hours: { fromMinute: 0, toMinute: 1_440 },
  days: [1, 2, 3, 4, 5, 6, 7],
  pauseMinutes: 10,
  perSellerAndDay: 50,
  maxFailures: 5,
};

/** The outcome was written, and its purchase was marked after it. */
function isPublished(asked: readonly string[]): boolean {
  const moves = asked.filter((text) => text.startsWith(MOVE));
  const lastOf = (start: string) => asked.findLastIndex((text) => text.startsWith(start));
  return moves.length >= 2 && lastOf(MARK) > lastOf(MOVE);
}

/** A process with a person whose filters, in a group, buy by all kinds of rules. */
async function aProcess(onStatement: (text: string) => void) {
  const world = await startBuyingWorld({ openStore: () => openTestStore({ onStatement }) });
  const lea = await world.person("thunder-lea");
  const filters: Filter[] = [];
  for (let n = 0; n < FILTERS; n += 1)
    filters.push(await world.autobuyFilter(lea, { maxPurchases: 5, rules }));
  const group = { id: asGroupId("group"), userId: lea.id, name: "Robes", maxPurchases: 9, budgetEur: 500 };
  const filterIds = filters.map(({ id }) => id);
  await world.store.groups.add({ ...group, filterIds }, { nowMs: 0, limit: 1 });
  return { world, lea, filters };
}

test("an automatic purchase costs four statements of its own and a share of the marks, whatever rules apply to it", async () => {
  // Periodic statements of an idle process, at whichever interval, are not counted.
  const background = new Set<string>();
  const idle = await aProcess((text) => background.add(text));
  await using _idle = idle.world;
  background.clear();
  const asked: string[] = [];
  const { world, lea, filters } = await aProcess((text) => asked.push(text));
  await using _world = world;
  const buy = async (filter: Filter) => {
    const dress = await world.listing();
    await sleep(systemClock, A_WHILE_MS);
    asked.splice(0);
    world.purchasing().offer([world.wish(lea, filter, dress)]);
    await expect.poll(async () => paymentsTaken(await world.truth(dress))).toBe(1);
    await expect.poll(() => isPublished(asked)).toBe(true);
    // Nothing more follows.
    await sleep(systemClock, A_WHILE_MS);
    const statements = asked.filter((text) => !background.has(text));
    const record = await world.record(lea, dress);
    expect(record).toMatchObject({ state: "confirmed" });
    return { statements, attemptCount: record?.attemptCount };
  };
  // The first purchase also reads the account's orders and obtains an access token.
  const [first, ...others] = filters;
  if (first === undefined) throw new Error("there are no filters");
  let bought = await buy(first);
  for (const filter of others) {
    bought = await buy(filter);
    // On a busy machine a payment may be too late to be sent, which makes a further attempt.
    if (bought.attemptCount === 1) break;
  }
  expect(bought.attemptCount).toBe(1);
  const { statements } = bought;
  const [marks = [], own = []] = [true, false].map((isMark) =>
    statements.filter((text) => text.startsWith(MARK) === isMark),
  );
  expect(own.map((text, n) => text.slice(0, OWN_STATEMENTS[n]?.length ?? 60))).toEqual(OWN_STATEMENTS);
  expect(marks.length).toBeGreaterThan(0);
  expect(marks.length).toBeLessThanOrEqual(MAX_MARKS);
});
