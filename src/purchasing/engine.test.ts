import { eq } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { eur } from "#domain/money.ts";
import { systemClock } from "#server/clock.ts";
import { purchases } from "#store/schema/purchase-tables.ts";
import { aStanding } from "#verify/testing/a-listing.ts";
import { centsOf, paymentsTaken, startBuyingWorld, type BuyingWorld } from "./buying-world.suite.ts";
import { replaceFilter } from "#verify/testing/replace-filter.ts";

let world: BuyingWorld;

beforeAll(async () => {
  world = await startBuyingWorld();
});

afterEach(async () => {
  await world.sandbox.clearFaults();
  expect(await world.store.purchases.auditLedger(Date.now())).toEqual([]);
});

afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

describe("an automatic purchase", () => {
  it("is paid once, matches the ledger, and is published after it is durable", async () => {
    const lea = await world.person("thunder-lea");
    const filter = await world.autobuyFilter(lea);
    const listing = await world.listing({ shipping: 3 });
    world.purchasing().offer([world.wish(lea, filter, listing)]);
    const record = await world.settled(lea, listing, "confirmed");
    const [order] = await world.truth(listing);
    expect(order).toMatchObject({
      transaction_id: record.transactionId,
      account: "thunder-lea",
      payments: 1,
    });
    expect(order === undefined ? null : centsOf(order)).toBe(record.chargedCents);
    expect(record).toMatchObject({ holdCents: 0, filterId: filter.id, source: "auto", lane: "thunder" });
    expect(await world.purchasing().list(lea.id)).toHaveLength(1);
    await expect
      .poll(() => world.published)
      .toContainEqual({ kind: "purchase_changed", userId: lea.id, purchaseId: record.id });
  });

  it("never pays more for the item than the filter's limit, however the price rose since the match", async () => {
    const person = await world.person("thunder-cap");
    const filter = await world.autobuyFilter(person, { priceCapEur: 12 });
    const listing = await world.listing({ price: 10 });
    await world.sandbox.changePrice(listing.id, 11);
    world.purchasing().offer([world.wish(person, filter, listing)]);
    const record = await world.settled(person, listing, "failed");
    expect(record).toMatchObject({ failureReason: "price_rose", holdCents: 0, reachedCheckout: true });
    expect(paymentsTaken(await world.truth(listing))).toBe(0);
  });

  it("pays a risen price within the filter's limit, unless the filter asks for a good price", async () => {
    const person = await world.person("thunder-bargain");
    const buys = async (bargainPercent: 10 | null) => {
      const filter = await world.autobuyFilter(person, { priceCapEur: 20, bargainPercent });
      const listing = await world.listing({ price: 10 });
      await world.sandbox.changePrice(listing.id, 11);
      const wish = world.wish(person, filter, listing);
      world.purchasing().offer([{ ...wish, listing: { ...wish.listing, standing: aStanding() } }]);
      return await world.settled(person, listing, "confirmed", "failed");
    };
    expect(await buys(null)).toMatchObject({ state: "confirmed" });
    expect(await buys(10)).toMatchObject({ state: "failed", failureReason: "price_rose", holdCents: 0 });
  });

  it("counts shipping against the day's budget, not against the filter's limit", async () => {
    const person = await world.person("thunder-shipping");
    const filter = await world.autobuyFilter(person, { priceCapEur: 12 });
    const dear = await world.listing({ price: 10, shipping: 15 });
    await world.limit(person, { dayEur: 20 });
    world.purchasing().offer([world.wish(person, filter, dear)]);
    expect(await world.settled(person, dear, "failed")).toMatchObject({ failureReason: "limit_reached" });
    const cheap = await world.listing({ price: 10, shipping: 5 });
    world.purchasing().offer([world.wish(person, filter, cheap)]);
    const record = await world.settled(person, cheap, "confirmed");
    expect(record.chargedCents).toBeGreaterThan(1_200);
  });

  it("is not attempted for a person who could not pay three in a row, until they change something", async () => {
    const person = await world.person("thunder-empty");
    // More expensive than any wallet of the sandbox can pay.
    const filter = await world.autobuyFilter(person, { paymentMethodId: 11, priceCapEur: 10_000 });
    await world.limit(person, { dayEur: 100_000, monthEur: 100_000 });
    for (let n = 0; n < 3; n += 1) {
      const listing = await world.listing({ price: 900 });
      world.purchasing().offer([world.wish(person, filter, listing)]);
      const record = await world.settled(person, listing, "failed");
      expect(record).toMatchObject({ failureReason: "insufficient_funds" });
    }
    const refusals = () =>
      world.logged
        .filter(({ fields }) => fields["userId"] === person.id)
        .flatMap(({ fields }) => fields["refusal"] ?? []);
    const unpaid = await world.listing({ price: 10 });
    world.purchasing().offer([world.wish(person, filter, unpaid)]);
    await expect.poll(refusals).toEqual(["cannot_pay"]);
    // What a node that died left unpublished is no change by the person.
    const forgotten = { isPublished: false, updatedAtMs: systemClock.nowMs() - 60_000 };
    await world.store.db.update(purchases).set(forgotten).where(eq(purchases.userId, person.id));
    const unpublished = () => world.store.purchases.unpublished(systemClock.nowMs(), 10);
    await expect.poll(unpublished).toEqual([]);
    world.purchasing().offer([world.wish(person, filter, unpaid)]);
    await expect.poll(refusals).toEqual(["cannot_pay", "cannot_pay"]);
    expect(await world.truth(unpaid)).toEqual([]);
    await world.events.publish({ kind: "settings_changed", userId: person.id });
    const wanted = await world.listing({ price: 10 });
    world.purchasing().offer([world.wish(person, filter, wanted)]);
    await world.settled(person, wanted, "confirmed");
  });

  it("fails without being listed when somebody else was faster", async () => {
    const person = await world.person("thunder-late");
    const filter = await world.autobuyFilter(person);
    const listing = await world.listing();
    await world.sandbox.sellToSomebodyElse(listing.id);
    world.purchasing().offer([world.wish(person, filter, listing)]);
    const record = await world.settled(person, listing, "failed");
    expect(record).toMatchObject({ failureReason: "sold", reachedCheckout: false });
    expect(await world.purchasing().list(person.id)).toEqual([]);
  });

  it("is not begun for a filter that was switched off after the match", async () => {
    const person = await world.person("thunder-off");
    const filter = await world.autobuyFilter(person);
    const listing = await world.listing();
    const wish = world.wish(person, filter, listing);
    await world.store.filters.stopAutobuy(person.id);
    world.purchasing().offer([wish]);
    await expect.poll(() => world.logged.some(({ fields }) => fields["refusal"] === "filter_off")).toBe(true);
    expect(await world.record(person, listing)).toBeNull();
  });

  it("is refused to a plan without auto-buy, and while the person has stopped everything", async () => {
    const listing = await world.listing();
    const seeker = await world.person("seeker-sam", "seeker");
    const stopped = await world.person("thunder-stopped");
    await world.limit(stopped, { isStopped: true });
    for (const person of [seeker, stopped]) {
      const filter = await world.autobuyFilter(person);
      world.purchasing().offer([world.wish(person, filter, listing)]);
    }
    await expect
      .poll(() => world.logged.map(({ fields }) => fields["refusal"]))
      .toEqual(expect.arrayContaining(["no_plan", "stopped"]));
    expect(await world.truth(listing)).toEqual([]);
  });

  it("is delivered to the first of the person's relay points that is offered, asked for once only if it is their very first", async () => {
    const person = await world.person("thunder-relay");
    const filter = await world.autobuyFilter(person);
    await world.sandbox.resetCounters();
    const bought = async (...pickupPointNames: readonly string[]) => {
      await world.store.settings.change(person.id, { pickupPointNames }, Date.now());
      const listing = await world.listing({ shipping: 4 });
      world.purchasing().offer([world.wish(person, filter, listing)]);
      const { chargedCents } = await world.settled(person, listing, "confirmed");
      const { by_route: counts } = await world.sandbox.requests();
      return { chargedCents, asked: counts["points"] };
    };
    const first = await bought("Nulle part", "relais colis BASTILLE");
    expect(first.asked).toBe(1);
    expect(await bought("Nulle part", "relais colis BASTILLE")).toEqual({ ...first, asked: 2 });
    expect(await bought("relais colis BASTILLE", "Nulle part")).toEqual({ ...first, asked: 2 });
  });

  it("ends the filter's auto-buy once its own maximum is bought", async () => {
    const person = await world.person("thunder-max");
    const filter = await world.autobuyFilter(person, { maxPurchases: 1 });
    const [first, second] = [await world.listing(), await world.listing()];
    world.purchasing().offer([world.wish(person, filter, first), world.wish(person, filter, second)]);
    await world.settled(person, first, "confirmed");
    await expect
      .poll(async () => (await world.store.filters.byId(person.id, filter.id))?.isAutobuy)
      .toBe(false);
    expect(await world.truth(second)).toEqual([]);
    expect(world.published).toContainEqual({
      kind: "filters_changed",
      userId: person.id,
      filterIds: [filter.id],
    });
  });

  it("of a simulation is decided and recorded without any checkout request", async () => {
    const person = await world.person("thunder-dry");
    const filter = await world.autobuyFilter(person, { isSimulation: true });
    const listing = await world.listing();
    await world.limit(person, { dayEur: 0 });
    await world.sandbox.resetCounters();
    world.purchasing().offer([world.wish(person, filter, listing)]);
    const record = await world.settled(person, listing, "confirmed");
    expect(record).toMatchObject({ mode: "simulation", transactionId: null, chargedCents: null });
    expect((await world.sandbox.requests()).by_route["conversation"] ?? 0).toBe(0);
    expect(await world.purchasing().list(person.id)).toHaveLength(1);
  });

  it("of a simulation buys nothing once the filter pays", async () => {
    const person = await world.person("thunder-rehearsed");
    const filter = await world.autobuyFilter(person, { isSimulation: true });
    const listing = await world.listing();
    const wish = world.wish(person, filter, listing);
    await replaceFilter(world.store.filters, { ...filter, isSimulation: false }, wish.matchedAtMs);
    world.purchasing().offer([wish]);
    const isOwn = (fields: Readonly<Record<string, unknown>>) => fields["userId"] === person.id;
    await expect
      .poll(() => world.logged.filter(({ fields }) => isOwn(fields)))
      .toMatchObject([{ fields: { refusal: "filter_off" } }]);
    expect(await world.truth(listing)).toEqual([]);
  });

  it("of a simulation does not keep the listing from those who pay", async () => {
    const [dry, live] = [
      await world.person("thunder-rehearsal"),
      await world.person("acquire-real", "acquire"),
    ];
    const [dryFilter, liveFilter] = [
      await world.autobuyFilter(dry, { isSimulation: true }),
      await world.autobuyFilter(live),
    ];
    const listing = await world.listing();
    world.purchasing().offer([world.wish(dry, dryFilter, listing), world.wish(live, liveFilter, listing)]);
    await world.settled(dry, listing, "confirmed");
    await world.settled(live, listing, "confirmed");
    expect((await world.truth(listing)).map(({ account }) => account)).toEqual(["acquire-real"]);
  });
});

describe("a click", () => {
  it("answers with the confirmed purchase", async () => {
    const person = await world.person("seeker-click", "seeker");
    const listing = await world.listing();
    const outcome = await world
      .purchasing()
      .click({ userId: person.id, listingId: listing.id, seenPrice: eur(listing.totalPriceCents) });
    expect(outcome).toMatchObject({ kind: "accepted", purchase: { state: "confirmed", source: "click" } });
  });

  it("sent a hundred times at once is one purchase: the others are answered 'already bought'", async () => {
    const person = await world.person("seeker-eager", "seeker");
    const listing = await world.listing();
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => world.click(person, listing)));
    const kinds = outcomes.map(({ kind }) => kind).sort();
    expect(kinds.filter((kind) => kind === "accepted")).toHaveLength(1);
    expect(kinds.filter((kind) => kind === "already_bought")).toHaveLength(99);
    expect(paymentsTaken(await world.truth(listing))).toBe(1);
    expect(await world.store.purchases.journal(person.id, 10)).toHaveLength(1);
  });

  it("of two people for one listing pays once; the other is refused at once as taken", async () => {
    const [one, other] = [
      await world.person("seeker-one", "seeker"),
      await world.person("seeker-two", "seeker"),
    ];
    const listing = await world.listing();
    const outcomes = await Promise.all([one, other].map((person) => world.click(person, listing)));
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["accepted", "taken_by_other"]);
    expect(paymentsTaken(await world.truth(listing))).toBe(1);
  });

  it("is refused with the current price when it rose above what the person saw", async () => {
    const person = await world.person("seeker-price", "seeker");
    const listing = await world.listing({ price: 10 });
    const request = { userId: person.id, listingId: listing.id, seenPrice: eur(listing.totalPriceCents) };
    const seen = await world.store.listings.byId(listing.id);
    if (seen === null) throw new Error("the listing is not stored");
    const cheaper = { ...seen, standing: aStanding(), cheaperSinceMs: seen.seenAtMs };
    await world.store.listings.record({ listings: [cheaper], matches: [], marks: [] });
    await world.sandbox.changePrice(listing.id, 20);
    const outcome = await world.purchasing().click(request);
    expect(outcome).toMatchObject({ kind: "price_rose", nowCents: 2_170 });
    // A quote's price is published to everyone, without what was known of the lower one.
    const known = await world.store.listings.byId(listing.id);
    expect(known?.listing.totalPriceCents).toBe(2_170);
    expect(known?.standing ?? known?.cheaperSinceMs).toBeUndefined();
    expect(world.published).toContainEqual(
      expect.objectContaining({ kind: "price_rose", listingId: listing.id, totalPriceCents: 2_170 }),
    );
    expect(await world.purchasing().click(request)).toEqual({ kind: "price_rose", nowCents: 2_170 });
    const agreed = { ...request, seenPrice: eur(2_170) };
    expect(await world.purchasing().click(agreed)).toMatchObject({ kind: "accepted" });
  });

  it("names the failed purchase, so that its failure is shown once", async () => {
    const person = await world.person("seeker-named", "seeker");
    const listing = await world.listing({ price: 10 });
    const request = { userId: person.id, listingId: listing.id, seenPrice: eur(listing.totalPriceCents) };
    await world.sandbox.changePrice(listing.id, 20);
    const outcome = await world.purchasing().click(request);
    const [record] = await world.purchasing().list(person.id);
    expect(record).toMatchObject({ state: "failed", failureReason: "price_rose" });
    expect(outcome).toMatchObject({ kind: "price_rose", purchaseId: record?.id });
  });

  it("may be retried after a failure, in a new epoch", async () => {
    const person = await world.person("seeker-again", "seeker");
    const listing = await world.listing({ price: 10 });
    await world.sandbox.changePrice(listing.id, 20);
    expect((await world.click(person, listing)).kind).toBe("price_rose");
    await world.sandbox.changePrice(listing.id, 10);
    expect(await world.click(person, listing)).toMatchObject({
      kind: "accepted",
      purchase: { epoch: 1, state: "confirmed" },
    });
  });

  it("names what is missing, a limit that is reached, and an unknown listing", async () => {
    const person = await world.person("seeker-bare", "seeker");
    const listing = await world.listing();
    await world.limit(person, { purchasesPerDay: 0 });
    expect(await world.click(person, listing)).toEqual({ kind: "limit_reached", limit: "count" });
    await world.limit(person, { purchasesPerDay: 20, dayEur: 1 });
    expect(await world.click(person, listing)).toEqual({ kind: "limit_reached", limit: "day" });
    await world.limit(person, { dayEur: 300, monthEur: 1 });
    expect(await world.click(person, listing)).toEqual({ kind: "limit_reached", limit: "month" });
    const empty = { street: "", city: "", postalCode: 0, country: "France" } as const;
    await world.store.settings.change(
      person.id,
      { refreshToken: null, address: empty, limits: { monthEur: 2_000 } },
      Date.now(),
    );
    expect(await world.click(person, listing)).toEqual({
      kind: "missing",
      what: ["account", "address"],
    });
    const unknown = { id: (listing.id + 999) as typeof listing.id };
    expect(await world.click(person, unknown)).toEqual({ kind: "unknown_listing" });
    expect(await world.truth(listing)).toEqual([]);
  });

  it("passes 'Tout arrêter', which binds automatic purchases only", async () => {
    const person = await world.person("thunder-pause");
    const listing = await world.listing();
    await world.limit(person, { isStopped: true });
    expect((await world.click(person, listing)).kind).toBe("accepted");
  });

  it("pays from the wallet when the settings say so, and fails plainly when it is empty", async () => {
    const person = await world.person("seeker-wallet", "seeker");
    await world.store.settings.change(
      person.id,
      { paymentMethodId: 11, limits: { dayEur: 5_000 } },
      Date.now(),
    );
    const [dear, cheap] = [await world.listing({ price: 900 }), await world.listing({ price: 10 })];
    const buy = (listingId: typeof dear.id) =>
      world.purchasing().click({ userId: person.id, listingId, seenPrice: null });
    expect(await buy(dear.id)).toMatchObject({ kind: "failed", reason: "insufficient_funds" });
    expect((await buy(cheap.id)).kind).toBe("accepted");
  });
});

describe("3-D Secure", () => {
  it("awaits the bank with a link, keeps the hold, and is confirmed when the person was", async () => {
    const person = await world.person("seeker-secure", "seeker");
    const listing = await world.listing({ secure: true });
    const outcome = await world.click(person, listing);
    expect(outcome).toMatchObject({ kind: "accepted", purchase: { state: "awaiting" } });
    const awaited = await world.settled(person, listing, "awaiting");
    expect(awaited.confirmUrl).toMatch(/^http/);
    expect(awaited.holdCents).toBeGreaterThan(0);
    await world.sandbox.confirm(awaited.transactionId ?? 0);
    const record = await world.settled(person, listing, "confirmed");
    expect(record).toMatchObject({ confirmUrl: null, holdCents: 0, transactionId: awaited.transactionId });
    expect(paymentsTaken(await world.truth(listing))).toBe(1);
  });

  it("releases the hold when the order was cancelled", async () => {
    const person = await world.person("seeker-unsure", "seeker");
    const listing = await world.listing({ secure: true });
    await world.click(person, listing);
    const awaited = await world.settled(person, listing, "awaiting");
    await world.sandbox.cancelBySeller(awaited.transactionId ?? 0);
    expect(await world.settled(person, listing, "failed")).toMatchObject({
      failureReason: "not_confirmed",
      holdCents: 0,
    });
  });
});

describe("a cancel", () => {
  async function bought(name: string) {
    const person = await world.person(name, "seeker");
    const listing = await world.listing();
    await world.click(person, listing);
    const { transactionId } = await world.settled(person, listing, "confirmed");
    return { person, listing, transactionId: transactionId ?? 0 };
  }

  it("is 'Annulé' once the marketplace shows it, and re-opens no limit", async () => {
    const { person, listing, transactionId } = await bought("seeker-cancel");
    await world.limit(person, { dayEur: 12 });
    const cancel = async () => await world.purchasing().cancel(person.id, transactionId);
    expect(await Promise.all([cancel(), cancel()])).toEqual([{ kind: "asked" }, { kind: "asked" }]);
    await world.settled(person, listing, "cancelled");
    expect((await world.truth(listing))[0]?.state).toBe("cancelled");
    expect(await cancel()).toEqual({ kind: "not_confirmed" });
    const another = await world.listing();
    expect(await world.click(person, another)).toEqual({ kind: "limit_reached", limit: "day" });
    expect(await world.purchasing().hideCancelled(person.id)).toBe(1);
    expect(await world.purchasing().list(person.id)).toEqual([]);
  });

  it("that the marketplace refuses leaves the purchase confirmed", async () => {
    const { person, listing, transactionId } = await bought("seeker-refused");
    await world.sandbox.arm({ kind: "cancel_refused", rate: 1 });
    await world.purchasing().cancel(person.id, transactionId);
    await expect
      .poll(async () => await world.record(person, listing))
      .toMatchObject({ state: "confirmed", failureReason: "not_cancelled" });
    expect((await world.truth(listing))[0]?.state).toBe("paid");
    const [latest] = await world.store.audit.ofUser(person.id, 1);
    expect(latest).toMatchObject({
      kind: "purchase.confirmed",
      details: { from: expect.stringMatching(/^cancel/) as string, reason: "not_cancelled" },
    });
    // A second request is treated like the first.
    await world.sandbox.clearFaults();
    await world.purchasing().cancel(person.id, transactionId);
    await expect
      .poll(async () => await world.record(person, listing))
      .toMatchObject({ state: "cancelled", failureReason: null });
  });

  it("of somebody else's order, or of none, finds nothing", async () => {
    const { transactionId } = await bought("seeker-owner");
    const stranger = await world.person("seeker-stranger", "seeker");
    expect(await world.purchasing().cancel(stranger.id, transactionId)).toEqual({ kind: "not_found" });
    expect(await world.purchasing().cancel(stranger.id, 1)).toEqual({ kind: "not_found" });
  });
});
