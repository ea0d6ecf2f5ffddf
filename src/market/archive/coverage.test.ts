import { expect, test } from "vitest";
import { openCriteria } from "#domain/market/filter.ts";
import { MINUTE_MS } from "#domain/clock.ts";
import { compileFilter } from "#matching/compile-filter.ts";
import type { CoveredLeaves, DayCoverage } from "#store/market-store.ts";
import { coverageOf } from "./coverage.ts";

const DRESS_LEAF = 1_065;

const part = (changes: Partial<CoveredLeaves> = {}): CoveredLeaves => ({
  colourId: 0,
  leafIds: [DRESS_LEAF],
  firstMinute: 100,
  lastMinute: 200,
  isExample: false,
  ...changes,
});
const dresses = compileFilter({ ...openCriteria, categoryIds: [DRESS_LEAF], priceCapEur: 50 });

test("a filter is covered on the days on which everything that it asks for was read", () => {
  const days = [
    { day: "2026-11-02", coverage: [part({ leafIds: [1], firstMinute: 10 })] },
    { day: "2026-11-03", coverage: [part({ firstMinute: 50 })] },
    { day: "2026-11-04", coverage: [part()] },
  ];
  expect(coverageOf(dresses, days)).toEqual({ sinceMs: 50 * MINUTE_MS, dayCount: 2, exampleUntil: null });
  expect(coverageOf(dresses, [])).toEqual({ sinceMs: null, dayCount: 0, exampleUntil: null });
});

test("readings of the whole market, which prove no type, cover only filters without types", () => {
  const whole = [{ day: "2026-11-04", coverage: [part({ leafIds: [0] })] }];
  expect(coverageOf(dresses, whole)).toMatchObject({ sinceMs: null, dayCount: 0 });
  const open = compileFilter({ ...openCriteria, priceCapEur: 50 });
  expect(coverageOf(open, whole)).toMatchObject({ dayCount: 1 });
  const red = compileFilter({ ...openCriteria, colourName: "Red", priceCapEur: 50 });
  expect(coverageOf(red, whole)).toMatchObject({ dayCount: 0 });
});

test("a type that was read in any colour and the whole market in a colour together cover the type in that colour", () => {
  const red = compileFilter({
    ...openCriteria,
    categoryIds: [DRESS_LEAF],
    colourName: "Red",
    priceCapEur: 50,
  });
  const [colourId = 0] = red?.marketplaceColourIds ?? [];
  const days = (...coverage: DayCoverage) => [{ day: "2026-11-04", coverage }];
  const wholeInRed = part({ colourId, leafIds: [0], firstMinute: 130 });
  expect(coverageOf(red, days(wholeInRed, part()))).toMatchObject({ sinceMs: 130 * MINUTE_MS, dayCount: 1 });
  expect(coverageOf(red, days(wholeInRed))).toMatchObject({ dayCount: 0 });
  expect(coverageOf(red, days(part()))).toMatchObject({ dayCount: 0 });
});

test("example history covers every filter, and reports its last day", () => {
  const madeUp = [part({ leafIds: [0], isExample: true })];
  const days = [
    { day: "2026-11-02", coverage: madeUp },
    { day: "2026-11-03", coverage: madeUp },
    { day: "2026-11-04", coverage: [part()] },
  ];
  expect(coverageOf(dresses, days)).toMatchObject({ dayCount: 3, exampleUntil: "2026-11-03" });
});
