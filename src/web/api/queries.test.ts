import { QueryClient } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { readPurchasesAgain } from "./queries.ts";

test("news of a purchase makes stale what is told of purchases elsewhere", async () => {
  const client = new QueryClient();
  const keys = [["purchases"], ["purchase-story", "a1"], ["filter-activity", 0]];
  for (const key of keys) client.setQueryData(key, []);
  await readPurchasesAgain(client);
  for (const key of keys) expect(client.getQueryState(key)?.isInvalidated, key.join()).toBe(true);
});
