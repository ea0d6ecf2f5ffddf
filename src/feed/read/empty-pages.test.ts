import { expect, test } from "vitest";
import { asListingId } from "#domain/ids.ts";
import { raise, Reading, readOnce, STOCK } from "./slice-reading.suite.ts";

test("a full slice that becomes empty is suspicious if the whole market is empty too", async () => {
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

test("an empty first reading counts only after a second one: listings that it did not show may be old", async () => {
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

test("old stock hidden by two empty readings is not new", async () => {
  const reading = new Reading();
  reading.market.publish({ photoTakenAtUnixS: 1 });
  await reading.readWholeMarket();
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

test("a listing in a slice that was empty is new even if its photo is some minutes older", async () => {
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

test("a page of unreadable listings is not an empty page", async () => {
  const reading = await readOnce();
  const { mark } = reading.state;
  reading.answerWith((page) => ({ ...page, listings: [], droppedCount: page.listings.length }));
  await expect(reading.pass()).rejects.toMatchObject({ code: "unreadable" });
  expect(reading.state.mark).toBe(mark);
});

test("old stock without a photo time is not new either", async () => {
  const reading = new Reading();
  reading.market.publishMany(STOCK, { photoTakenAtUnixS: null });
  reading.market.isEmptied = true;
  await reading.pass();
  await reading.pass();
  reading.market.isEmptied = false;
  await reading.pass();
  expect(new Set(reading.news.map(({ kind }) => kind))).toEqual(new Set(["past"]));
});

test("listings hidden by two empty readings are published, even if another slice showed some of them", async () => {
  const reading = await readOnce();
  const burst = reading.market.publishMany(250);
  await reading.readWholeMarket();
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

test("expected listings stay expected until the empty reading is confirmed", async () => {
  const reading = new Reading();
  reading.market.isEmptied = true;
  reading.state.expected.set(asListingId(1_000), 1);
  await reading.pass();
  expect(reading.state.expected.size).toBe(1);
  await reading.pass();
  expect(reading.state.expected.size).toBe(0);
});

test("a page with only promoted listings counts as empty", async () => {
  const reading = await readOnce();
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

test("a listing in an empty slice is new once two readings found it empty", async () => {
  const reading = new Reading();
  await reading.pass();
  await reading.pass();
  const [id = raise()] = reading.market.publishMany(1);
  await reading.pass();
  expect(reading.newsOf(id)).toMatchObject([{ kind: "new" }]);
});
