import { expect, test } from "vitest";
import { NO_RULES } from "#domain/buying-rules.ts";
import { asGroupId } from "#domain/ids.ts";
import { DEFAULT_LIMITS } from "#domain/settings.ts";
import type { Standing } from "#domain/market/standing.ts";
import { HOUR_MS } from "#domain/clock.ts";
import { type Article, type Buyer, buyInOrder } from "./replay-purchases.ts";

/** 22:00 in Paris. */
const EVENING_MS = Date.UTC(2026, 10, 20, 21);

const buyer: Buyer = {
  plan: "thunder",
  limits: { ...DEFAULT_LIMITS, dayEur: 1_000, monthEur: 10_000, purchasesPerDay: 100 },
  priceCapEur: 100,
  bargainPercent: null,
  maxPurchases: null,
  paymentMethodId: 1,
  priceFloorEur: 0,
  rules: NO_RULES,
  group: null,
  minPriceDays: 7,
};

const known: Standing = {
  lowCents: 3_000,
  medianCents: 4_000,
  highCents: 5_000,
  rank: 95,
  sampleSize: 20,
  dayCount: 7,
  basis: "type_brand_condition",
};

function article(listingId: number, changes: Partial<Article> = {}): Article {
  return {
    listingId,
    seenAtMs: EVENING_MS + listingId,
    firstSeenAtMs: EVENING_MS + listingId,
    brandId: 12,
    conditionId: 2,
    sizeId: 0,
    totalPriceCents: 2_000,
    foldedTitle: `haut ${listingId}`,
    standing: known,
    isNew: true,
    isRelist: false,
    sellerHash: listingId,
    ...changes,
  };
}

const bought = (articles: readonly Article[], changes: Partial<Buyer> = {}) => {
  const { ids, losses } = buyInOrder(articles, { ...buyer, ...changes });
  return { ids: [...ids], losses };
};

test("limits count by the days and months of Paris, with the delivery", () => {
  const four = [0, 1, 2, 3].map((hour) => article(hour + 1, { seenAtMs: EVENING_MS + hour * HOUR_MS }));
  // 23 EUR each: two in the evening, then midnight in Paris, an hour before midnight UTC.
  const limits = { ...buyer.limits, dayEur: 46 };
  expect(bought(four, { limits })).toEqual({ ids: [1, 2, 3, 4], losses: [] });
  const early = four.map((one) => ({ ...one, seenAtMs: one.seenAtMs - HOUR_MS }));
  expect(bought(early, { limits })).toEqual({ ids: [1, 2, 4], losses: [{ cause: "limit_day", count: 1 }] });
  const monthly = { ...buyer.limits, monthEur: 50 };
  expect(bought(four, { limits: monthly })).toEqual({
    ids: [1, 2],
    losses: [{ cause: "limit_month", count: 2 }],
  });
});

const group = { id: asGroupId("group"), maxPurchases: 5, budgetEur: null };
const MORNING = { fromMinute: 480, toMinute: 720 };
const oneRule = [{ cause: "rule" as const, count: 1 }];

test.each<[string, Partial<Buyer>, ReturnType<typeof bought>]>([
  [
    "a budget per day, with the delivery",
    { rules: { ...NO_RULES, dayBudgetEur: 45 } },
    { ids: [1], losses: oneRule },
  ],
  [
    "a budget in all, with the delivery",
    { rules: { ...NO_RULES, totalBudgetEur: 45 } },
    { ids: [1], losses: oneRule },
  ],
  [
    "budgets that suffice",
    { rules: { ...NO_RULES, totalBudgetEur: 46, dayBudgetEur: 46 } },
    { ids: [1, 2], losses: [] },
  ],
  [
    "a group's budget, with the delivery",
    { group: { ...group, budgetEur: 45 } },
    { ids: [1], losses: oneRule },
  ],
  ["a group's count", { group: { ...group, maxPurchases: 1 } }, { ids: [1], losses: oneRule }],
  ["a filter's count", { maxPurchases: 1 }, { ids: [1], losses: [{ cause: "filter_full", count: 1 }] }],
  [
    "purchases per day",
    { limits: { ...buyer.limits, purchasesPerDay: 1 } },
    { ids: [1], losses: [{ cause: "limit_count", count: 1 }] },
  ],
  [
    "hours that ended",
    { rules: { ...NO_RULES, hours: MORNING } },
    { ids: [], losses: [{ cause: "rule", count: 2 }] },
  ],
  ["a pause between purchases", { rules: { ...NO_RULES, pauseMinutes: 5 } }, { ids: [1], losses: oneRule }],
])("a run is bound by %s", (_, changes, result) => {
  // 23 EUR each with the delivery, within a second.
  expect(bought([article(1), article(2)], changes)).toEqual(result);
});

test("a run buys at most the rules' number from one seller a day", () => {
  const rules = { ...NO_RULES, perSellerAndDay: 1 };
  const ofOne = [1, 2].map((id) => article(id, { sellerHash: 7 }));
  expect(bought(ofOne, { rules })).toEqual({ ids: [1], losses: oneRule });
  const nextDay = article(3, { sellerHash: 7, seenAtMs: EVENING_MS + 3 * HOUR_MS });
  expect(bought([...ofOne, nextDay], { rules }).ids).toEqual([1, 3]);
  // What was decided for one seller does not hold for the next.
  const others = [...ofOne, article(4), article(5, { sellerHash: 7 }), article(6)];
  expect(bought(others, { rules }).ids).toEqual([1, 4, 6]);
});

test("what the run bought is not bought again when it is offered again", () => {
  const again = article(2, { foldedTitle: "haut 1", sellerHash: 1, isRelist: true });
  expect(bought([article(1), again])).toEqual({ ids: [1], losses: [{ cause: "relist", count: 1 }] });
  const dear = article(1, { totalPriceCents: 10_001 });
  expect(bought([dear, again]).ids).toEqual([2]);
});

test("a price that is not well known, or too good to be true, is not bought", () => {
  const few = article(1, { standing: { ...known, sampleSize: 19 } });
  const young = article(2, { standing: { ...known, dayCount: 6 } });
  const good = article(3);
  const unsure = [{ cause: "price_unsure", count: 2 }];
  expect(bought([few, young, good], { bargainPercent: 10 })).toEqual({ ids: [3], losses: unsure });
  expect(bought([few, young, good]).ids).toEqual([1, 2, 3]);
  const tooGood = article(4, { totalPriceCents: 599 });
  expect(bought([tooGood])).toEqual({ ids: [], losses: [{ cause: "too_good", count: 1 }] });
  expect(bought([tooGood], { limits: { ...buyer.limits, isPrudent: false } }).ids).toEqual([4]);
});

test("a run sums prices without delivery, and what was saved or overpaid where the usual price is known", () => {
  const usual = (listingId: number, medianCents: number) =>
    article(listingId, { standing: { ...known, medianCents } });
  const run = (...articles: readonly Article[]) => buyInOrder(articles, buyer).purchases;
  const [below, above, unknown] = [usual(1, 4_000), usual(2, 1_500), article(3, { standing: null })];
  expect(run(below, above, unknown)).toEqual({
    count: 3,
    totalCents: 6_000,
    savedCents: 2_000 - 500,
    comparedCount: 2,
  });
  expect(run(above)).toMatchObject({ savedCents: -500, comparedCount: 1 });
  expect(run(unknown)).toEqual({ count: 1, totalCents: 2_000, savedCents: 0, comparedCount: 0 });
});

test("a run buys although all automatic buying is stopped", () => {
  expect(bought([article(1)], { limits: { ...buyer.limits, isStopped: true } })).toEqual({
    ids: [1],
    losses: [],
  });
});
