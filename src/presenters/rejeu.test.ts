import { expect, test } from "vitest";
import type { Replay } from "#domain/market/replay.ts";
import { presentRejeu } from "./rejeu.ts";

const EMPTY: Replay = {
  examinedCount: 0,
  articleCount: 0,
  relistCount: 0,
  uncertainCount: 0,
  purchases: null,
  losses: [],
  days: [],
  cheapest: [],
  dearest: [],
  without: [],
  cheapestCents: null,
  higherLimits: [],
  ids: [],
  boughtIds: [],
  isTruncated: false,
};

function purchasesOf(count: number, attempts: { readonly won: number; readonly lost: number }) {
  const purchases = { count, totalCents: 0, savedCents: 0, comparedCount: 0 };
  return presentRejeu({
    replay: { ...EMPTY, purchases },
    coverage: { sinceMs: null, dayCount: 0, exampleUntil: null },
    attempts,
    durationMs: 0,
    marketUrl: "https://market.example",
  }).achats;
}

/** The bounds are those of Wilson's score interval at 90 %, computed by hand from won ÷ (won + lost). */
test.each([
  { count: 14, won: 20, lost: 14, fourchette: { min: 6, max: 11 } }, // 44.8 to 71.5 % of 14
  { count: 100, won: 20, lost: 14, fourchette: { min: 44, max: 72 } },
  { count: 100, won: 10, lost: 10, fourchette: { min: 32, max: 68 } }, // 32.7 to 67.3 %
  { count: 100, won: 1_000, lost: 1_000, fourchette: { min: 48, max: 52 } },
  { count: 10, won: 20, lost: 0, fourchette: { min: 8, max: 10 } },
  { count: 10, won: 0, lost: 20, fourchette: { min: 0, max: 2 } },
  { count: 0, won: 20, lost: 14, fourchette: { min: 0, max: 0 } },
  { count: 14, won: 19, lost: 0, fourchette: null },
  { count: 14, won: 0, lost: 19, fourchette: null },
  { count: 14, won: 0, lost: 0, fourchette: null },
])(
  "of $count purchases, after $won successful attempts and $lost late ones, $fourchette are expected",
  ({ count, won, lost, fourchette }) => {
    expect(purchasesOf(count, { won, lost })).toMatchObject({ fourchette, tentatives: won + lost });
  },
);
