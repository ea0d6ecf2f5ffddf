import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { createSessions } from "#auth/sessions.ts";
import { asListingId, asPurchaseId } from "#domain/ids.ts";
import { rowsOf, aPersonOf } from "#store/suite-store.suite.ts";
import { aListing } from "#verify/testing/a-listing.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { openTestStore } from "#verify/testing/test-store.ts";
import { createEventBus } from "./events.ts";
import { createUpkeep } from "./upkeep.ts";

test("at most a thousand of a person's simulations are kept", async () => {
  await using opened = await openTestStore();
  const { store } = opened;
  const [clock, log] = [new FakeClock(), createQuietLog()];
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

  const sessions = createSessions({ sessions: store.sessions, events: createEventBus(log), clock });
  const upkeep = createUpkeep({
    alerts: store.alerts,
    sessions,
    listings: store.listings,
    stories: store.stories,
    store,
    clock,
    log,
  });
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
