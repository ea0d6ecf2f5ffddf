import { expect, it } from "vitest";
import type { NewFilter } from "#store/market-store.ts";
import { Secret } from "#domain/secret.ts";
import { EMPTY_ADDRESS } from "#domain/settings.ts";
import { MarketplaceError } from "#marketplace/errors.ts";
import { sleep } from "#domain/clock.ts";
import { systemClock } from "#server/clock.ts";
import { paymentsTaken } from "../buying-world.suite.ts";
import { buyingWorldPerTest } from "../world-per-test.suite.ts";
import { replaceFilter } from "#verify/testing/replace-filter.ts";

const start = buyingWorldPerTest();

/** A world whose quotes are held until they are released. */
async function startHolding() {
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  const world = await start({
    async intercept(name, call) {
      const answer = await call();
      if (name === "updateCheckout") await isReleased;
      return answer;
    },
  });
  return { world, release };
}

type Edit = (nowMs: number) => Partial<NewFilter>;
const off: Edit = () => ({ isActive: false, activatedAtMs: null });
const onAgain: Edit = (nowMs) => ({ isActive: true, activatedAtMs: nowMs });

/** The person's edits, in order, between the intent and the quote. */
const EDITS = {
  "lowers the limit": { edits: [() => ({ priceCapEur: 5 })], reason: "rule_reached" },
  "excludes a word of its title": { edits: [() => ({ excludeWords: [["robe"]] })], reason: "stopped" },
  "asks for a simulation only": { edits: [() => ({ isSimulation: true })], reason: "stopped" },
  "switches it off": { edits: [off], reason: "stopped" },
  "switches it off and on again": { edits: [off, onAgain], reason: "stopped" },
} satisfies Record<string, { edits: readonly Edit[]; reason: string }>;

it.each(Object.entries(EDITS))(
  "a purchase under way pays nothing when the filter's owner %s",
  async (_, { edits, reason }) => {
    const { world, release } = await startHolding();
    const person = await world.person("thunder-meanwhile");
    const filter = await world.autobuyFilter(person, { priceCapEur: 50 });
    const listing = await world.listing({ price: 10 });
    world.purchasing().offer([world.wish(person, filter, listing)]);
    await world.settled(person, listing, "submitting");
    for (const edit of edits) {
      const nowMs = systemClock.nowMs();
      expect(await replaceFilter(world.store.filters, { ...filter, ...edit(nowMs) }, nowMs)).toBe("saved");
    }
    release();
    expect(await world.settled(person, listing, "failed", "confirmed")).toMatchObject({
      failureReason: reason,
    });
    expect(paymentsTaken(await world.truth(listing))).toBe(0);
  },
);

it("a wish that another node still delivers is not bought after an edit, and one of the new criteria is", async () => {
  const world = await start({ overrides: { isSoleNode: false } });
  const person = await world.person("thunder-edited");
  const filter = await world.autobuyFilter(person, { priceCapEur: 50 });
  const [unwanted, wanted] = await world.listings(2, { price: 10 });
  if (unwanted === undefined || wanted === undefined) throw new Error("nothing was published");
  const [before, other] = [world.wish(person, filter, unwanted), await world.anotherNode()];
  await sleep(systemClock, 5);
  const exclude = (known: NewFilter) => ({ ...known, excludeWords: [["robe"]] });
  await world.store.filters.change(person.id, [filter.id], exclude, { nowMs: systemClock.nowMs() });
  await world.events.publish({ kind: "filters_changed", userId: person.id, filterIds: [filter.id] });
  other.offer([before, world.wish(person, filter, wanted)]);
  await world.settled(person, wanted, "confirmed");
  expect(await world.record(person, unwanted)).toBeNull();
  expect(await world.truth(unwanted)).toEqual([]);
});

it("a wish of before an edit of the price alone is bought within the new limit", async () => {
  const world = await start();
  const person = await world.person("thunder-dearer");
  const filter = await world.autobuyFilter(person, { priceCapEur: 5 });
  const listing = await world.listing({ price: 10 });
  const before = world.wish(person, filter, listing);
  await sleep(systemClock, 5);
  await replaceFilter(world.store.filters, { ...filter, priceCapEur: 50 }, systemClock.nowMs());
  world.purchasing().offer([before]);
  await world.settled(person, listing, "confirmed");
});

it("of two purchases under way only one is paid when the filter's maximum is lowered to one", async () => {
  const { world, release } = await startHolding();
  const person = await world.person("thunder-lowered");
  const filter = await world.autobuyFilter(person, { maxPurchases: 2 });
  const listings = await world.listings(2, { price: 10 });
  world.purchasing().offer(listings.map((listing) => world.wish(person, filter, listing)));
  await Promise.all(listings.map((listing) => world.settled(person, listing, "submitting")));
  await replaceFilter(world.store.filters, { ...filter, maxPurchases: 1 }, systemClock.nowMs());
  release();
  const ends = await Promise.all(
    listings.map((listing) => world.settled(person, listing, "failed", "confirmed")),
  );
  expect(ends.map(({ state, failureReason }) => failureReason ?? state).toSorted()).toEqual([
    "confirmed",
    "rule_reached",
  ]);
});

it("another account that is connected before the payment pays, and the listing does not count as gone", async () => {
  let reconnect: (() => Promise<void>) | null = null;
  const world = await start({
    async intercept(name, call) {
      const answer = await call();
      if (name !== "updateCheckout" || reconnect === null) return answer;
      await reconnect();
      reconnect = null;
      return answer;
    },
  });
  const person = await world.person("thunder-first");
  const filter = await world.autobuyFilter(person);
  const listing = await world.listing();
  const refreshToken = new Secret("sandbox-thunder-second");
  reconnect = () => world.store.settings.change(person.id, { refreshToken }, systemClock.nowMs());
  world.purchasing().offer([world.wish(person, filter, listing)]);
  expect(await world.settled(person, listing, "failed", "confirmed")).toMatchObject({
    state: "confirmed",
    attemptCount: 2,
  });
  expect(paymentsTaken(await world.truth(listing))).toBe(1);
});

it("a second attempt ships to the address that is saved by then", async () => {
  let forget: (() => Promise<void>) | null = null;
  const world = await start({
    async intercept(name, call) {
      if (name !== "openTransaction" || forget === null) return await call();
      await forget();
      forget = null;
      throw new MarketplaceError("server_error");
    },
  });
  const person = await world.person("thunder-moved");
  const filter = await world.autobuyFilter(person);
  const listing = await world.listing();
  forget = () => world.store.settings.change(person.id, { address: EMPTY_ADDRESS }, systemClock.nowMs());
  world.purchasing().offer([world.wish(person, filter, listing)]);
  expect(await world.settled(person, listing, "failed", "confirmed")).toMatchObject({
    attemptCount: 2,
    failureReason: "address_invalid",
  });
});
