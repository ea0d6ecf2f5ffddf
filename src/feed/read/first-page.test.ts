import { expect, test } from "vitest";
import { asListingId } from "#domain/ids.ts";
import { MarketplaceError } from "#marketplace/errors.ts";
import { lengthsOf, raise, Reading, STOCK } from "./slice-reading.suite.ts";

test("a slice that was read a moment ago is asked for a short page, and for a whole one after three seconds", async () => {
  const reading = new Reading();
  reading.market.publishMany(200, { photoTakenAtUnixS: 1 });
  await reading.pass();
  reading.intervalMs = 1_250;
  for (let round = 0; round < 5; round += 1) {
    await reading.pass();
    const [id] = reading.market.publishMany(1);
    await reading.pass();
    expect(reading.told.at(-1)).toBe(id);
  }
  expect(lengthsOf(reading)).toEqual([96, 96, 24, 24, 96, 24, 24, 96, 24, 24, 96]);
});

test("what turns up late, below a short page, is found on the next whole one", async () => {
  const reading = new Reading();
  const late = reading.market.publishMany(96, { photoTakenAtUnixS: 1 })[40] ?? raise();
  reading.market.hide(late);
  await reading.pass();
  await reading.pass();
  reading.market.show(late);
  reading.intervalMs = 1_250;
  for (let round = 0; round < 6; round += 1) await reading.pass();
  expect(reading.newsOf(late).map(({ kind }) => kind)).toEqual(["new"]);
});

/** A slice whose next page is a short one. */
async function readMomentAgo(): Promise<Reading> {
  const reading = new Reading();
  reading.market.publishMany(STOCK);
  reading.intervalMs = 700;
  await reading.pass();
  return reading;
}

test("more than a short page holds is told from a whole one, in the market's order", async () => {
  const reading = await readMomentAgo();
  const burst = reading.market.publishMany(80);
  await reading.pass();
  expect(lengthsOf(reading)).toEqual([96, 24, 96]);
  expect(reading.told.slice(STOCK)).toEqual(burst);
});

test("a short page that nothing follows is told, and the rest by the next reading", async () => {
  const reading = await readMomentAgo();
  const burst = reading.market.publishMany(40);
  reading.mayGoOn = false;
  // Neither the end of a pass nor a refusal waits for what is told.
  reading.telling = new Promise(() => undefined);
  expect(await reading.pass()).toBe("interrupted");
  expect(reading.told.slice(STOCK)).toEqual(burst.slice(-24));
  reading.mayGoOn = true;
  const more = reading.market.publishMany(30);
  reading.market.beforeAnswer = ({ perPage }) => {
    if (perPage === 96) reading.market.failNext(new MarketplaceError("broken_connection"));
  };
  await expect(reading.pass()).rejects.toThrow(MarketplaceError);
  expect(reading.told.slice(STOCK)).toEqual([...burst.slice(-24), ...more.slice(-24)]);
  reading.telling = Promise.resolve();
  reading.market.beforeAnswer = () => undefined;
  await reading.pass();
  expect(reading.told).toHaveLength(STOCK + 70);
  expect(new Set(reading.told.slice(STOCK))).toEqual(new Set([...burst, ...more]));
});

test("a short page is told where the whole one comes back empty, and proves no overlap", async () => {
  for (const isAllEmpty of [true, false]) {
    const reading = await readMomentAgo();
    const burst = reading.market.publishMany(200);
    reading.market.beforeAnswer = ({ perPage }) => {
      reading.market.isEmptied = isAllEmpty ? perPage !== 24 : perPage === 96;
    };
    const { mark } = reading.state;
    expect(await reading.pass()).toBe(isAllEmpty ? "suspiciously_empty" : "read");
    expect(reading.state.mark).toBe(mark);
    expect(reading.told.slice(STOCK)).toEqual(burst.slice(-24));
    reading.market.beforeAnswer = () => undefined;
    reading.market.isEmptied = false;
    for (let round = 0; round < 6; round += 1) await reading.pass();
    expect(new Set(reading.told.slice(STOCK))).toEqual(new Set(burst));
    expect(reading.news.slice(STOCK).every(({ kind }) => kind === "new")).toBe(true);
  }
});

test("a short page between two empty readings keeps them from being believed", async () => {
  const reading = await readMomentAgo();
  const lies = { isEmptied: false };
  reading.market.beforeAnswer = ({ leafIds, perPage }) => {
    reading.market.isEmptied = leafIds.length > 0 && (lies.isEmptied || perPage === 96);
  };
  lies.isEmptied = true;
  await reading.pass();
  lies.isEmptied = false;
  const burst = reading.market.publishMany(200);
  await reading.pass();
  const { mark } = reading.state;
  lies.isEmptied = true;
  await reading.pass();
  expect(reading.state.mark).toBe(mark);
  reading.market.beforeAnswer = () => undefined;
  reading.market.isEmptied = false;
  for (let round = 0; round < 6; round += 1) await reading.pass();
  expect(new Set(reading.told.slice(STOCK))).toEqual(new Set(burst));
});

test("short and whole pages without anything are doubted, where a moment ago they were full", async () => {
  const reading = await readMomentAgo();
  reading.market.isEmptied = true;
  reading.market.pagesWhenEmpty = 3;
  expect(await reading.pass()).toBe("suspiciously_empty");
});

test("the more comes in, the longer the page", async () => {
  const reading = new Reading();
  reading.market.publishMany(200, { photoTakenAtUnixS: 1 });
  await reading.pass();
  reading.intervalMs = 700;
  for (const [perSecond, length] of [
    [10, 24],
    [20, 48],
    [40, 96],
  ] as const) {
    await reading.clock.advance(6_000);
    await reading.pass();
    reading.state.arrivalsPerMs = perSecond / 1_000;
    await reading.pass();
    expect(lengthsOf(reading).at(-1)).toBe(length);
  }
});

test("a slice that was full and answers nothing is doubted when the whole market does too", async () => {
  const reading = new Reading();
  const ids = reading.market.publishMany(20);
  await reading.pass();
  reading.market.isEmptied = true;
  expect(await reading.pass()).toBe("suspiciously_empty");
  reading.market.isEmptied = false;
  expect(await reading.pass()).toBe("read");
  ids.forEach((id) => reading.market.sell(id));
  reading.market.publish({ leafId: 1_242 });
  expect(await reading.pass()).toBe("read");
  expect(reading.market.requests.at(-1)?.query).toMatchObject({ leafIds: [], page: 1 });
});

test("a first reading without anything is not believed before a second one: what it did not show may be old", async () => {
  const reading = new Reading();
  reading.market.publishMany(STOCK, { photoTakenAtUnixS: 1 });
  reading.market.isEmptied = true;
  await reading.pass();
  reading.market.isEmptied = false;
  await reading.pass();
  expect(new Set(reading.news.map(({ kind }) => kind))).toEqual(new Set(["past"]));
  const [id = raise()] = reading.market.publishMany(1, { photoTakenAtUnixS: 1 });
  await reading.pass();
  expect(reading.newsOf(id)).toMatchObject([{ kind: "new" }]);
});

test("old stock that two empty readings hid is no news that anybody would buy", async () => {
  const reading = new Reading();
  reading.market.publish({ photoTakenAtUnixS: 1 });
  await reading.lookElsewhere();
  reading.market.publishMany(STOCK, { photoTakenAtUnixS: 1 });
  reading.market.isEmptied = true;
  await reading.pass();
  await reading.pass();
  reading.market.isEmptied = false;
  const [fresh = raise()] = reading.market.publishMany(1);
  await reading.pass();
  expect(reading.news.filter(({ kind }) => kind === "past")).toHaveLength(STOCK);
  expect(reading.newsOf(fresh)).toMatchObject([{ kind: "new" }]);
});

test("what comes to a slice that was shown as empty is new though its photo was drafted some minutes before", async () => {
  const reading = new Reading();
  const minutesAgo = (minutes: number): { readonly photoTakenAtUnixS: number } => ({
    photoTakenAtUnixS: Math.floor(reading.clock.nowMs() / 1_000) - minutes * 60,
  });
  await reading.pass();
  await reading.pass();
  const drafted = reading.market.publish(minutesAgo(30));
  const old = reading.market.publish(minutesAgo(120));
  await reading.pass();
  expect([drafted, old].map((id) => reading.newsOf(id)[0]?.kind)).toEqual(["new", "past"]);
});

test("a page of which nothing can be read is no empty one", async () => {
  const reading = new Reading();
  reading.market.publishMany(STOCK);
  await reading.pass();
  const { mark } = reading.state;
  reading.answerWith((page) => ({ ...page, listings: [], droppedCount: page.listings.length }));
  await expect(reading.pass()).rejects.toMatchObject({ code: "unreadable" });
  expect(reading.state.mark).toBe(mark);
});

test("old stock without the time of its photo is not new either", async () => {
  const reading = new Reading();
  reading.market.publishMany(STOCK, { photoTakenAtUnixS: null });
  reading.market.isEmptied = true;
  await reading.pass();
  await reading.pass();
  reading.market.isEmptied = false;
  await reading.pass();
  expect(new Set(reading.news.map(({ kind }) => kind))).toEqual(new Set(["past"]));
});

test("what two empty readings of a full slice did not show is told, whatever another slice showed of it", async () => {
  const reading = new Reading();
  reading.market.publishMany(STOCK);
  await reading.pass();
  const burst = reading.market.publishMany(250);
  await reading.lookElsewhere();
  reading.market.beforeAnswer = ({ leafIds }) => {
    reading.market.isEmptied = leafIds.length > 0;
  };
  await reading.pass();
  await reading.pass();
  reading.market.beforeAnswer = () => undefined;
  reading.market.isEmptied = false;
  for (let round = 0; round < 3; round += 1) await reading.pass();
  expect(burst.filter((id) => reading.memory.get(id) === undefined)).toEqual([]);
});

test("what was expected stays so where nothing was shown, until that is believed", async () => {
  const reading = new Reading();
  reading.market.isEmptied = true;
  reading.state.expected.set(asListingId(1_000), 1);
  await reading.pass();
  expect(reading.state.expected.size).toBe(1);
  await reading.pass();
  expect(reading.state.expected.size).toBe(0);
});

test("a page with promoted listings alone holds nothing", async () => {
  const reading = await readMomentAgo();
  await reading.clock.advance(6_000);
  const { mark } = reading.state;
  const burst = reading.market.publishMany(200);
  reading.market.promoted = burst[0] ?? null;
  reading.market.isPromotedOnEveryPage = true;
  reading.market.isEmptied = true;
  expect(await reading.pass()).toBe("suspiciously_empty");
  reading.market.beforeAnswer = ({ leafIds }) => {
    reading.market.isEmptied = leafIds.length > 0;
  };
  expect(await reading.pass()).toBe("read");
  expect(reading.state.mark).toBe(mark);
});

test("what comes to a slice without anything is new, once it was seen to be so twice", async () => {
  const reading = new Reading();
  await reading.pass();
  await reading.pass();
  const [id = raise()] = reading.market.publishMany(1);
  await reading.pass();
  expect(reading.newsOf(id)).toMatchObject([{ kind: "new" }]);
});
