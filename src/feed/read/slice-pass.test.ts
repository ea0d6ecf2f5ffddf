import * as fc from "fast-check";
import { expect, test } from "vitest";
import { asListingId } from "#domain/ids.ts";
import { SCOUT_SLICE } from "../schedule/slice.ts";
import { raise, Reading, readOnce, STOCK } from "./slice-reading.suite.ts";

test("nothing of the first reading is certainly new", async () => {
  const reading = new Reading();
  reading.market.publishMany(5, { photoTakenAtUnixS: 1 });
  await reading.pass();
  expect(reading.news.map(({ kind }) => kind)).toEqual(["past", "past", "past", "past", "past"]);
  expect(reading.state.mark?.highestListingId).toBe(1_004);
});

test("listings that appear after a reading are new, published once, oldest first", async () => {
  const reading = new Reading();
  reading.market.publish();
  await reading.pass();
  const sentAtMs = reading.state.mark?.sentAtMs;
  const [first, second] = reading.market.publishMany(2);
  await reading.pass();
  await reading.pass();
  expect(reading.newsIds.slice(1)).toEqual([first, second]);
  expect(reading.news[1]).toMatchObject({ kind: "new", before: null, entry: { appearedAfterMs: sentAtMs } });
});

test("what the scout alone sees is not published, so it is neither archived nor remembered", async () => {
  const reading = new Reading(SCOUT_SLICE);
  reading.market.publish();
  await reading.pass();
  const id = reading.market.publish();
  expect(await reading.pass()).toBe("read");
  expect(reading.market.requests).toHaveLength(2);
  expect(reading.published).toEqual([]);
  expect(reading.memory.get(id)).toBeUndefined();
});

test("a listing that another slice showed during the request is no overlap", async () => {
  for (const isBelow of [false, true]) {
    const reading = new Reading();
    const { clock, market } = reading;
    market.publishMany(STOCK);
    await reading.pass();
    const burst = market.publishMany(100);
    burst.forEach((id) => market.hide(id));
    if (isBelow) market.publish();
    reading.beforeArrival = async () => {
      await clock.advance(20);
      burst.forEach((id) => market.show(id));
      await reading.readWholeMarket();
      await clock.advance(20);
    };
    await reading.pass();
    reading.beforeArrival = async () => undefined;
    await reading.pass();
    await reading.pass();
    expect(burst.filter((id) => reading.memory.get(id) === undefined)).toEqual([]);
  }
});

test("old stock that moves up as others are sold is not new", async () => {
  const reading = new Reading();
  const stock = reading.market.publishMany(200, { photoTakenAtUnixS: 1 });
  await reading.pass();
  stock.slice(-10).forEach((id) => reading.market.sell(id));
  await reading.pass();
  expect(reading.news.slice(96).map(({ kind }) => kind)).toEqual(Array.from({ length: 10 }, () => "past"));
});

const OLD = { photoTakenAtUnixS: 1 };

test("old stock that appears above a promoted listing, or one that another slice showed, is not new", async () => {
  for (const isPromotion of [true, false]) {
    const reading = new Reading();
    const deep = reading.market.publish(OLD);
    if (!isPromotion) await reading.readWholeMarket();
    const stock = reading.market.publishMany(110, OLD);
    if (isPromotion) reading.market.promoted = deep;
    await reading.pass();
    reading.market.promoted = null;
    stock.slice(-20).forEach((id) => reading.market.sell(id));
    await reading.pass();
    expect(reading.news.map(({ kind }) => kind)).not.toContain("new");
  }
});

test("old stock above a known listing that is on the page twice is not new", async () => {
  const reading = new Reading();
  const stock = reading.market.publishMany(200, OLD);
  await reading.pass();
  stock.slice(-10).forEach((id) => reading.market.sell(id));
  reading.answerWith((page) => ({ ...page, listings: [...page.listings, page.listings[3] ?? raise()] }));
  await reading.pass();
  expect(reading.news.map(({ kind }) => kind)).not.toContain("new");
});

test("a listing that was not seen for more than a day is not new when it returns", async () => {
  const reading = new Reading();
  const [, reserved = raise()] = reading.market.publishMany(3, OLD);
  await reading.pass();
  reading.market.hide(reserved);
  for (let hour = 0; hour < 26; hour += 1) {
    await reading.clock.advance(3_600_000);
    await reading.pass();
  }
  reading.market.show(reserved);
  await reading.pass();
  expect(reading.newsOf(reserved).map(({ kind }) => kind)).toEqual(["past", "past"]);
});

test("a burst that appears late, below an earlier one, is published completely", async () => {
  const reading = await readOnce();
  const burst = reading.market.publishMany(200);
  burst.forEach((id) => reading.market.hide(id));
  reading.market.publish();
  await reading.pass();
  burst.forEach((id) => reading.market.show(id));
  for (let round = 0; round < 3; round += 1) await reading.pass();
  expect(reading.newsIds).toEqual(expect.arrayContaining([...burst]));
});

test("a listing that another slice showed first is no overlap", async () => {
  const reading = await readOnce();
  const burst = reading.market.publishMany(250);
  await reading.readWholeMarket();
  burst.forEach((id) => reading.market.hide(id));
  await reading.clock.advance(10);
  await reading.pass();
  burst.forEach((id) => reading.market.show(id));
  for (let round = 0; round < 3; round += 1) await reading.pass();
  expect(burst.filter((id) => reading.memory.get(id) === undefined)).toEqual([]);
});

test("a listing that appears late, below newer ones, is still new", async () => {
  const reading = new Reading();
  reading.market.publish();
  const late = reading.market.publish();
  reading.market.hide(late);
  reading.market.publish();
  await reading.pass();
  reading.market.publish();
  await reading.pass();
  reading.market.show(late);
  await reading.pass();
  expect(reading.newsOf(late).map(({ kind }) => kind)).toEqual(["new"]);
});

test("one absurd id does not hide later listings", async () => {
  const reading = new Reading();
  reading.market.publishMany(STOCK);
  const absurd = reading.market.publish({ id: Number.MAX_SAFE_INTEGER });
  await reading.pass();
  reading.market.sell(absurd);
  const burst = reading.market.publishMany(250);
  await reading.pass();
  expect(new Set(reading.newsIds.slice(STOCK + 1))).toEqual(new Set(burst));
  await reading.pass();
  await reading.pass();
  const later = reading.market.publish();
  await reading.pass();
  expect(reading.news.at(-1)).toMatchObject({ kind: "new", entry: { seen: { listing: { id: later } } } });
});

test("one absurd id does not hide later listings from a slice with an incomplete memory either", async () => {
  const reading = new Reading();
  reading.market.publishMany(STOCK);
  const absurd = reading.market.publish({ id: Number.MAX_SAFE_INTEGER });
  await reading.pass();
  reading.market.sell(absurd);
  reading.memory.markIncomplete(asListingId(500));
  const burst = reading.market.publishMany(250);
  for (let round = 0; round < 4; round += 1) await reading.pass();
  expect(reading.newsIds).toEqual(expect.arrayContaining([...burst]));
  const later = reading.market.publishMany(5);
  await reading.pass();
  expect(later.map((id) => reading.newsOf(id)[0]?.kind)).toEqual(later.map(() => "new"));
});

test("while memory is incomplete, only listings above the mark are new", async () => {
  const reading = new Reading();
  reading.market.publish();
  const forgotten = reading.market.publish();
  reading.market.hide(forgotten);
  reading.market.publish();
  await reading.pass();
  reading.memory.markIncomplete(forgotten);
  reading.market.show(forgotten);
  const fresh = reading.market.publish();
  await reading.pass();
  expect(reading.newsOf(forgotten).map(({ kind }) => kind)).toEqual(["past"]);
  expect(reading.newsOf(fresh).map(({ kind }) => kind)).toEqual(["new"]);
});

test("a promoted listing at the top neither ends a reading nor counts as new", async () => {
  const reading = new Reading();
  const [old] = reading.market.publishMany(300, { photoTakenAtUnixS: 1 });
  await reading.pass();
  const burst = reading.market.publishMany(100);
  reading.market.promoted = old ?? null;
  await reading.pass();
  expect(new Set(reading.newsIds.slice(96))).toEqual(new Set([...burst, old]));
  expect(reading.newsOf(old ?? raise()).map(({ kind }) => kind)).toEqual(["past"]);
});

test("a known promoted listing does not end the pass: newer listings may follow it", async () => {
  const reading = new Reading();
  const known = reading.market.publishMany(96, { photoTakenAtUnixS: 1 }).at(-1);
  await reading.pass();
  const burst = reading.market.publishMany(100);
  reading.market.promoted = known ?? null;
  await reading.pass();
  expect(new Set(reading.newsIds.slice(96))).toEqual(new Set(burst));
});

test("a price drop is news, a rise is only a change, an unchanged listing is neither", async () => {
  const reading = new Reading();
  const id = reading.market.publish({ totalPriceCents: 2_000 });
  await reading.pass();
  reading.market.edit(id, { totalPriceCents: 1_500 });
  await reading.pass();
  await reading.pass();
  reading.market.edit(id, { totalPriceCents: 1_900 });
  await reading.pass();
  expect(reading.newsOf(id).map(({ kind }) => kind)).toEqual(["past", "cheaper", "changed"]);
  expect(reading.newsOf(id).at(-1)?.entry.seen.firstSeenAtMs).toBe(
    reading.newsOf(id)[0]?.entry.seen.firstSeenAtMs,
  );
});

test("a listing still on sale is recorded again after an hour, without being news", async () => {
  const reading = new Reading();
  reading.market.publish();
  await reading.pass();
  await reading.pass();
  expect(reading.published.at(-1)?.toRecord).toEqual([]);
  await reading.clock.advance(3_600_000);
  await reading.pass();
  expect(reading.published.at(-1)?.toRecord).toHaveLength(1);
  expect(reading.published.at(-1)?.news).toEqual([]);
});

// Bursts fit on the marketplace's ten pages.
test("no listing that stays on sale is ever missed, whatever is published and sold meanwhile", async () => {
  const burst = fc.record({
    published: fc.integer({ min: 0, max: 25 }),
    sold: fc.array(fc.nat(), { maxLength: 40 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.nat(500),
      fc.array(burst, { minLength: 4, maxLength: 15 }),
      fc.constantFrom(700, 6_000),
      async (atOnce, bursts, intervalMs) => {
        const reading = new Reading();
        reading.intervalMs = intervalMs;
        reading.market.publishMany(STOCK);
        await reading.pass();
        const stock = new Set(reading.market.ids);
        reading.market.publishMany(atOnce);
        const queue = [...bursts];
        reading.market.beforeAnswer = () => {
          const next = queue.shift();
          if (next === undefined) return;
          reading.market.publishMany(next.published);
          const { ids } = reading.market;
          for (const draw of next.sold)
            if (ids.length > 0) reading.market.sell(ids[draw % ids.length] ?? raise());
        };
        while (queue.length > 0) await reading.pass();
        reading.intervalMs = 6_000;
        for (let calm = 0; calm < 3; calm += 1) await reading.pass();
        const newsIds = new Set(reading.newsIds);
        expect(reading.market.ids.filter((id) => !stock.has(id) && !newsIds.has(id))).toEqual([]);
        const firstSights = reading.news.filter(({ before }) => before === null);
        expect(new Set(firstSights.map(({ entry }) => entry)).size).toBe(firstSights.length);
      },
    ),
    { numRuns: 60 },
  );
});
