import { expect, test } from "vitest";
import { FrozenFeedDetector } from "./frozen-feed.ts";

const TWO_A_SECOND = 2 / 1_000;

test("a lively market that falls silent is frozen after two minutes, and merely quiet after a quarter of an hour", () => {
  const detector = new FrozenFeedDetector();
  detector.arrived(30, TWO_A_SECOND, 0);
  expect(detector.frozenUntilMs(119_000)).toBeNull();
  expect(detector.frozenUntilMs(121_000)).toBe(900_000);
  expect(detector.frozenUntilMs(900_000)).toBeNull();
  detector.arrived(1, TWO_A_SECOND, 200_000);
  expect(detector.frozenUntilMs(201_000)).toBeNull();
});

test("a market where little ever came is not frozen", () => {
  const rare = new FrozenFeedDetector();
  rare.arrived(5, TWO_A_SECOND, 0);
  expect(rare.frozenUntilMs(300_000)).toBeNull();
  const slow = new FrozenFeedDetector();
  slow.arrived(30, 1 / 30_000, 0);
  expect(slow.frozenUntilMs(600_000)).toBeNull();
  expect(new FrozenFeedDetector().frozenUntilMs(300_000)).toBeNull();
});
