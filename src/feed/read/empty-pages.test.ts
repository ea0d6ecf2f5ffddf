import { expect, test } from "vitest";
import { asListingId } from "#domain/ids.ts";
import { raise, Reading, STOCK } from "./slice-reading.suite.ts";

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
  const reading = new Reading();
  reading.market.publishMany(STOCK);
  await reading.pass();
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
