import { expect, test } from "vitest";
import type { RequestLane } from "#marketplace/request-budget.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createSharedBudget } from "./shared-pace.ts";

const RATES = {
  read: { perSecond: 1, burst: 1 },
  buy: { perSecond: 10, burst: 1 },
  look_up: { perSecond: 0.5, burst: 1 },
};

/** A budget whose Redis gives this answer, and the number of calls that it let through. */
function budgetAnswering(answer: () => Promise<number>, lane: RequestLane = "read") {
  const clock = new FakeClock();
  const budget = createSharedBudget(clock, { take: answer }, RATES);
  let leftCount = 0;
  return {
    clock,
    take: () => void budget.take(lane).then(() => (leftCount += 1)),
    left: () => leftCount,
  };
}

test("a request waits as long as Redis says", async () => {
  const { clock, take, left } = budgetAnswering(async () => 2_500.5);
  take();
  await clock.advance(2_500);
  expect(left()).toBe(0);
  await clock.advance(1);
  expect(left()).toBe(1);
});

test("without an answer from Redis a node keeps a small share of the budget and does not stop", async () => {
  const { clock, take, left } = budgetAnswering(() => Promise.reject(new Error("Redis is gone")));
  for (let turn = 0; turn < 3; turn += 1) take();
  await clock.advance(1);
  expect(left()).toBe(1);
  // A tenth of one call per second.
  await clock.advance(9_000);
  expect(left()).toBe(1);
  await clock.advance(11_000);
  expect(left()).toBe(3);
});

test("without Redis, look-ups keep their share of what the node may read", async () => {
  const { clock, take, left } = budgetAnswering(() => Promise.reject(new Error("Redis is gone")), "look_up");
  for (let turn = 0; turn < 2; turn += 1) take();
  await clock.advance(1);
  expect(left()).toBe(1);
  // A tenth of one call in two seconds.
  await clock.advance(19_998);
  expect(left()).toBe(1);
  await clock.advance(11_000);
  expect(left()).toBe(2);
});
