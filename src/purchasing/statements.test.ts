import { expect, test } from "vitest";
import type { BuyingRules } from "#domain/buying-rules.ts";
import { sleep } from "#domain/clock.ts";
import { asGroupId } from "#domain/ids.ts";
import type { Filter } from "#domain/market/filter.ts";
import { systemClock } from "#server/clock.ts";
import { openTestStore } from "#verify/testing/test-store.ts";
import { paymentsTaken, startBuyingWorld } from "./buying-world.suite.ts";

const OWN_STATEMENTS = ["-- FACTS", "-- OPEN", "-- MOVE", "-- MOVE"];
/** A mark is shared by all purchases of 300 ms; one purchase may span two of them. */
const MARK = "-- Marks purchases as published";
const MAX_MARKS = 2;
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

/** A process with a person whose filters, in a group, buy by all kinds of rules. */
async function aProcess(onStatement: (text: string) => void) {
  const world = await startBuyingWorld({ openStore: () => openTestStore({ onStatement }) });
  const lea = await world.person("thunder-lea");
  const addFilter = () => world.autobuyFilter(lea, { maxPurchases: 5, rules });
  const filters = { first: await addFilter(), second: await addFilter() };
  const group = { id: asGroupId("group"), userId: lea.id, name: "Robes", maxPurchases: 9, budgetEur: 500 };
  const filterIds = Object.values(filters).map(({ id }) => id);
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
  const buy = async (filter: Filter): Promise<readonly string[]> => {
    const dress = await world.listing();
    await sleep(systemClock, A_WHILE_MS);
    asked.splice(0);
    world.purchasing().offer([world.wish(lea, filter, dress)]);
    await expect.poll(async () => paymentsTaken(await world.truth(dress))).toBe(1);
    await sleep(systemClock, A_WHILE_MS);
    const statements = asked.filter((text) => !background.has(text));
    expect(await world.record(lea, dress)).toMatchObject({ state: "confirmed" });
    return statements;
  };
  // The first purchase also reads the account's orders and obtains an access token.
  await buy(filters.first);
  // The pause of the first filter has begun.
  const statements = await buy(filters.second);
  const [marks = [], own = []] = [true, false].map((isMark) =>
    statements.filter((text) => text.startsWith(MARK) === isMark),
  );
  expect(own.map((text, n) => text.slice(0, OWN_STATEMENTS[n]?.length ?? 60))).toEqual(OWN_STATEMENTS);
  expect(marks.length).toBeGreaterThan(0);
  expect(marks.length).toBeLessThanOrEqual(MAX_MARKS);
});
