import { expect, test } from "vitest";
import { Stillness } from "./stillness.ts";

const TWO_A_SECOND = 2 / 1_000;

test("a lively market that falls silent is frozen after two minutes, and merely quiet after a quarter of an hour", () => {
  const stillness = new Stillness();
  stillness.arrived(30, TWO_A_SECOND, 0);
  expect(stillness.frozenUntilMs(119_000)).toBeNull();
  expect(stillness.frozenUntilMs(121_000)).toBe(900_000);
  expect(stillness.frozenUntilMs(900_000)).toBeNull();
  stillness.arrived(1, TWO_A_SECOND, 200_000);
  expect(stillness.frozenUntilMs(201_000)).toBeNull();
});

test("a market where little ever came is not frozen", () => {
  const rare = new Stillness();
  rare.arrived(5, TWO_A_SECOND, 0);
  expect(rare.frozenUntilMs(300_000)).toBeNull();
  const slow = new Stillness();
  slow.arrived(30, 1 / 30_000, 0);
  expect(slow.frozenUntilMs(600_000)).toBeNull();
  expect(new Stillness().frozenUntilMs(300_000)).toBeNull();
});
