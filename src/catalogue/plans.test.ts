import { expect, test } from "vitest";
import { autobuyLabel, planByKey, plans } from "./plans.ts";

test("the plans cost 0, 20, 60 and 100 EUR and give the levels 0, 1, 1 and 2", () => {
  expect(
    plans.map(({ key, priceEur, level, hasAutobuy, lane }) => [key, priceEur, level, hasAutobuy, lane]),
  ).toEqual([
    ["none", 0, 0, false, null],
    ["seeker", 20, 1, false, "click"],
    ["acquire", 60, 1, true, "acquire"],
    ["thunder", 100, 2, true, "thunder"],
  ]);
});

test("only Acquire is marked most popular", () => {
  expect(plans.filter(({ isMostPopular }) => isMostPopular).map(({ key }) => key)).toEqual(["acquire"]);
});

test("a plan that buys by itself says so among its features", () => {
  for (const { hasAutobuy, features } of plans) {
    expect(features.some(({ label, isIncluded }) => label === "Acquire" && isIncluded)).toBe(hasAutobuy);
  }
  expect(
    planByKey("seeker")
      .features.filter(({ isIncluded }) => !isIncluded)
      .map(({ label }) => label),
  ).toEqual(["Acquire", "Thunder"]);
});

test("auto-buy is called Acquire at level 1, Thunder from level 2, nothing below", () => {
  expect([0, 1, 2, 3].map(autobuyLabel)).toEqual([null, "Acquire", "Thunder", "Thunder"]);
});
