import { QueryClient } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { anAchat } from "#verify/testing/on-the-wire.ts";
import { keepPurchase, type PurchasePage, queries, readPurchasesAgain, reloadEverything } from "./queries.ts";

test("news of a purchase makes stale what is told of purchases elsewhere", async () => {
  const client = new QueryClient();
  const keys = [["purchases"], ["purchase-story", "a1"], ["filter-activity", 0]];
  for (const key of keys) client.setQueryData(key, []);
  await readPurchasesAgain(client);
  for (const key of keys) expect(client.getQueryState(key)?.isInvalidated, key.join()).toBe(true);
});

test("a new purchase is not lost to an answer that was requested before it", async () => {
  const client = new QueryClient();
  const { queryKey } = queries.purchases;
  const earlier = anAchat({ _id: "earlier" });
  client.setQueryData(queryKey, { purch: [earlier], count: 1 });
  const answer = Promise.withResolvers<PurchasePage>();
  const reading = client.fetchQuery({ queryKey, queryFn: () => answer.promise });
  keepPurchase(client, anAchat({ _id: "new" }));
  answer.resolve({ purch: [earlier], count: 1 });
  await reading;
  expect(client.getQueryData(queryKey)?.purch.map(({ _id }) => _id)).toEqual(["new", "earlier"]);
});

test("after a filter changed, every list is read again, but no question that is no longer on the screen", async () => {
  const client = new QueryClient();
  const asked: string[] = [];
  const read = async (queryKey: readonly unknown[]) =>
    await client.fetchQuery({ queryKey, queryFn: () => asked.push(queryKey.join(" ")) });
  const questions = ["filter-preview", "breadth", "public-filters", "market-prices", "replay"];
  for (const name of questions) for (const subject of ["one", "other"]) await read([name, subject]);
  await read(["filters"]);
  asked.length = 0;
  await reloadEverything(client);
  expect(asked).toEqual(["filters"]);
  expect(client.getQueryState(["replay", "one"])?.isInvalidated).toBe(true);
});
