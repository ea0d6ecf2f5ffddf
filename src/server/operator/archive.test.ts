import { expect, test } from "vitest";
import type { ProductEvent } from "#domain/events.ts";
import { MarketMemory } from "#market/market-memory.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { openTestStore } from "#verify/testing/test-store.ts";
import { showArchive } from "./archive.ts";

test("erasing the archive publishes an event to every node", async () => {
  await using opened = await openTestStore();
  const { store } = opened;
  const clock = new FakeClock();
  const parts = { archive: store.archive, clock, log: createQuietLog(), windowDays: 30, maxBytes: 1e9 };
  const memory = new MarketMemory({ ...parts, history: null });
  const published: ProductEvent[] = [];
  const events = { publish: async (event: ProductEvent) => void published.push(event) };
  const { data } = await showArchive({ action: "erase" }, { memory, store, events, clock });
  expect(data).toEqual({ erased: true });
  expect(published).toEqual([{ kind: "archive_erased" }]);
  await memory.stop();
});
