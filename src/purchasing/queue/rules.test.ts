import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NO_RULES } from "#domain/buying-rules.ts";
import type { Filter } from "#domain/market/filter.ts";
import { asGroupId, type GroupId } from "#domain/ids.ts";
import type { User } from "#domain/user.ts";
import { systemClock } from "#server/clock.ts";
import { type BuyingWorld, paymentsTaken, startBuyingWorld } from "../buying-world.suite.ts";

let world: BuyingWorld;
let groupCount = 0;

beforeAll(async () => {
  world = await startBuyingWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

async function groupOf(
  user: User,
  filters: readonly Filter[],
  terms: { readonly maxPurchases?: number; readonly budgetEur?: number | null } = {},
): Promise<GroupId> {
  groupCount += 1;
  const id = asGroupId(`group-${groupCount}`);
  const filterIds = filters.map((filter) => filter.id);
  const group = {
    id,
    userId: user.id,
    name: "Manteau",
    maxPurchases: 1,
    budgetEur: null,
    ...terms,
    filterIds,
  };
  await world.store.groups.add(group, { nowMs: systemClock.nowMs(), limit: 50 });
  return id;
}

const refusalsOf = (user: User) =>
  world.logged.filter(({ fields }) => fields["userId"] === user.id).map(({ fields }) => fields["refusal"]);

describe("a group of filters", () => {
  it("buys one article among them, however many wishes come at once, and stops with it", async () => {
    const person = await world.person("thunder-group");
    const filters = await Promise.all([world.autobuyFilter(person), world.autobuyFilter(person)]);
    const groupId = await groupOf(person, filters);
    const listings = await Promise.all(Array.from({ length: 6 }, () => world.listing()));
    const wishes = listings.flatMap((listing) =>
      filters.map((filter) => world.wish(person, filter, listing)),
    );
    world.purchasing().offer(wishes);
    await expect
      .poll(() => world.published.filter(({ kind }) => kind === "autobuy_stopped"))
      .toMatchObject([{ userId: person.id, groupId, reason: "group" }]);
    const orders = (await Promise.all(listings.map((listing) => world.truth(listing)))).flat();
    expect(paymentsTaken(orders)).toBe(1);
    for (const { id } of filters)
      expect(await world.store.filters.byId(person.id, id)).toMatchObject({
        isAutobuy: false,
        autobuyEnd: { reason: "group" },
      });
  });

  it("tries the second article when the first turns out sold", async () => {
    const person = await world.person("thunder-second");
    const filter = await world.autobuyFilter(person);
    await groupOf(person, [filter]);
    const [first, second] = [await world.listing(), await world.listing()];
    await world.sandbox.sellToSomebodyElse(first.id);
    // Long enough for the second wish to be refused the place.
    await world.sandbox.arm({ route: "conversation", kind: "latency", rate: 1, count: 1, delay_ms: 700 });
    world.purchasing().offer([world.wish(person, filter, first), world.wish(person, filter, second)]);
    expect(await world.settled(person, first, "failed")).toMatchObject({ failureReason: "sold" });
    await world.settled(person, second, "confirmed");
    // It waited: no refusal was final.
    expect(refusalsOf(person).filter((refusal) => refusal !== undefined)).toEqual([]);
  });

  it("keeps the wish that waits for a place when it is allowed to buy more", async () => {
    const person = await world.person("thunder-more");
    const filter = await world.autobuyFilter(person);
    const id = await groupOf(person, [filter]);
    const [first, second] = [await world.listing(), await world.listing()];
    await world.sandbox.arm({ route: "conversation", kind: "latency", rate: 1, count: 1, delay_ms: 4_000 });
    world.purchasing().offer([world.wish(person, filter, first), world.wish(person, filter, second)]);
    await expect.poll(async () => (await world.purchasing().list(person.id)).length).toBe(1);
    const group = { id, userId: person.id, name: "Manteau", maxPurchases: 2, budgetEur: null };
    await world.store.groups.replace({ ...group, filterIds: [filter.id] }, systemClock.nowMs());
    await world.events.publish({ kind: "group_changed", userId: person.id, filterIds: [filter.id] });
    await world.settled(person, first, "confirmed");
    await world.settled(person, second, "confirmed");
  });

  it("whose budget does not cover the shipping pays nothing, and its filter pauses after three of them", async () => {
    const person = await world.person("thunder-group-shipping");
    const filter = await world.autobuyFilter(person);
    await groupOf(person, [filter], { maxPurchases: 9, budgetEur: 15 });
    for (let n = 0; n < 3; n += 1) {
      const dear = await world.listing({ price: 10, shipping: 9 });
      world.purchasing().offer([world.wish(person, filter, dear)]);
      const record = await world.settled(person, dear, "failed");
      expect(record).toMatchObject({ failureReason: "rule_reached", holdCents: 0, reachedCheckout: true });
      expect(paymentsTaken(await world.truth(dear))).toBe(0);
    }
    const cheap = await world.listing({ price: 5 });
    world.purchasing().offer([world.wish(person, filter, cheap)]);
    await expect.poll(() => refusalsOf(person)).toContain("rules_rest");
    await world.events.publish({ kind: "filters_changed", userId: person.id, filterIds: [filter.id] });
    const again = await world.listing({ price: 5 });
    world.purchasing().offer([world.wish(person, filter, again)]);
    await world.settled(person, again, "confirmed");
  });
});

describe("a listing that several filters of a person hold", () => {
  /** Neither today nor an adjacent day, in any time zone. */
  const otherDay = ((new Date(systemClock.nowMs()).getUTCDay() + 2) % 7) + 1;
  const notToday = { ...NO_RULES, days: [otherDay] };
  const misses = async (user: User) => await world.store.stories.misses(user.id, 10);

  it("is bought for the next filter when the first one may not buy it", async () => {
    const person = await world.person("thunder-next-filter");
    const [closed, cheap, open] = [
      await world.autobuyFilter(person, { rules: notToday }),
      await world.autobuyFilter(person, { priceCapEur: 5 }),
      await world.autobuyFilter(person),
    ];
    const listing = await world.listing();
    const otherFilterIds = [cheap.id, open.id];
    world.purchasing().offer([{ ...world.wish(person, closed, listing), otherFilterIds }]);
    expect(await world.settled(person, listing, "confirmed")).toMatchObject({ filterId: open.id });
    expect(paymentsTaken(await world.truth(listing))).toBe(1);
    expect(await misses(person)).toEqual([]);
  });

  it("is missed once, with the first filter's reason, when none of them may buy it", async () => {
    const person = await world.person("thunder-no-filter");
    const closed = await world.autobuyFilter(person, { rules: notToday });
    const cheap = await world.autobuyFilter(person, { priceCapEur: 5 });
    const listing = await world.listing();
    world.purchasing().offer([{ ...world.wish(person, closed, listing), otherFilterIds: [cheap.id] }]);
    await expect.poll(() => misses(person)).toMatchObject([{ filterId: closed.id, reason: "hours" }]);
    expect(await world.record(person, listing)).toBeNull();
  });

  it("is not tried for the next filter after a refusal that concerns the person", async () => {
    const person = await world.person("thunder-one-limit");
    const filters = [await world.autobuyFilter(person), await world.autobuyFilter(person)] as const;
    await world.limit(person, { dayEur: 1 });
    const listing = await world.listing();
    const wish = { ...world.wish(person, filters[0], listing), otherFilterIds: [filters[1].id] };
    world.purchasing().offer([wish]);
    await expect.poll(() => refusalsOf(person)).toEqual(["limit"]);
  });
});

describe("a filter's own rules", () => {
  it("end its buying after failures, and a process that dies first leaves the event for the next to publish", async () => {
    const person = await world.person("thunder-failures");
    const filter = await world.autobuyFilter(person, {
      paymentMethodId: 11,
      priceCapEur: 10_000,
      autobuySinceMs: systemClock.nowMs(),
      rules: { ...NO_RULES, maxFailures: 1 },
    });
    await world.limit(person, { dayEur: 100_000, monthEur: 100_000 });
    const dear = await world.listing({ price: 900 });
    world.purchasing().offer([world.wish(person, filter, dear)]);
    const record = await world.settled(person, dear, "failed");
    expect(record).toMatchObject({ failureReason: "insufficient_funds", isSetback: true });
    const stopEvent = {
      kind: "autobuy_stopped",
      reason: "failures",
      filterIds: [filter.id],
      purchaseId: record.id,
    };
    await expect.poll(() => world.published).toContainEqual(expect.objectContaining(stopEvent));
    expect(await world.store.purchases.stopsOf(record)).toMatchObject([{ reason: "failures" }]);
  });

  it("let an allowed article overtake those that wait for a place", async () => {
    const person = await world.person("thunder-overtakes");
    const filter = await world.autobuyFilter(person, { rules: { ...NO_RULES, perSellerAndDay: 1 } });
    const seller = { login: "lea86", id: 8_686 };
    const ofSeller = await Promise.all(Array.from({ length: 5 }, () => world.listing({ seller })));
    const [first, ...waiting] = ofSeller.map((listing) => world.wish(person, filter, listing));
    if (first === undefined) throw new Error("five listings");
    await world.sandbox.arm({ route: "conversation", kind: "latency", rate: 1, count: 1, delay_ms: 5_000 });
    world.purchasing().offer([first]);
    await expect.poll(async () => (await world.purchasing().list(person.id)).length).toBe(1);
    const other = await world.listing({ seller: { login: "tom42", id: 4_242 } });
    world.purchasing().offer([...waiting, world.wish(person, filter, other)]);
    await world.settled(person, other, "confirmed");
    expect((await world.record(person, first.listing.listing))?.state).not.toBe("confirmed");
    await world.settled(person, first.listing.listing, "confirmed");
  });

  it("count the clicks on a seller too", async () => {
    const person = await world.person("thunder-seller-count");
    const filter = await world.autobuyFilter(person, { rules: { ...NO_RULES, perSellerAndDay: 1 } });
    const seller = { login: "lea75", id: 7_575 };
    const [clicked, wished] = [await world.listing({ seller }), await world.listing({ seller })];
    expect((await world.click(person, clicked)).kind).toBe("accepted");
    await world.settled(person, clicked, "confirmed");
    world.purchasing().offer([world.wish(person, filter, wished)]);
    await expect.poll(() => refusalsOf(person)).toContain("rule");
    const other = await world.listing({ seller: { login: "tom31", id: 3_131 } });
    world.purchasing().offer([world.wish(person, filter, other)]);
    await world.settled(person, other, "confirmed");
  });
});
