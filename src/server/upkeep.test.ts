import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { createSessions } from "#auth/sessions.ts";
import { asListingId, asPurchaseId } from "#domain/ids.ts";
import { HOUR_MS } from "#domain/clock.ts";
import { Block } from "#market/archive/block.ts";
import { EVER } from "#market/archive/archive-reader.ts";
import type { Version } from "#market/archive/version.ts";
import { rowsOf, aPersonOf } from "#store/suite-store.suite.ts";
import { aListing, aSeenListing } from "#verify/testing/a-listing.ts";
import { archived } from "#verify/testing/archived.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { openTestStore, type TestStore } from "#verify/testing/test-store.ts";
import { createEventBus } from "./events.ts";
import { createUpkeep } from "./upkeep.ts";

function upkeepOf(store: TestStore["store"], clock: FakeClock) {
  const log = createQuietLog();
  const sessions = createSessions({ sessions: store.sessions, events: createEventBus(log), clock });
  const { alerts, listings, stories } = store;
  return createUpkeep({ alerts, sessions, listings, stories, store, clock, log });
}

test("at most a thousand of a person's simulations are kept", async () => {
  await using opened = await openTestStore();
  const { store } = opened;
  const clock = new FakeClock();
  const { id: userId } = await aPersonOf(store);
  const proposal = {
    id: asPurchaseId("first"),
    userId,
    listing: aListing({ id: asListingId(7_000_000_000) }),
    source: "auto",
    filterId: null,
    wishedAtMs: 1,
    nowMs: 1,
    dayKey: "2030-03-17",
    monthKey: "2030-03",
    owner: "node-1",
    leaseUntilMs: 30_000,
  } as const;
  await store.purchases.propose(proposal, () => ({
    kind: "admit",
    mode: "simulation",
    lane: "acquire",
    epoch: 0,
    priceCapCents: 5_000,
    holdCents: 0,
    paymentMethodId: 1,
    hadUnknownOutcome: false,
  }));
  // Copies the row in SQL, which is faster than fifteen hundred transactions.
  await store.db.execute(sql`
    create temporary table again as select purchases.*, n from purchases, generate_series(1, 1499) as n`);
  await store.db.execute(
    sql`update again set id = 'again-' || n, listing_id = listing_id + n, decided_at_ms = 1 + n`,
  );
  await store.db.execute(sql`alter table again drop column n`);
  await store.db.execute(sql`insert into purchases select * from again`);

  const upkeep = upkeepOf(store, clock);
  await upkeep.run();
  const kept = async () =>
    await rowsOf(store, sql`select count(*)::int as n, min(decided_at_ms)::int as oldest from purchases`);
  await expect
    .poll(async () => {
      await clock.advance(60_000);
      return await kept();
    })
    .toEqual([{ n: 1_000, oldest: 501 }]);
  await upkeep.stop();
});

test("a process that lasts ten minutes deletes also what is deleted every six hours", async () => {
  await using opened = await openTestStore();
  const clock = new FakeClock();
  const pruned: number[] = [];
  const pruneAuditChain = async (beforeMs: number): Promise<number> => pruned.push(clock.nowMs() - beforeMs);
  const upkeep = upkeepOf({ ...opened.store, pruneAuditChain }, clock);
  await upkeep.run();
  await clock.advance(10 * 60_000);
  await upkeep.stop();
  expect(pruned).toEqual([365 * 24 * HOUR_MS]);
});

test("a listing that was not seen for a day is deleted, and the archive keeps only when it was seen last", async () => {
  await using opened = await openTestStore();
  const { archive, listings } = opened.store;
  const clock = new FakeClock();
  const firstSeenAtMs = clock.nowMs();
  const seen = [1, 2].map((id) =>
    aSeenListing({
      listing: aListing({ id, title: `Robe ${id}` }),
      firstSeenAtMs,
      // The second was seen again after ten hours.
      seenAtMs: firstSeenAtMs + (id - 1) * 10 * HOUR_MS,
    }),
  );
  await listings.record({ listings: seen, matches: [], marks: [], archive: [archived(seen)] });
  const versions = async () => {
    const tail = await archive.tailData((await archive.heads(EVER)).map(({ id }) => id));
    return tail.flatMap(({ data }) => new Block(data).versions());
  };
  const before = await versions();
  expect(before.map(({ kind }) => kind)).toEqual(["new", "new"]);
  const closing = (listingId: number, seenAtMs: number): Version => ({
    listingId,
    kind: "closing",
    seenAtMs,
    firstSeenAtMs,
    leafIds: [221],
    newSinceMs: null,
    marketplaceColourIds: [],
    brandId: 0,
    conditionId: 0,
    sizeIds: [],
    totalPriceCents: 0,
    foldedTitle: "",
    sellerHash: 0,
    standing: null,
    isCounted: false,
    isRelist: false,
  });
  const closed = [closing(1, firstSeenAtMs), closing(2, firstSeenAtMs + 10 * HOUR_MS)];
  const upkeep = upkeepOf(opened.store, clock);
  await upkeep.run();
  for (const count of [1, 2]) {
    await clock.advance(count === 1 ? 24 * HOUR_MS : 10 * HOUR_MS);
    await expect
      .poll(async () => {
        await clock.advance(60_000);
        return await versions();
      })
      .toEqual([...before, ...closed.slice(0, count)]);
  }
  await upkeep.stop();
});

test("held matches are kept for an hour, facts of sellers for two days, two million earlier listings for a month", async () => {
  await using opened = await openTestStore();
  const { store } = opened;
  const clock = new FakeClock();
  const bounds: object[] = [];
  const noting = (kind: string) => async (beforeMs: number, limit?: number) => {
    bounds.push({ kind, keptMs: clock.nowMs() - beforeMs, ...(limit === undefined ? {} : { limit }) });
  };
  const upkeep = upkeepOf(
    {
      ...store,
      held: { ...store.held, prune: noting("held") },
      sellerFacts: { ...store.sellerFacts, prune: noting("sellers") },
      relists: { ...store.relists, prune: noting("relists") },
    },
    clock,
  );
  await upkeep.run();
  await clock.advance(10 * 60_000);
  await expect
    .poll(() => bounds)
    .toEqual([
      { kind: "held", keptMs: HOUR_MS },
      { kind: "sellers", keptMs: 48 * HOUR_MS },
      { kind: "relists", keptMs: 30 * 24 * HOUR_MS, limit: 2_000_000 },
    ]);
  await upkeep.stop();
});
