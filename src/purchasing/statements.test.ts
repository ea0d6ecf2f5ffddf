import { expect, test } from "vitest";
import { NO_RULES } from "#domain/buying-rules.ts";
import { sleep } from "#domain/clock.ts";
import { asGroupId } from "#domain/ids.ts";
import { systemClock } from "#server/clock.ts";
import { openTestStore } from "#verify/testing/test-store.ts";
import { paymentsTaken, startBuyingWorld } from "./buying-world.suite.ts";

/** FACTS, OPEN, two MOVEs and the publication mark, with one to spare. */
const MAX_STATEMENTS = 6;
/** Longer than the delay of the publication marks. */
const A_WHILE_MS = 1_300;

const rules = { ...NO_RULES, dayBudgetEur: 500, totalBudgetEur: 500, perSellerAndDay: 50, maxFailures: 5 };

/** A process with a person whose filter buys by all kinds of rules. */
async function aProcess(onStatement: (text: string) => void) {
  const world = await startBuyingWorld({ openStore: () => openTestStore({ onStatement }) });
  const lea = await world.person("thunder-lea");
  const filter = await world.autobuyFilter(lea, { maxPurchases: 5, rules });
  const group = { id: asGroupId("group"), userId: lea.id, name: "Robes", maxPurchases: 9, budgetEur: 500 };
  await world.store.groups.add({ ...group, filterIds: [filter.id] }, { nowMs: 0, limit: 1 });
  return { world, lea, filter };
}

test("an automatic purchase costs at most six statements, whatever rules apply to it", async () => {
  // Periodic statements of an idle process, at whichever interval, are not counted.
  const background = new Set<string>();
  const idle = await aProcess((text) => background.add(text));
  await using _idle = idle.world;
  background.clear();
  const asked: string[] = [];
  const { world, lea, filter } = await aProcess((text) => asked.push(text));
  await using _world = world;
  const buy = async (): Promise<readonly string[]> => {
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
  await buy();
  const statements = await buy();
  expect(statements.length, statements.map((text) => text.slice(0, 60)).join("\n")).toBeLessThanOrEqual(
    MAX_STATEMENTS,
  );
  // No statement of a purchase may be excluded as periodic.
  for (const own of ["-- FACTS", "-- OPEN", "-- MOVE"])
    expect(
      statements.some((text) => text.startsWith(own)),
      own,
    ).toBe(true);
});
