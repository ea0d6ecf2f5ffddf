import { describe, expect, test } from "vitest";
import { BlockedSellers } from "#domain/market/blocked-sellers.ts";
import type { AConfirmerPayload, ArticlePayload, FiltrePayload } from "#contract/socket.ts";
import { asFilterId, asGroupId, asListingId, asPurchaseId } from "#domain/ids.ts";
import { aListing, aSeenListing } from "#verify/testing/a-listing.ts";
import { aPurchase } from "#verify/testing/a-purchase.ts";
import { aUser } from "#verify/testing/a-user.ts";
import {
  aRoom,
  ask,
  connected,
  COOKIES,
  handshake,
  idsOf,
  LEA,
  maskedFrame,
  matchOf,
  open,
  openWire,
  TOM,
} from "./realtime-room.suite.ts";

describe("who may connect", () => {
  test.each(["websocket", "polling"] as const)("a subscriber may, over %s", async (transport) => {
    const room = await aRoom();
    const tab = await connected(room.url, COOKIES.lea, { transport });
    tab.socket.emit("flux_handler");
    await expect.poll(() => tab.flux).toEqual([{ items: [], curseur: "0" }]);
  });

  test.each([
    ["nobody's session", COOKIES.nobody, "connect_error: Votre session est terminée : reconnectez-vous."],
    ["no session", null, "connect_error: Votre session est terminée : reconnectez-vous."],
    ["level 0", COOKIES.tom, "connect_error: Votre abonnement ne donne pas accès au flux."],
  ])("%s is refused with a reason in French", async (_name, cookie, life) => {
    const room = await aRoom();
    const tab = open(room.url, cookie);
    await expect.poll(() => tab.life).toEqual([life]);
  });

  test("the sixth socket of a person is refused with a message until one of the five closes", async () => {
    const room = await aRoom();
    const tabs = await Promise.all(Array.from({ length: 5 }, () => connected(room.url, COOKIES.lea)));
    const sixth = open(room.url, COOKIES.leaElsewhere);
    await expect
      .poll(() => sixth.life)
      .toEqual(["connect_error: Trop d'onglets sont ouverts : cinq connexions au plus par personne."]);
    tabs[0]?.socket.close();
    await expect.poll(() => room.realtime.socketCount).toBe(4);
    await connected(room.url, COOKIES.lea);
  });

  test("six simultaneous sockets leave five", async () => {
    const room = await aRoom();
    const tabs = Array.from({ length: 8 }, () => open(room.url, COOKIES.lea));
    await expect.poll(() => tabs.filter((tab) => tab.life.length > 0)).toHaveLength(8);
    expect(tabs.filter((tab) => tab.life[0] === "connect")).toHaveLength(5);
  });

  test.each(["https://evil.example", "null", "http://localhost:1"])(
    "a page of %s is refused before any handshake",
    async (origin) => {
      const room = await aRoom();
      for (const transport of ["websocket", "polling"] as const) {
        const tab = open(room.url, COOKIES.lea, { transport, origin });
        await expect.poll(() => tab.life).toHaveLength(1);
        expect(tab.life[0]).toMatch(/^connect_error: (websocket|xhr poll) error$/);
      }
    },
  );

  test("our own origin may", async () => {
    const room = await aRoom();
    await connected(room.url, COOKIES.lea, { origin: room.url });
  });
});

describe("a client that repeats the connect packet", () => {
  test("is disconnected after two look-ups of its session", async () => {
    const room = await aRoom();
    const wire = await openWire(room.port, COOKIES.nobody);
    wire.write(Buffer.concat(Array.from({ length: 90 }, () => maskedFrame("40"))));
    await expect.poll(() => wire.closed).toBe(true);
    expect(room.held.lookUps).toBe(2);
  });

  /** The library itself ends a refused connection, but only ten seconds after it was opened. */
  const LIBRARY_ENDS_IT_MS = 10_000;

  test("and is refused receives the reason, then ends", async () => {
    const room = await aRoom();
    const openedAtMs = performance.now();
    const wire = await openWire(room.port, COOKIES.nobody);
    let received = "";
    wire.setEncoding("latin1").on("data", (text: string) => (received += text));
    wire.write(maskedFrame("40"));
    // The closing frame follows the answer.
    await expect.poll(() => received.endsWith("\u0088\u0000")).toBe(true);
    expect(performance.now() - openedAtMs).toBeLessThan(LIBRARY_ENDS_IT_MS);
    expect(received).toContain('44{"message":"Votre session');
  });

  test("and is refused while it polls receives the reason, then ends", async () => {
    const { port } = await aRoom();
    const openedAtMs = performance.now();
    const path = `/socket.io/?EIO=4&transport=polling&sid=${await handshake(port, COOKIES.nobody)}`;
    const headers = { cookie: COOKIES.nobody };
    await ask(port, path, headers, { method: "POST", body: "40" });
    expect((await ask(port, path, headers)).body).toMatch(/^44\{"message":"Votre session/);
    await expect.poll(async () => (await ask(port, path, headers)).status).toBe(400);
    expect(performance.now() - openedAtMs).toBeLessThan(LIBRARY_ENDS_IT_MS);
  });

  test("once more after it left is let in again", async () => {
    const room = await aRoom();
    const wire = await openWire(room.port, COOKIES.lea);
    for (const frame of ["40", "41", "40"]) {
      wire.write(maskedFrame(frame));
      await expect.poll(() => room.realtime.socketCount).toBe(frame === "40" ? 1 : 0);
    }
    expect(room.held.lookUps).toBe(2);
  });
});

describe("automatic buying that ended", () => {
  const stop = {
    kind: "autobuy_stopped",
    userId: LEA,
    purchaseId: asPurchaseId("p1"),
    groupId: null,
  } as const;

  test("is sent to every page of its person, with the filter's name where it can be read", async () => {
    const room = await aRoom();
    const received: FiltrePayload[] = [];
    for (const cookie of [COOKIES.lea, COOKIES.leaElsewhere]) {
      const tab = await connected(room.url, cookie);
      tab.socket.on("filtreData", (payload: FiltrePayload) => received.push(payload));
    }
    const filterIds = [asFilterId("f1")];
    await room.publish({ ...stop, reason: "max_purchases", filterIds });
    const payload = {
      message: "Filtre « Robes » arrêté : son nombre d'achats est atteint.",
      raison: "max_achats",
      filtres: ["f1"],
      groupe: null,
    };
    await expect.poll(() => received).toEqual([payload, payload]);
    room.held.isStoreAway = true;
    await room.publish({ ...stop, reason: "failures", filterIds });
    const message = "Filtre arrêté : trop d'achats n'ont pas abouti.";
    await expect.poll(() => received.at(-1)).toEqual({ ...payload, message, raison: "echecs" });
  });

  test.each([
    [
      "a group, with its name",
      { reason: "group", groupId: asGroupId("g1"), filterIds: [asFilterId("f1"), asFilterId("f2")] },
      {
        message: "Groupe « Manteau » complet : l'achat automatique de 2 filtres est arrêté.",
        raison: "groupe",
        filtres: ["f1", "f2"],
        groupe: "g1",
      },
    ],
    [
      "a group that was deleted",
      { reason: "group", groupId: asGroupId("g2"), filterIds: [asFilterId("f1")] },
      {
        message: "Groupe complet : l'achat automatique de 1 filtre est arrêté.",
        raison: "groupe",
        filtres: ["f1"],
        groupe: "g2",
      },
    ],
    [
      "a budget",
      { reason: "total_budget", groupId: null, filterIds: [asFilterId("f1")] },
      {
        message: "Filtre « Robes » arrêté : son budget est dépensé.",
        raison: "budget_total",
        filtres: ["f1"],
        groupe: null,
      },
    ],
  ] as const)("by %s is sent with its reason", async (_by, ended, payload) => {
    const room = await aRoom();
    const taken = { count: 1, cents: 6_000 };
    const group = { id: asGroupId("g1"), userId: LEA, name: "Manteau", maxPurchases: 1, budgetEur: 60 };
    room.held.groups = [{ ...group, createdAtMs: 0, filterIds: [asFilterId("f1")], taken, isComplete: true }];
    const received: FiltrePayload[] = [];
    const tab = await connected(room.url, COOKIES.lea);
    tab.socket.on("filtreData", (sent: FiltrePayload) => received.push(sent));
    await room.publish({ ...stop, ...ended });
    await expect.poll(() => received).toEqual([payload]);
  });
});

test("a purchase to confirm is sent to its person's pages, unless the seller was blocked meanwhile", async () => {
  const room = await aRoom({ hasOtherNodes: true });
  const { seller } = aListing();
  const asked: number[] = [];
  for (const cookie of [COOKIES.lea, COOKIES.leaElsewhere]) {
    const tab = await connected(room.url, cookie);
    tab.socket.on("achat_a_confirmer", ({ manque }: AConfirmerPayload) => asked.push(manque.product.id));
  }
  const publish = async (id: number, sellerId: number): Promise<void> => {
    const listing = aListing({ id, seller: { ...seller, id: sellerId } });
    const at = { firstSeenAtMs: 1, matchedAtMs: 2, missedAtMs: 3 };
    const miss = { userId: LEA, filterId: asFilterId("f1"), listing, standing: null, ...at };
    await room.publish({ kind: "purchase_to_confirm", userId: LEA, miss: { ...miss, reason: "too_good" } });
  };
  await publish(1, 7);
  await expect.poll(() => asked).toEqual([1, 1]);
  // The list that a page has is not a second old yet when the block is handled.
  room.held.blocked = new BlockedSellers([{ sellerId: 7, login: seller.login }]);
  await room.publish({ kind: "sellers_changed", userId: LEA });
  await publish(2, 7);
  await publish(3, 8);
  await expect.poll(() => asked).toEqual([1, 1, 3, 3]);
});

describe("the stream", () => {
  test("pushes matches immediately, each with its filters, its time and a cursor", async () => {
    const room = await aRoom();
    const tab = await connected(room.url, COOKIES.lea);
    room.match(matchOf(1), matchOf(2), { ...matchOf(3), userId: TOM });
    await expect.poll(() => tab.flux).toHaveLength(1);
    expect(idsOf(tab.flux[0])).toEqual([2, 1]);
    expect(tab.flux[0]).toMatchObject({
      curseur: "2",
      items: [{ filtres: ["f1"], vu_a: expect.any(Number) as number }, {}],
    });
  });

  test("answers every poll of a client that asks as fast as it can", async () => {
    const room = await aRoom();
    const tab = await connected(room.url, COOKIES.lea);
    for (let polls = 1; polls <= 13; polls += 1) {
      tab.socket.emit("flux_handler");
      await expect.poll(() => tab.flux).toHaveLength(polls);
    }
  });

  test("sends nothing of a seller from the moment at which the person's block is handled", async () => {
    const room = await aRoom();
    const { seller } = matchOf(1).listing.listing;
    const replayed = [matchOf(1)];
    room.held.missed = replayed;
    const tab = await connected(room.url, COOKIES.lea);
    await expect.poll(() => tab.flux.map(idsOf)).toEqual([[1]]);
    // A read of the block list that began before the block and ends after it.
    const reading = Promise.withResolvers<void>();
    await room.publish({ kind: "sellers_changed", userId: LEA });
    room.held.readingBlocked = reading.promise;
    room.match(matchOf(2));
    await new Promise((resolve) => setTimeout(resolve, 60));
    room.held.blocked = new BlockedSellers([{ sellerId: seller.id, login: seller.login }]);
    room.held.readingBlocked = Promise.resolve();
    await room.publish({ kind: "sellers_changed", userId: LEA });
    reading.resolve();
    const other = aListing({ id: 4, seller: { ...seller, id: seller.id + 1 } });
    room.match(matchOf(3), { ...matchOf(4), listing: aSeenListing({ listing: other }) });
    await expect.poll(() => tab.flux.map(idsOf)).toEqual([[1], [4]]);
    const later = await connected(room.url, COOKIES.leaElsewhere);
    later.socket.emit("flux_handler");
    await expect.poll(() => later.flux.map(idsOf)).toEqual([[]]);
    room.held.blocked = BlockedSellers.NONE;
    await room.publish({ kind: "sellers_changed", userId: LEA });
    room.match(matchOf(5));
    await expect.poll(() => tab.flux.map(idsOf)).toEqual([[1], [4], [5]]);
  });

  test("reads block lists again within a second where other nodes may change them", async () => {
    const room = await aRoom({ hasOtherNodes: true });
    const { seller } = matchOf(1).listing.listing;
    const tab = await connected(room.url, COOKIES.lea);
    room.match(matchOf(1));
    await expect.poll(() => tab.flux.map(idsOf)).toEqual([[1]]);
    room.held.blocked = new BlockedSellers([{ sellerId: null, login: seller.login }]);
    await new Promise((resolve) => setTimeout(resolve, 1_010));
    room.match(matchOf(2), {
      ...matchOf(3),
      listing: aSeenListing({ listing: aListing({ id: 3, seller: { ...seller, login: "tom" } }) }),
    });
    await expect.poll(() => tab.flux.map(idsOf)).toEqual([[1], [3]]);
  });

  test("says which further filters hold a listing that was sent before", async () => {
    const room = await aRoom();
    const tab = await connected(room.url, COOKIES.lea);
    const facts: ArticlePayload[] = [];
    tab.socket.on("articleData", (payload: ArticlePayload) => facts.push(payload));
    room.match(matchOf(1));
    await expect.poll(() => tab.flux.map(idsOf)).toEqual([[1]]);
    room.match({ ...matchOf(1), cursor: "2", filterIds: [asFilterId("f2")] });
    await expect.poll(() => facts).toEqual([{ id: 1, filtres: ["f2"] }]);
    expect(tab.flux).toHaveLength(1);
  });

  test("reaches both of a person's tabs", async () => {
    const room = await aRoom();
    const tabs = [await connected(room.url, COOKIES.lea), await connected(room.url, COOKIES.leaElsewhere)];
    room.match(matchOf(1));
    for (const tab of tabs) await expect.poll(() => tab.flux).toHaveLength(1);
  });

  test("notifies the pages that have a listing when its price rose, and sends it again once it is cheaper", async () => {
    const room = await aRoom();
    const has = await connected(room.url, COOKIES.lea);
    const other = await connected(room.url, COOKIES.leaElsewhere);
    const rises: unknown[] = [];
    for (const { socket } of [has, other]) socket.on("prix", (rise: unknown) => rises.push(rise));
    room.match(matchOf(7, 1, 2_460));
    await expect.poll(() => idsOf(has.flux[0])).toEqual([7]);
    const rise = { kind: "price_rose", totalPriceCents: 2_695, seenAtMs: Date.now() } as const;
    await room.publish({ ...rise, listingId: asListingId(8) });
    await room.publish({ ...rise, listingId: asListingId(7) });
    await room.publish({ ...rise, listingId: asListingId(7) });
    const expected = { id: 7, total_item_price: { amount: "26.95", currency_code: "EUR" } };
    await expect.poll(() => rises).toEqual([expected, expected]);
    room.match(matchOf(7, 2, 2_550));
    await expect
      .poll(() => has.flux.map((payload) => payload.items[0]?.total_item_price.amount))
      .toEqual(["24.60", "25.50"]);
  });

  test("disconnects a page that could not be notified of a price rise: it reads the listing again", async () => {
    const room = await aRoom();
    const page = await connected(room.url, COOKIES.lea, { affiches: [7] });
    const ends: string[] = [];
    page.socket.on("disconnect", (reason: string) => ends.push(reason));
    room.held.areSessionsAway = true;
    const rise = { kind: "price_rose", totalPriceCents: 2_695, seenAtMs: Date.now() } as const;
    await room.publish({ ...rise, listingId: asListingId(7) });
    await expect.poll(() => ends).toEqual(["io server disconnect"]);
  });

  test("notifies a page of a price rise of a listing that it showed before it connected", async () => {
    const room = await aRoom();
    const shows = await connected(room.url, COOKIES.lea, { affiches: [7, "8", null, 9] });
    const other = await connected(room.url, COOKIES.leaElsewhere, { affiches: { 0: 7 } });
    const rises: unknown[] = [];
    shows.socket.on("prix", ({ id }: { id: number }) => rises.push(id));
    other.socket.on("prix", () => rises.push("other"));
    const rise = { kind: "price_rose", totalPriceCents: 2_695, seenAtMs: Date.now() } as const;
    for (const id of [8, 7, 9]) await room.publish({ ...rise, listingId: asListingId(id) });
    await expect.poll(() => rises).toEqual([7, 9]);
  });

  test("sends new facts of a listing to the pages that have it, and to others with the listing", async () => {
    const room = await aRoom();
    const has = await connected(room.url, COOKIES.lea);
    const facts: unknown[] = [];
    has.socket.on("articleData", (fact: unknown) => facts.push(fact));
    room.match(matchOf(7, 1, 3_800));
    await expect.poll(() => idsOf(has.flux[0])).toEqual([7]);
    const relist = { earlierCount: 3, firstPriceCents: 4_500, lowestPriceCents: 4_000, firstSeenAtMs: 12 };
    room.becomesKnown({ listingId: asListingId(8), background: { relist, seller: null } });
    room.becomesKnown({ listingId: asListingId(7), background: { relist, seller: null } });
    const seller = { rating: 4.8, reviewCount: null, countryCode: "FR" };
    room.becomesKnown({ listingId: asListingId(7), background: { relist: null, seller } });
    const republication = { fois: 3, premier_prix: { amount: "45.00", currency_code: "EUR" }, depuis: 12 };
    await expect
      .poll(() => facts)
      .toEqual([
        { id: 7, republication },
        { id: 7, user: { note: 4.8, pays: "FR" } },
      ]);
    const match = matchOf(9, 2, 1_000);
    room.match({ ...match, listing: { ...match.listing, background: { relist, seller } } });
    await expect
      .poll(() => has.flux.at(-1)?.items[0])
      .toMatchObject({ id: 9, republication, user: { note: 4.8, pays: "FR" } });
  });

  test("sends new facts of a listing that a page showed before it connected", async () => {
    const room = await aRoom();
    const shows = await connected(room.url, COOKIES.lea, { affiches: [7] });
    const other = await connected(room.url, COOKIES.leaElsewhere);
    const facts: unknown[] = [];
    shows.socket.on("articleData", ({ id }: ArticlePayload) => facts.push(id));
    other.socket.on("articleData", () => facts.push("other"));
    const relist = { earlierCount: 3, firstPriceCents: 4_500, lowestPriceCents: 4_000, firstSeenAtMs: 12 };
    for (const id of [8, 7])
      room.becomesKnown({ listingId: asListingId(id), background: { relist, seller: null } });
    room.match(matchOf(9));
    await expect.poll(() => [shows.flux.length, other.flux.length]).toEqual([1, 1]);
    expect(facts).toEqual([7]);
  });

  test("replays one person's missed matches one page at a time, and none for a closed page", async () => {
    const room = await aRoom();
    const gate = Promise.withResolvers<void>();
    room.held.reading = gate.promise;
    const [first, second, third] = [
      await connected(room.url, COOKIES.lea),
      await connected(room.url, COOKIES.lea),
      await connected(room.url, COOKIES.leaElsewhere, { depuis: "7" }),
    ];
    expect(room.held.since).toEqual([null]);
    second.socket.close();
    await expect.poll(() => room.realtime.socketCount).toBe(2);
    gate.resolve();
    for (const { socket } of [first, third]) socket.emit("flux_handler");
    for (const tab of [first, third]) await expect.poll(() => tab.flux).toHaveLength(1);
    expect(room.held.since).toEqual([null, "7"]);
  });

  test("starts with the matches since the cursor that the client sends", async () => {
    const room = await aRoom();
    room.held.missed = Array.from({ length: 70 }, (_, i) => matchOf(i + 201));
    const tab = await connected(room.url, COOKIES.lea, { depuis: "123" });
    await expect.poll(() => tab.flux).toHaveLength(2);
    expect(room.held.since).toEqual(["123"]);
    expect(idsOf(tab.flux[0])).toHaveLength(50);
    expect(idsOf(tab.flux[1])?.[0]).toBe(270);
    expect(tab.flux[1]?.curseur).toBe("270");
  });

  test.each(["", "x", "-1", "1".repeat(21), "0"])("takes the cursor %j for none", async (depuis) => {
    const room = await aRoom();
    await connected(room.url, COOKIES.lea, { depuis });
    await expect.poll(() => room.held.since).toEqual([null]);
  });

  test("says in French why it is paused, and when it goes on", async () => {
    const room = await aRoom();
    room.held.state = { kind: "paused", reason: "blocked", untilMs: 7 };
    const tab = await connected(room.url, COOKIES.lea);
    tab.socket.emit("flux_handler");
    await expect.poll(() => tab.flux[0]).toMatchObject({ pause: "Vinted refuse l'accès", reprise: 7 });
  });

  test("answers no more than a burst of ten questions and two a second", async () => {
    const room = await aRoom();
    const tab = await connected(room.url, COOKIES.lea);
    const askedAtMs = performance.now();
    for (let i = 0; i < 40; i += 1) tab.socket.emit("flux_handler");
    room.match(matchOf(9));
    await expect.poll(() => tab.flux.flatMap((payload) => payload.items)).toHaveLength(1);
    const meanwhile = (2 * (performance.now() - askedAtMs)) / 1_000;
    // The match itself is one more.
    expect(tab.flux.length).toBeLessThanOrEqual(10 + 1 + Math.ceil(meanwhile));
    expect(tab.life).toEqual(["connect"]);
  });
});

describe("purchaseData", () => {
  test("sends every change to every tab of the person, in order", async () => {
    const room = await aRoom();
    const tab = await connected(room.url, COOKIES.lea);
    const id = asPurchaseId("p1");
    for (const state of ["submitting", "confirmed", "failed", "quarantine"] as const) {
      room.purchases.set(
        id,
        aPurchase({ id, userId: LEA, state, failureReason: state === "failed" ? "sold" : null }),
      );
      await room.publish({ kind: "purchase_changed", userId: LEA, purchaseId: id });
      await expect
        .poll(() => tab.purchases.at(-1)?.purchase?.status)
        .toBe({ submitting: 2, confirmed: 1, failed: 0, quarantine: 3 }[state]);
    }
    expect(tab.purchases.map((purchase) => purchase.success)).toEqual([true, true, false, false]);
    expect(tab.purchases[1]?.message).toContain("Achat confirmé");
    expect(tab.purchases[2]?.error).toContain("vendu");
  });

  test("names a bank's page on the marketplace, as the calls do, and on no other host", async () => {
    const room = await aRoom();
    const tab = await connected(room.url, COOKIES.lea);
    const id = asPurchaseId("p1");
    for (const [confirmUrl, shown] of [
      ["http://localhost:1/3ds", "http://localhost:1/3ds"],
      ["https://evil.example/3ds", null],
    ] as const) {
      room.purchases.set(id, aPurchase({ id, userId: LEA, state: "awaiting", confirmUrl }));
      const count = tab.purchases.length;
      await room.publish({ kind: "purchase_changed", userId: LEA, purchaseId: id });
      await expect.poll(() => tab.purchases.length).toBe(count + 1);
      expect(tab.purchases.at(-1)?.purchase?.purchase_confirmation).toBe(shown);
    }
  });

  test("reaches no other person", async () => {
    const room = await aRoom();
    room.people.set(COOKIES.tom, aUser({ id: TOM }));
    const tom = await connected(room.url, COOKIES.tom);
    const id = asPurchaseId("p1");
    room.purchases.set(id, aPurchase({ id, userId: LEA }));
    await room.publish({ kind: "purchase_changed", userId: LEA, purchaseId: id });
    tom.socket.emit("flux_handler");
    await expect.poll(() => tom.flux).toHaveLength(1);
    expect(tom.purchases).toEqual([]);
  });
});
