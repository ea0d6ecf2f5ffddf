import { expect, test } from "vitest";
import type { ListingId } from "#domain/ids.ts";
import { MarketplaceError } from "#marketplace/errors.ts";
import type { SearchPage } from "#marketplace/marketplace.ts";
import { MAX_PAGES, PAGE_SIZE } from "./slice-pages.ts";
import { CUT_OFF } from "./slice-pass.ts";
import { lengthsOf, pagesOf, raise, Reading, readOnce, STOCK } from "./slice-reading.suite.ts";

test("a burst of three pages between two readings loses nothing", async () => {
  const reading = await readOnce();
  const burst = reading.market.publishMany(3 * 96);
  await reading.pass();
  expect(pagesOf(reading)).toEqual([1, 1, 2, 3, 4]);
  expect(new Set(reading.laterIds)).toEqual(new Set(burst));
  expect(reading.news.slice(STOCK).every(({ kind }) => kind === "new")).toBe(true);
});

test("a page is published before the next one is requested", async () => {
  const reading = new Reading();
  await reading.pass();
  reading.market.publishMany(150);
  const publishedAtRequest: number[] = [];
  reading.market.beforeAnswer = () => {
    publishedAtRequest.push(reading.published.length);
    reading.market.publish();
  };
  await reading.pass();
  expect(publishedAtRequest).toEqual([1, 2]);
});

test("listings below a further page that came back empty are found by the next reading", async () => {
  const reading = await readOnce();
  const burst = reading.market.publishMany(250);
  reading.market.beforeAnswer = ({ page }) => {
    reading.market.isEmptied = page > 1;
  };
  await reading.pass();
  expect(reading.laterIds).toEqual(burst.slice(-96));
  reading.market.beforeAnswer = () => undefined;
  reading.market.isEmptied = false;
  await reading.pass();
  expect(new Set(reading.laterIds)).toEqual(new Set(burst));
});

test("a listing that moves between two pages during a sale is found by the bridge", async () => {
  const reading = await readOnce();
  const burst = reading.market.publishMany(400);
  let isSold = false;
  reading.market.beforeAnswer = ({ page }) => {
    if (page !== 4 || isSold) return;
    isSold = true;
    burst.slice(-20).forEach((id) => reading.market.sell(id));
  };
  await reading.pass();
  expect(new Set(reading.laterIds)).toEqual(new Set(burst));
  await reading.pass();
  expect(reading.market.requests.at(-1)?.query.page).toBe(1);
});

test("a listing that moves further than the bridge spans is found by the next reading", async () => {
  const reading = await readOnce();
  const burst = reading.market.publishMany(500);
  const sold = burst.slice(-180);
  const slipped = burst.slice(0, -180);
  reading.market.beforeAnswer = ({ page }) => {
    // Before the fourth page, and again before its bridge.
    if (page === 4) sold.splice(-90).forEach((id) => reading.market.sell(id));
  };
  await reading.pass();
  expect(slipped.filter((id) => !reading.newsIds.includes(id)).length).toBeGreaterThan(0);
  reading.market.beforeAnswer = () => undefined;
  await reading.pass();
  expect(slipped.filter((id) => !reading.newsIds.includes(id))).toEqual([]);
  await reading.pass();
  expect(reading.market.requests.at(-1)?.query.page).toBe(1);
});

test("one reading with overlapping pages is enough", async () => {
  const reading = await readOnce();
  reading.market.publishMany(3 * 96);
  reading.market.beforeAnswer = () => reading.market.publishMany(10);
  await reading.pass();
  const requestsBefore = reading.market.requests.length;
  await reading.pass();
  expect(reading.market.requests.slice(requestsBefore).map(({ query }) => query.page)).toEqual([1]);
});

test("a promoted listing that is on every page is no overlap", async () => {
  const reading = await readOnce();
  const burst = reading.market.publishMany(400);
  const [promoted = raise()] = burst;
  reading.market.promoted = promoted;
  reading.market.isPromotedOnEveryPage = true;
  reading.market.beforeAnswer = ({ page }) => {
    if (page === 4) burst.slice(-20).forEach((id) => reading.market.sell(id));
  };
  await reading.pass();
  reading.market.beforeAnswer = () => undefined;
  await reading.pass();
  expect(new Set(reading.laterIds)).toEqual(new Set(burst));
});

test("a reading that fails half-way keeps the mark, and the next one covers the same range", async () => {
  const reading = await readOnce();
  const { mark } = reading.state;
  const burst = reading.market.publishMany(200);
  reading.market.beforeAnswer = ({ page }) => {
    if (page === 2) reading.market.failNext(new MarketplaceError("server_error"));
  };
  await expect(reading.pass()).rejects.toThrow("server_error");
  expect(reading.state.mark).toBe(mark);
  reading.market.beforeAnswer = () => undefined;
  await reading.pass();
  expect(new Set(reading.laterIds)).toEqual(new Set(burst));
  expect(reading.newsIds).toHaveLength(STOCK + 200);
});

test("a pause between two pages ends the reading without moving the mark", async () => {
  const reading = await readOnce();
  const { mark } = reading.state;
  reading.market.publishMany(100);
  reading.isTurnGranted = false;
  expect(await reading.pass()).toBe("interrupted");
  expect(reading.state.mark).toBe(mark);
});

test("a slice without a mark is read back to the moment at which it was first wanted", async () => {
  const reading = new Reading();
  reading.market.publishMany(200, { photoTakenAtUnixS: Math.floor(reading.clock.nowMs() / 1_000) - 60 });
  const burst = reading.market.publishMany(200);
  await reading.pass();
  expect(reading.newsIds).toEqual(expect.arrayContaining([...burst]));
  expect(pagesOf(reading)).toEqual([1, 2, 3]);
});

test("more listings than the marketplace's ten pages are logged", async () => {
  const reading = await readOnce(50);
  reading.market.publishMany(1_200);
  await reading.pass();
  expect(pagesOf(reading)).toEqual([1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(reading.log.lines.map(({ message }) => message)).toContain(CUT_OFF);
});

/** Listings below the first page are never served. */
function hideBelow({ market }: Reading): void {
  market.beforeAnswer = ({ page }) => {
    market.isEmptied = page > 1;
  };
}

function hideNothing({ market }: Reading): void {
  market.beforeAnswer = () => undefined;
  market.isEmptied = false;
}

test("a further page that is empty once is requested again within the same reading", async () => {
  const reading = await readOnce();
  const burst = reading.market.publishMany(250);
  let wrongAnswers = 1;
  reading.market.beforeAnswer = ({ page }) => {
    reading.market.isEmptied = page === 2 && wrongAnswers-- > 0;
  };
  await reading.pass();
  expect(reading.laterIds).toHaveLength(250);
  expect(new Set(reading.laterIds)).toEqual(new Set(burst));
});

test("listings below a further page that stays empty are found once it is served", async () => {
  const reading = await readOnce();
  const burst = reading.market.publishMany(250);
  hideBelow(reading);
  for (let round = 0; round < 4; round += 1) await reading.pass();
  hideNothing(reading);
  await reading.pass();
  expect(new Set(reading.laterIds)).toEqual(new Set(burst));
});

test("listings that are hidden, shown and hidden again are found as well", async () => {
  const reading = await readOnce();
  const bursts: ListingId[] = [];
  for (let burst = 0; burst < 3; burst += 1) {
    bursts.push(...reading.market.publishMany(250));
    hideBelow(reading);
    for (let round = 0; round < 4; round += 1) await reading.pass();
    hideNothing(reading);
    await reading.pass();
  }
  expect(new Set(reading.laterIds)).toEqual(new Set(bursts));
});

test("every request waits for the budget, bridges included", async () => {
  const reading = await readOnce();
  reading.market.publishMany(250);
  const { mark } = reading.state;
  reading.market.beforeAnswer = ({ page }) => {
    reading.isTurnGranted = page < 2;
  };
  expect(await reading.pass()).toBe("interrupted");
  expect(lengthsOf(reading)).toEqual([PAGE_SIZE, PAGE_SIZE, PAGE_SIZE]);
  expect(reading.state.mark).toBe(mark);
});

test("a mark never goes back to an earlier reading", async () => {
  const reading = await readOnce();
  const isCut = [true, false, true, false];
  for (const one of isCut) {
    reading.market.publishMany(250);
    reading.answerWith((page) => (one ? { ...page, totalPages: 1 } : page));
    const before = reading.state.mark?.sentAtMs ?? Infinity;
    await reading.pass();
    expect(reading.state.mark?.sentAtMs).toBeGreaterThanOrEqual(before);
  }
});

test("the covered range extends down to the last gapless page, and restarts after a cut-off", async () => {
  const reading = new Reading();
  const [lowest = raise()] = reading.market.publishMany(STOCK);
  await reading.pass();
  expect(reading.state.coveredFrom).toBe(lowest);
  reading.market.publishMany(250);
  reading.answerWith((page) => ({ ...page, totalPages: 1 }));
  await reading.pass();
  reading.answerWith((page) => page);
  await reading.pass();
  await reading.pass();
  expect(reading.state.coveredFrom).toBe(lowest);
  const flood = reading.market.publishMany(2_000);
  await reading.pass();
  expect(reading.state.coveredFrom).toBe(flood.at(-MAX_PAGES * PAGE_SIZE));
});

test("a first reading with a gap covers nothing", async () => {
  const reading = new Reading();
  const stock = reading.market.publishMany(600);
  const sold = stock.slice(-180);
  reading.market.beforeAnswer = ({ page }) => {
    if (page === 4) sold.splice(-90).forEach((id) => reading.market.sell(id));
  };
  await reading.pass();
  expect(reading.state.coveredFrom).toBeNull();
  await reading.pass();
  expect(reading.state.coveredFrom).not.toBeNull();
});

test("a market that never serves the pages it announces does not block the mark for ever", async () => {
  const reading = await readOnce();
  reading.market.publishMany(250);
  hideBelow(reading);
  for (let round = 0; round < 7; round += 1) await reading.pass();
  const requestsBefore = reading.market.requests.length;
  await reading.pass();
  expect(reading.market.requests).toHaveLength(requestsBefore + 1);
});

test("a full bridge above an empty page does not prove the end of the list", async () => {
  const reading = await readOnce();
  const burst = [...reading.market.publishMany(250)];
  reading.market.beforeAnswer = ({ page, perPage }) => {
    reading.market.isEmptied = page === 2 && perPage === PAGE_SIZE;
    if (page === 2 && perPage < PAGE_SIZE) burst.push(...reading.market.publishMany(40));
  };
  for (let round = 0; round < 3; round += 1) await reading.pass();
  hideNothing(reading);
  await reading.pass();
  expect(new Set(reading.laterIds)).toEqual(new Set(burst));
});

test("an empty page after the last listing hides nothing: one reading is enough", async () => {
  const reading = new Reading();
  const stock = reading.market.publishMany(100);
  reading.market.beforeAnswer = ({ page, perPage }) => {
    if (page === 2 && perPage === 96) stock.slice(0, 10).forEach((id) => reading.market.sell(id));
  };
  await reading.pass();
  expect(pagesOf(reading)).toEqual([1, 2]);
  expect(reading.state.mark).not.toBeNull();
});

test("an incomplete first reading sets no mark: the next one finds the rest, and later listings are new", async () => {
  const reading = new Reading();
  const stock = reading.market.publishMany(250);
  hideBelow(reading);
  await reading.pass();
  expect(reading.state.mark).toBeNull();
  hideNothing(reading);
  await reading.pass();
  expect(new Set(reading.newsIds)).toEqual(new Set(stock));
  const [id = raise()] = reading.market.publishMany(1);
  await reading.pass();
  expect(reading.newsOf(id)).toMatchObject([{ kind: "new" }]);
});

test("listings that move between the pages of a first reading are found by the next one", async () => {
  const reading = new Reading();
  const stock = reading.market.publishMany(600);
  const sold = stock.slice(-180);
  reading.market.beforeAnswer = ({ page }) => {
    // Before the fourth page, and again before its bridge.
    if (page === 4) sold.splice(-90).forEach((id) => reading.market.sell(id));
  };
  await reading.pass();
  const slipped = stock.slice(0, -180).filter((id) => !reading.newsIds.includes(id));
  expect(slipped.length).toBeGreaterThan(0);
  hideNothing(reading);
  const [id = raise()] = reading.market.publishMany(1);
  await reading.pass();
  expect(reading.newsIds).toEqual(expect.arrayContaining([...slipped]));
  expect(reading.newsOf(id)).toMatchObject([{ kind: "new" }]);
  await reading.pass();
  expect(reading.market.requests.at(-1)?.query.page).toBe(1);
});

test("an answer with too few pages, or cut short, does not confirm the end of the list", async () => {
  const wrongAnswers: readonly ((page: SearchPage) => SearchPage)[] = [
    (page) => ({ ...page, totalPages: 1 }),
    (page) => ({ ...page, listings: page.listings.slice(0, 5), totalPages: 1 }),
  ];
  for (const corrupt of wrongAnswers) {
    const reading = await readOnce();
    const burst = reading.market.publishMany(250);
    reading.answerWith(corrupt);
    await reading.pass();
    reading.answerWith((page) => page);
    await reading.pass();
    expect(new Set(reading.laterIds)).toEqual(new Set(burst));
    expect(reading.news.slice(STOCK).every(({ kind }) => kind === "new")).toBe(true);
    await reading.pass();
    await reading.pass();
    expect(reading.market.requests.at(-1)?.query.page).toBe(1);
  }
});

test("a first reading does not end at one old photo", async () => {
  const reading = new Reading();
  reading.market.publishMany(STOCK, { photoTakenAtUnixS: 1 });
  const fresh = [...reading.market.publishMany(54)];
  reading.market.publish({ photoTakenAtUnixS: 1 });
  fresh.push(...reading.market.publishMany(95));
  await reading.pass();
  expect(reading.newsIds).toEqual(expect.arrayContaining(fresh));
});

test("without photo times a first reading ends with its first page", async () => {
  const reading = new Reading();
  reading.market.publishMany(600, { photoTakenAtUnixS: null });
  await reading.pass();
  expect(pagesOf(reading)).toEqual([1]);
  expect(reading.state.mark).not.toBeNull();
});
