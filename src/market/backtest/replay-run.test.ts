import { expect, test } from "vitest";
import { NO_RULES } from "#domain/buying-rules.ts";
import { type FilterCriteria, openCriteria } from "#domain/market/filter.ts";
import { DEFAULT_LIMITS } from "#domain/settings.ts";
import type { Standing } from "#domain/market/standing.ts";
import { DAY_MS } from "#domain/clock.ts";
import { drawsFor } from "#sandbox/world/draws.ts";
import { Block, encodeBlock } from "../archive/block.ts";
import type { Version, VersionKind } from "../archive/version.ts";
import type { Buyer } from "./replay-purchases.ts";
import { ReplayRun } from "./replay-run.ts";

const SINCE_MS = Date.UTC(2026, 10, 10, 9);
const UNTIL_MS = SINCE_MS + 10 * DAY_MS;
const T_SHIRTS = 221;

/** Up to 20 EUR. */
const criteria: FilterCriteria = { ...openCriteria, categoryIds: [T_SHIRTS], priceCapEur: 20 };

function version(kind: VersionKind, hour: number, changes: Partial<Version> = {}): Version {
  const atMs = SINCE_MS + Math.round(hour * 3_600_000);
  return {
    listingId: 1,
    kind,
    seenAtMs: atMs,
    firstSeenAtMs: atMs,
    newSinceMs: kind === "new" ? atMs : null,
    leafIds: [T_SHIRTS],
    marketplaceColourIds: [],
    brandId: 12,
    conditionId: 2,
    sizeIds: [],
    totalPriceCents: 1_000,
    foldedTitle: "haut",
    sellerHash: 1,
    standing: null,
    isCounted: false,
    isRelist: false,
    ...changes,
  };
}

/** Buys any number. */
const BUYER: Buyer = {
  plan: "thunder",
  limits: { ...DEFAULT_LIMITS, dayEur: 1e9, monthEur: 1e9, purchasesPerDay: 1e9 },
  priceCapEur: 20,
  priceFloorEur: 0,
  bargainPercent: null,
  maxPurchases: null,
  paymentMethodId: 1,
  rules: NO_RULES,
  group: null,
  minPriceDays: 7,
};

/** Versions of one listing, first seen with the first of them. */
function story(...versions: readonly Version[]): readonly Version[] {
  const { seenAtMs: firstSeenAtMs = 0, newSinceMs = null } = versions[0] ?? {};
  return versions.map((one) => ({ ...one, firstSeenAtMs, newSinceMs }));
}

/** Runs over one block per version, newest first, as blocks are read. */
function replay(versions: readonly Version[], sinceMs = SINCE_MS) {
  const run = new ReplayRun({
    criteria,
    sinceMs,
    untilMs: UNTIL_MS,
    blockedSellers: [9],
    relistApartMs: 0,
    buyer: BUYER,
  });
  for (const one of versions.toReversed()) run.take(new Block(encodeBlock([one])));
  return run.finish();
}

const DEAR = { totalPriceCents: 2_001 };
const USUAL: Standing = {
  lowCents: 1_000,
  medianCents: 1_500,
  highCents: 2_000,
  rank: 80,
  sampleSize: 40,
  dayCount: 10,
  basis: "type_brand_condition",
};

/** A price that fell at this hour. */
function later(hour: number): Pick<Version, "kind" | "seenAtMs"> {
  return { kind: "cheaper", seenAtMs: SINCE_MS + hour * 3_600_000 };
}

test("a new listing is an article, and one that fell in price is again", () => {
  expect(replay([version("new", 1)]).ids).toEqual([1]);
  expect(replay(story(version("new", -5), version("cheaper", 1))).ids).toEqual([1]);
  expect(replay([version("new", 1, DEAR)]).ids).toEqual([]);
  expect(replay([version("new", 1, { sellerHash: 9 })]).ids).toEqual([]);
});

test("a listing seen after the period is not included", () => {
  expect(replay([version("new", 240), version("new", 241, { listingId: 2 })]).ids).toEqual([1]);
});

test("an edit is an article only where the filter did not hold the listing before", () => {
  expect(replay(story(version("new", -5), version("changed", 1))).ids).toEqual([]);
  expect(replay(story(version("new", -5, DEAR), version("changed", 1))).ids).toEqual([1]);
  const dearMeanwhile = story(version("new", -5), version("changed", -4, DEAR), version("changed", 1));
  expect(replay(dearMeanwhile).ids).toEqual([1]);
  const dearWithin = story(version("new", -5), version("changed", 1, DEAR), version("changed", 2));
  expect(replay(dearWithin).ids).toEqual([1]);
});

test("a listing first seen later counts as new only if it is certain that it was not on the market before", () => {
  expect(replay([version("past", 1)]).ids).toEqual([]);
  expect(replay([version("past", 1, { newSinceMs: SINCE_MS })]).ids).toEqual([1]);
  expect(replay([version("past", 1, { newSinceMs: SINCE_MS - 1 })]).ids).toEqual([]);
  expect(replay(story(version("past", 1), version("changed", 2))).ids).toEqual([]);
  expect(replay(story(version("past", 1, DEAR), version("changed", 2))).ids).toEqual([1]);
  const atOnce = story(version("past", 1), version("changed", 1));
  expect(replay(atOnce).ids).toEqual([]);
});

test("a listing seen again after it was forgotten counts as new", () => {
  const forgotten = [version("new", -90), ...story(version("past", -5, DEAR), version("changed", 1))];
  expect(replay(forgotten).ids).toEqual([1]);
});

test("only a listing that is new in the period is bought, at any of its versions", () => {
  const known = version("new", -5, DEAR);
  for (const kind of ["cheaper", "changed"] as const)
    expect(replay(story(known, version(kind, 1)))).toMatchObject({ ids: [1], boughtIds: [] });
  const maybeKnown = story(version("past", 1, DEAR), version("cheaper", 2));
  expect(replay(maybeKnown)).toMatchObject({ ids: [1], boughtIds: [], purchases: { count: 0 }, losses: [] });
  expect(replay([version("new", 1, { newSinceMs: SINCE_MS - 1 })]).boughtIds).toEqual([]);
  for (const kind of ["cheaper", "changed"] as const)
    expect(replay(story(version("new", 1, DEAR), version(kind, 2))).boughtIds).toEqual([1]);
  expect(replay([version("past", 1, { newSinceMs: SINCE_MS })]).boughtIds).toEqual([1]);
});

test("an article is reported with the version that made it a match", () => {
  const versions = story(
    version("past", 1),
    version("changed", 2),
    version("cheaper", 3, { totalPriceCents: 900 }),
  );
  expect(replay(versions).cheapest).toMatchObject([
    { seenAtMs: SINCE_MS + 3 * 3_600_000, totalPriceCents: 900 },
  ]);
});

/** Ids found by a filter that ignores relists; listings of one article are posted within half an hour. */
function withoutRelists(versions: readonly Version[]) {
  const run = new ReplayRun({
    criteria: { ...criteria, ignoresRelists: true },
    sinceMs: SINCE_MS,
    untilMs: UNTIL_MS,
    blockedSellers: [],
    relistApartMs: 30 * 60_000,
    buyer: BUYER,
  });
  for (const one of versions.toReversed()) run.take(new Block(encodeBlock([one])));
  return run.finish().ids;
}

/** A listing of the same article as listing 1. */
const again = (listingId: number, hour: number, totalPriceCents = 1_000) =>
  version("new", hour, { listingId, totalPriceCents, isRelist: true });

test("a filter that ignores relists finds those cheaper than all earlier listings of the article", () => {
  const first = version("new", 1);
  expect(withoutRelists([first, again(2, 2)])).toEqual([1]);
  expect(withoutRelists([first, again(2, 2, 999)])).toEqual([1, 2]);
  expect(withoutRelists([first, again(2, 2, 800), again(3, 3, 900), again(4, 4, 799)])).toEqual([1, 2, 4]);
  const dear = version("new", 1, DEAR);
  expect(withoutRelists([dear, again(2, 2)])).toEqual([2]);
  const other = { ...again(2, 2), sellerHash: 3 };
  expect(withoutRelists([first, other])).toEqual([1, 2]);
});

test("a filter that ignores relists leaves out those of articles that were listed before the period", () => {
  const earlier = version("new", -24);
  expect(withoutRelists([earlier, again(2, 2)])).toEqual([]);
  expect(withoutRelists([earlier, again(2, 2, 999)])).toEqual([2]);
});

test("a relist that is ignored is found once its price falls below all earlier ones", () => {
  const first = version("new", 1);
  const relist = again(2, 2, 1_100);
  const later = { isRelist: true, listingId: 2 };
  const fell = story(relist, version("cheaper", 3, { ...later, totalPriceCents: 1_000 }));
  expect(withoutRelists([first, ...fell])).toEqual([1]);
  const under = story(relist, version("cheaper", 3, { ...later, totalPriceCents: 900 }));
  expect(withoutRelists([first, ...under])).toEqual([1, 2]);
});

test("similar articles posted together are no relists of each other", () => {
  expect(withoutRelists([version("new", 1), again(2, 1.25), again(3, 1.6)])).toEqual([1, 2, 3]);
  expect(withoutRelists([version("new", 1), again(2, 1.25), again(3, 1.8)])).toEqual([1, 2]);
});

test("an entry that closes a listing's story is no version of it", () => {
  const closing = version("closing", 3, { brandId: 0, totalPriceCents: 0 });
  const { ids, examinedCount } = replay(story(version("past", 1), closing));
  expect({ ids, examinedCount }).toEqual({ ids: [], examinedCount: 1 });
});

test("the order of blocks makes no difference", () => {
  const draws = drawsFor(7, "stories");
  const versions = Array.from({ length: 300 }, (_, index) => {
    const own = Array.from({ length: draws.whole(1, 5) }, (__, place) =>
      version(
        place === 0 ? draws.pick(["new", "past"]) : draws.pick(["changed", "cheaper"]),
        index / 20 - 5 + place / 7,
        {
          listingId: 100 + index,
          totalPriceCents: draws.pick([900, 2_500]),
        },
      ),
    );
    return story(...own);
  }).flat();
  const answer = replay(versions);
  expect(answer.articleCount).toBeGreaterThan(50);
  expect(replay(versions.toReversed())).toEqual(answer);
  const asOne = new ReplayRun({
    criteria,
    sinceMs: SINCE_MS,
    untilMs: UNTIL_MS,
    blockedSellers: [],
    relistApartMs: 0,
    buyer: BUYER,
  });
  asOne.take(new Block(encodeBlock(versions)));
  expect(asOne.finish()).toEqual(answer);
});

/** Runs over one block of new listings, of which some are bought. */
function replayMany(count: number, changes: Partial<Version> = {}, of: Partial<FilterCriteria> = {}) {
  const versions = Array.from({ length: count }, (_, index) =>
    version("new", 1, {
      listingId: index + 1,
      foldedTitle: `haut ${index}`,
      sellerHash: index + 10,
      ...changes,
    }),
  );
  const run = new ReplayRun({
    criteria: { ...criteria, ...of },
    sinceMs: SINCE_MS,
    untilMs: UNTIL_MS,
    blockedSellers: [],
    relistApartMs: 0,
    buyer: BUYER,
  });
  run.take(new Block(encodeBlock(versions)));
  return run.finish();
}

test("five thousand ids are answered, in order of time, and purchases only among them; all are counted", () => {
  const whole = replayMany(5_000);
  expect(whole).toMatchObject({ articleCount: 5_000, isTruncated: false });
  expect(whole.ids).toHaveLength(5_000);
  const cut = replayMany(5_001);
  expect(cut).toMatchObject({ articleCount: 5_001, purchases: { count: 5_001 }, isTruncated: true });
  expect(cut.ids).toEqual(whole.ids);
  expect(cut.boughtIds).toEqual(cut.ids);
});

test("what one condition alone excludes is counted up to ten thousand, but the lowest price is of all", () => {
  const dear = replayMany(10_001, { totalPriceCents: 2_500 });
  expect(dear).toMatchObject({ examinedCount: 10_001, articleCount: 0, cheapestCents: 2_500 });
  expect(dear.higherLimits.map(({ count }) => count)).toEqual([10_000, 10_000, 10_000]);
  const other = replayMany(10_001, {}, { brandIds: [53] });
  expect(other.without).toEqual([{ condition: "brands", count: 10_000 }]);
  expect(replayMany(9_999, {}, { brandIds: [53] }).without).toEqual([{ condition: "brands", count: 9_999 }]);
});

test("higher limits are above the limit, each once, lowest first, and allowed for a filter", () => {
  const limitsAbove = (priceCapEur: number) =>
    replayMany(1, {}, { priceCapEur }).higherLimits.map(({ limitEur }) => limitEur);
  expect(limitsAbove(10)).toEqual([15, 20, 30]);
  expect(limitsAbove(30)).toEqual([35, 40, 45, 50]);
  expect(limitsAbove(0)).toEqual([5, 10, 20]);
  expect(limitsAbove(99_990)).toEqual([99_995, 100_000]);
});

const PARTLY = [T_SHIRTS, 1_065];

test("a listing that may be in another type is uncertain until one of its versions is an article", () => {
  const uncertain = (...versions: readonly Version[]) => {
    const { uncertainCount, ids } = replay(versions);
    return { uncertainCount, ids };
  };
  const partly = version("new", 1, { leafIds: PARTLY });
  expect(uncertain(partly, version("new", 1, { listingId: 2, leafIds: [1_065] }))).toEqual({
    uncertainCount: 1,
    ids: [],
  });
  // Each counts once, and only if it may be an article.
  const again = story(partly, version("cheaper", 2, { leafIds: PARTLY, totalPriceCents: 900 }));
  expect(uncertain(...again).uncertainCount).toBe(1);
  expect(uncertain({ ...partly, ...DEAR }).uncertainCount).toBe(0);
  expect(uncertain({ ...partly, sellerHash: 9 }).uncertainCount).toBe(0);
  expect(uncertain(version("past", 1, { leafIds: PARTLY })).uncertainCount).toBe(0);
  expect(uncertain(version("new", -5, { leafIds: PARTLY })).uncertainCount).toBe(0);
  const proven = story(partly, version("cheaper", 2, { totalPriceCents: 900 }));
  expect(uncertain(...proven)).toEqual({ uncertainCount: 0, ids: [1] });
});

test("articles that were listed before are counted among the articles", () => {
  const first = version("new", 1);
  const relists = [again(2, 2), again(3, 3), { ...again(4, 4), ...DEAR }];
  expect(replay([first, ...relists])).toMatchObject({ articleCount: 3, relistCount: 2 });
});

test("the fifteen cheapest and dearest articles are shown, with their facts, and which of them were bought", () => {
  const priced = (listingId: number, totalPriceCents: number) =>
    version("new", listingId / 10, { listingId, totalPriceCents, sellerHash: 100 + listingId });
  const known = version("new", -5, { listingId: 50, totalPriceCents: 500 });
  // 20 is the cheapest of those that are new, and 1 the dearest.
  const many = Array.from({ length: 20 }, (_, index) => priced(index + 1, 2_000 - 10 * index));
  const { cheapest, dearest } = replay([...many, ...story(known, { ...known, ...later(3) })]);
  const idsOf = (articles: readonly { readonly listingId: number }[]) =>
    articles.map(({ listingId }) => listingId);
  expect(idsOf(cheapest)).toEqual([50, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7]);
  expect(idsOf(dearest)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
  expect(cheapest.map(({ isBought }) => isBought).slice(0, 2)).toEqual([false, true]);
  const few = replay(many.slice(0, 3));
  expect(idsOf(few.cheapest)).toEqual([3, 2, 1]);
  expect(idsOf(few.dearest)).toEqual([1, 2, 3]);
  const facts = { brandId: 53, conditionId: 6, foldedTitle: "haut bleu", totalPriceCents: 1_234 };
  const standing = { ...USUAL, rank: null, basis: "type_brand" as const };
  const own = version("new", 2, { listingId: 60, sizeIds: [4], standing, ...facts });
  expect(replay([own]).dearest).toMatchObject([
    { listingId: 60, sizeId: 4, standing, seenAtMs: SINCE_MS + 2 * 3_600_000, isBought: true, ...facts },
  ]);
});

test("articles and purchases are counted on their days in Paris, and every day of the period is there", () => {
  const oneEach = (hours: readonly number[]) =>
    hours.map((hour, index) =>
      version("new", hour, { listingId: index + 1, sellerHash: index + 10, foldedTitle: `haut ${index}` }),
    );
  // The period begins at 10:00 in Paris: midnight is 14 hours later.
  const known = version("new", -5, { listingId: 50 });
  const versions = [...oneEach([1, 13.9, 14, 240]), ...story(known, { ...known, ...later(20) })];
  const { days } = replay(versions);
  expect(days).toHaveLength(11);
  expect(days.filter(({ articleCount }) => articleCount > 0)).toEqual([
    { day: "2026-11-10", articleCount: 2, purchaseCount: 2 },
    { day: "2026-11-11", articleCount: 2, purchaseCount: 1 },
    { day: "2026-11-20", articleCount: 1, purchaseCount: 1 },
  ]);
  expect(days.map(({ day }) => day)).toEqual(
    Array.from({ length: 11 }, (_, index) => `2026-11-${10 + index}`),
  );
});
