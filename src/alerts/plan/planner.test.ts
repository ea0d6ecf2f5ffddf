import type { NewFilter } from "#store/market-store.ts";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { SeenListing } from "#domain/market/listing.ts";
import type { UserMatch } from "#domain/market/match.ts";
import { Secret } from "#domain/secret.ts";
import { alertOutbox } from "#store/schema/tables.ts";
import { aListing, aSeenListing } from "#verify/testing/a-listing.ts";
import { anAlertedPerson, startTestPlanner } from "./planner-world.suite.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { openTestStore, type TestStore } from "#verify/testing/test-store.ts";

let opened: TestStore;
let nextId = 6_000_000_001;

// A store per test: the marks of one clock would confuse another.
beforeEach(async () => {
  opened = await openTestStore();
});
afterEach(async () => {
  await opened[Symbol.asyncDispose]();
});

/** New listings, published at a given time. */
function listings(count: number, atMs: number): readonly SeenListing[] {
  return Array.from({ length: count }, () => {
    nextId += 1;
    const listing = aListing({ id: nextId, photoTakenAtUnixS: Math.floor(atMs / 1_000) });
    return aSeenListing({ listing, firstSeenAtMs: atMs, seenAtMs: atMs });
  });
}

let cursor = 1n;
/** Records matches like the feed. */
async function record(seen: readonly SeenListing[], matches: readonly UserMatch[]): Promise<void> {
  const numbered = matches.map((match) => {
    cursor += 1n;
    return { ...match, cursor: String(BigInt(match.matchedAtMs) * 4_096n + cursor) };
  });
  await opened.store.listings.record({ listings: seen, matches: numbered, marks: [] });
}

test("a listing is announced once, and again when its price falls, not when it rises or is edited", async () => {
  const clock = new FakeClock(Date.now());
  const person = await anAlertedPerson(opened.store);
  await using planner = await startTestPlanner(opened.store, clock);
  const nowMs = clock.nowMs();
  const [seen = aSeenListing()] = listings(1, nowMs);
  const at = (totalPriceCents: number, cheaperSinceMs?: number): SeenListing => ({
    ...seen,
    listing: { ...seen.listing, totalPriceCents },
    ...(cheaperSinceMs === undefined ? {} : { cheaperSinceMs }),
  });
  for (const version of [at(2_000), at(2_000), at(3_000), at(1_500, nowMs), at(1_500, nowMs), at(4_000)])
    planner.publish([person.match(version, nowMs)]);
  const [last = seen] = listings(1, nowMs);
  planner.publish([person.match(last, nowMs)]);
  await expect.poll(person.journal).toHaveLength(3);
  expect((await person.journal()).map(({ title }) => title)).toEqual([
    "20,00\u00A0€ · Robe d'été Zara",
    "15,00\u00A0€ · Robe d'été Zara",
    "11,20\u00A0€ · Robe d'été Zara",
  ]);
});

test("a filter that buys announces its listings once the marketplace refused the person's account", async () => {
  const { settings, accounts } = opened.store;
  const clock = new FakeClock(Date.now());
  const person = await anAlertedPerson(opened.store, { filter: { isAutobuy: true } });
  const address = {
    street: "1 rue de la Paix",
    city: "Paris",
    postalCode: 75_002,
    country: "France" as const,
  };
  await settings.change(person.userId, { refreshToken: new Secret("refresh"), address }, clock.nowMs());
  await using planner = await startTestPlanner(opened.store, clock);
  await accounts.markRefused(person.userId, 1, clock.nowMs());
  planner.changed(person.userId, "settings_changed");
  planner.publish(listings(1, clock.nowMs()).map((seen) => person.match(seen, clock.nowMs())));
  await expect.poll(person.journal).toHaveLength(1);
});

test("a filter that buys announces a listing about which it asks, unless it announces none", async () => {
  const clock = new FakeClock(Date.now());
  const filter = { isAutobuy: true } as const;
  const person = await anAlertedPerson(opened.store, { filter });
  const silent = await anAlertedPerson(opened.store, { filter: { ...filter, alertMode: "none" } });
  await using planner = await startTestPlanner(opened.store, clock);
  const nowMs = clock.nowMs();
  for (const { userId, filterId } of [silent, person]) {
    const times = { firstSeenAtMs: nowMs, matchedAtMs: nowMs, missedAtMs: nowMs };
    const miss = {
      userId,
      filterId,
      listing: aListing(),
      reason: "too_good",
      standing: null,
      ...times,
    } as const;
    planner.ask(miss);
    planner.ask(miss);
    planner.ask({ ...miss, listing: { ...miss.listing, totalPriceCents: 900 } });
  }
  await expect.poll(person.journal).toHaveLength(2);
  expect((await person.journal()).map(({ title }) => title).toSorted()).toEqual([
    "À confirmer · 11,20\u00A0€ · Robe d'été Zara",
    "À confirmer · 9,00\u00A0€ · Robe d'été Zara",
  ]);
  expect(await silent.journal()).toEqual([]);
});

test("a start plans what was recorded before it, and does not count what was sent against the hour again", async () => {
  const clock = new FakeClock(Date.now());
  const person = await anAlertedPerson(opened.store);
  const first = listings(4, clock.nowMs());
  const matches = first.map((seen) => person.match(seen, clock.nowMs()));
  await record(first, matches);
  {
    await using planner = await startTestPlanner(opened.store, clock);
    planner.publish(matches);
    await expect.poll(person.journal).toHaveLength(4);
  }
  await clock.advance(10_000);
  // Published and recorded while no planner ran.
  const missed = listings(1, clock.nowMs());
  await record(
    missed,
    missed.map((seen) => person.match(seen, clock.nowMs())),
  );
  await clock.advance(1_000);
  await using planner = await startTestPlanner(opened.store, clock);
  expect(await person.journal()).toHaveLength(5);
  // The sixth of the hour is within the limit, the seventh is not.
  const rest = listings(2, clock.nowMs());
  planner.publish(rest.map((seen) => person.match(seen, clock.nowMs())));
  await expect.poll(person.journal).toHaveLength(6);
  const title = async () => {
    await clock.advance(60_000);
    return (await person.journal()).at(-1)?.title;
  };
  await expect.poll(title).toBe("Et un autre article");
  expect(await person.journal()).toHaveLength(7);
});

/** Eight recorded matches of one person, of which six are within the limit of an hour of ten seconds. */
async function eightInAnHour() {
  const clock = new FakeClock(Date.now());
  const person = await anAlertedPerson(opened.store);
  const hourMs = 10_000;
  const seen = listings(8, clock.nowMs());
  const matches = seen.map((one) => person.match(one, clock.nowMs()));
  await record(seen, matches);
  return { clock, person, hourMs, matches };
}

test("a start just after the end of an hour does not send what its group counted", async () => {
  const { clock, person, hourMs, matches } = await eightInAnHour();
  {
    await using planner = await startTestPlanner(opened.store, clock, { hourMs });
    planner.publish(matches);
    const title = async () => {
      await clock.advance(1_000);
      return (await person.journal()).at(-1)?.title;
    };
    await expect.poll(title).toBe("Et 2 autres articles");
  }
  await using _ = await startTestPlanner(opened.store, clock, { hourMs });
  expect(await person.journal()).toHaveLength(7);
});

test("what was counted beyond the limits of an hour is counted once, however often the planner starts", async () => {
  const { clock, person, hourMs, matches } = await eightInAnHour();
  {
    await using planner = await startTestPlanner(opened.store, clock, { hourMs });
    planner.publish(matches);
    await expect.poll(person.journal).toHaveLength(6);
  }
  await (await startTestPlanner(opened.store, clock, { hourMs }))[Symbol.asyncDispose]();
  await using _ = await startTestPlanner(opened.store, clock, { hourMs });
  const title = async () => {
    await clock.advance(1_000);
    return (await person.journal()).at(-1)?.title;
  };
  await expect.poll(title).toBe("Et 2 autres articles");
});

test("the group of an hour names a filter that was paused meanwhile", async () => {
  const clock = new FakeClock(Date.now());
  const person = await anAlertedPerson(opened.store);
  await using planner = await startTestPlanner(opened.store, clock, { hourMs: 10_000 });
  planner.publish(listings(8, clock.nowMs()).map((seen) => person.match(seen, clock.nowMs())));
  await expect.poll(person.journal).toHaveLength(6);
  const pause = (filter: NewFilter) => ({ ...filter, isActive: false });
  await opened.store.filters.change(person.userId, [person.filterId], pause, { nowMs: clock.nowMs() });
  planner.changed(person.userId);
  const bodies = async () => {
    await clock.advance(1_000);
    const rows = await opened.store.db.select().from(alertOutbox).where(eq(alertOutbox.type, "group"));
    return rows.map(({ message }) => message.body);
  };
  await expect.poll(bodies).toEqual(["Vestes 2"]);
});

test("a match of an hour that exceeded the limits, handled just after its end, is sent", async () => {
  const clock = new FakeClock(Date.now());
  const person = await anAlertedPerson(opened.store);
  const [hourMs, beganAtMs] = [10_000, clock.nowMs()];
  await using planner = await startTestPlanner(opened.store, clock, { hourMs });
  const publishAt = (count: number, atMs: number): void => {
    planner.publish(listings(count, atMs).map((seen) => person.match(seen, atMs)));
  };
  publishAt(7, beganAtMs);
  const title = async () => {
    await clock.advance(1_000);
    return (await person.journal()).at(-1)?.title;
  };
  await expect.poll(title).toBe("Et un autre article");
  publishAt(1, beganAtMs + hourMs - 1);
  await expect.poll(person.journal).toHaveLength(8);
});

test("a start after a pause that was ended early does not send what its digest counted", async () => {
  const clock = new FakeClock(Date.now());
  const person = await anAlertedPerson(opened.store);
  const pausedUntil = async (pausedUntilMs: number): Promise<void> => {
    await opened.store.alerts.changeSettings(person.userId, { pausedUntilMs });
  };
  await pausedUntil(clock.nowMs() + 3_600_000);
  const seen = listings(2, clock.nowMs());
  const matches = seen.map((one) => person.match(one, clock.nowMs()));
  {
    await using planner = await startTestPlanner(opened.store, clock);
    await record(seen, matches);
    planner.publish(matches);
    await pausedUntil(clock.nowMs() + 2_000);
    planner.changed(person.userId);
    const title = async () => {
      await clock.advance(1_000);
      return (await person.journal()).at(-1)?.title;
    };
    await expect.poll(title).toBe("Pendant votre pause");
  }
  await pausedUntil(0);
  await using _ = await startTestPlanner(opened.store, clock);
  expect(await person.journal()).toHaveLength(1);
});

test("a person whose change was not announced to this node is alerted once people are read again", async () => {
  const clock = new FakeClock(Date.now());
  await using planner = await startTestPlanner(opened.store, clock, { peopleAgeMs: 60_000 });
  const person = await anAlertedPerson(opened.store);
  const count = async () => {
    await clock.advance(10_000);
    planner.publish(listings(1, clock.nowMs()).map((seen) => person.match(seen, clock.nowMs())));
    return (await person.journal()).length;
  };
  expect(await count()).toBe(0);
  await expect.poll(count).toBeGreaterThan(0);
});

test("a match published before the start and recorded after it is planned too", async () => {
  const clock = new FakeClock(Date.now());
  const person = await anAlertedPerson(opened.store);
  const late = listings(1, clock.nowMs() - 1_000);
  await using planner = await startTestPlanner(opened.store, clock);
  expect(planner).toBeDefined();
  await record(
    late,
    late.map((seen) => person.match(seen, clock.nowMs() - 1_000)),
  );
  const count = async () => {
    await clock.advance(1_000);
    return (await person.journal()).length;
  };
  await expect.poll(count).toBe(1);
});

test("more matches than the queue holds are read again from the store: none is lost", async () => {
  const clock = new FakeClock(Date.now());
  const person = await anAlertedPerson(opened.store, { filter: { alertMaxPerHour: 60 } });
  await opened.store.alerts.changeSettings(person.userId, { maxPerHour: 120 });
  const somebody = await anAlertedPerson(opened.store, { filter: { alertMode: "none" } });
  await using planner = await startTestPlanner(opened.store, clock);
  const own = listings(20, clock.nowMs());
  const matches = own.map((seen) => person.match(seen, clock.nowMs()));
  await record(own, matches);
  planner.publish(matches);
  const [other = aSeenListing()] = listings(1, clock.nowMs());
  const flood = Array.from({ length: 30_000 }, () => somebody.match(other, clock.nowMs()));
  planner.publish(flood);
  planner.publish(flood);
  await expect.poll(async () => (await person.journal()).length).toBe(20);
});
