import { expect, test } from "vitest";
import { BackgroundTasks } from "#domain/concurrency.ts";
import { asPurchaseId } from "#domain/ids.ts";
import { createEventBus } from "#server/events.ts";
import { aPurchaseRecord } from "#verify/testing/a-purchase-record.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createFakeRandom } from "#verify/testing/fake-random.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { openTestStore } from "#verify/testing/test-store.ts";
import { createMoves } from "./moves.ts";

test("publications are marked after the store was away for a moment, however many wait", async () => {
  await using opened = await openTestStore();
  const { purchases, settings } = opened.store;
  const [clock, log] = [new FakeClock(), createQuietLog()];
  const background = new BackgroundTasks(() => undefined);
  const marked = new Set<string>();
  let isAway = true;
  const published: typeof purchases.published = async (records) => {
    if (isAway) throw new Error("the store is away");
    await purchases.published(records);
    for (const { id } of records) marked.add(id);
  };
  const moves = createMoves({
    store: { purchases: { ...purchases, published }, settings },
    clock,
    random: createFakeRandom(),
    events: createEventBus(log),
    log,
    background,
    isStoreAway: () => false,
    reconcileMs: 1_000,
  });
  const publish = async (ids: readonly string[]): Promise<void> => {
    for (const id of ids)
      moves.announceOpened({ record: aPurchaseRecord({ id: asPurchaseId(id) }), stops: [] });
    await background.settled();
    await clock.advance(300);
    await background.settled();
  };
  const ids = Array.from({ length: 502 }, (_, index) => `p${index}`);
  await publish(ids.slice(0, -1));
  expect(marked.size).toBe(0);
  isAway = false;
  await publish(ids.slice(-1));
  expect([...marked].toSorted()).toEqual(ids.toSorted());
});
