import { describe, expect, test } from "vitest";
import { asFilterId, asUserId, type ListingId } from "#domain/ids.ts";
import type { SeenListing } from "#domain/market/listing.ts";
import type { HeldMatch } from "#domain/market/match.ts";
import { DAY_MS, MINUTE_MS } from "#domain/clock.ts";
import { aListing, aSeenListing } from "#verify/testing/a-listing.ts";
import type { PurchaseRecord } from "../purchase-facts.ts";
import { admitted, aProposal, released } from "../purchases/purchases-under-test.suite.ts";
import { aPersonOf, NOW_MS, type StoreUnderTest } from "../suite-store.suite.ts";

let count = 0;
const nextId = (): number => (count += 1);

function seen(traits: Parameters<typeof aListing>[0] = {}, firstSeenAtMs = NOW_MS): SeenListing {
  const listing = aListing({ id: 6_100_000_000 + nextId(), ...traits });
  return aSeenListing({ listing, firstSeenAtMs, seenAtMs: firstSeenAtMs });
}

function held(listing: SeenListing, traits: Partial<HeldMatch> = {}): HeldMatch {
  return {
    userId: asUserId("waiting"),
    filterId: asFilterId("asks"),
    listing,
    appearedAfterMs: null,
    mayBuy: true,
    heldAtMs: NOW_MS,
    untilMs: NOW_MS + 10 * MINUTE_MS,
    ...traits,
  };
}

/** Held matches, facts of sellers, and relists. */
export function describeFacts({ shared: at, open }: StoreUnderTest): void {
  describe("held matches", () => {
    test("are taken over by one caller after they expire, with the listing as last recorded", async () => {
      await using opened = await open();
      const { held: rows, listings } = opened.store;
      const listing = seen();
      await rows.hold([held(listing, { appearedAfterMs: NOW_MS - 5 })], NOW_MS + 10);
      const dearer = { ...listing, listing: { ...listing.listing, totalPriceCents: 2_000 } };
      await listings.record({ listings: [dearer], matches: [], marks: [] });
      const take = async (nowMs: number) => await rows.takeDue({ nowMs, dueAtMs: nowMs + 1_000, limit: 10 });
      expect(await take(NOW_MS + 9)).toEqual([]);
      expect(await take(NOW_MS + 10)).toEqual([held(dearer, { appearedAfterMs: NOW_MS - 5 })]);
      expect(await take(NOW_MS + 11)).toEqual([]);
      const keys = [{ listingId: listing.listing.id, filterId: asFilterId("asks") }];
      await rows.renew(keys, NOW_MS + 5_000);
      expect(await take(NOW_MS + 2_000)).toEqual([]);
      await rows.end(keys);
      expect(await take(NOW_MS + 9_000)).toEqual([]);
    });

    test("are held once per filter, for the latest version", async () => {
      await using opened = await open();
      const { held: rows, listings } = opened.store;
      const [one, other] = [seen(), seen()];
      await listings.record({ listings: [one, other], matches: [], marks: [] });
      await rows.hold([held(one), held(other), held(one, { mayBuy: false })], NOW_MS);
      await rows.hold([held(other, { untilMs: NOW_MS + 1 })], NOW_MS);
      const taken = await rows.takeDue({ nowMs: NOW_MS, dueAtMs: NOW_MS + 1, limit: 10 });
      expect(taken).toHaveLength(2);
      expect(taken.find(({ listing }) => listing.listing.id === one.listing.id)?.mayBuy).toBe(false);
      await rows.prune(NOW_MS + 2);
      const left = await rows.takeDue({ nowMs: NOW_MS + 1, dueAtMs: NOW_MS + 2, limit: 10 });
      expect(left.map(({ listing }) => listing.listing.id)).toEqual([one.listing.id]);
    });
  });

  describe("sellers", () => {
    const facts = { rating: 4.75, reviewCount: 12, countryCode: "FR" };
    const claimAt = (nowMs: number) => ({ nowMs, untilMs: nowMs + 100, lapsedUntilMs: null });

    test("are looked up by one node at a time, and not within a day of an answer", async () => {
      const { sellerFacts } = at();
      const id = nextId();
      const claim = async (nowMs: number) => await sellerFacts.claim(id, claimAt(nowMs));
      expect(await claim(NOW_MS)).toEqual({ kind: "claimed" });
      expect(await claim(NOW_MS + 99)).toEqual({ kind: "taken", untilMs: NOW_MS + 100 });
      await sellerFacts.save(id, facts, NOW_MS + 50);
      expect(await claim(NOW_MS + 200)).toEqual({ kind: "known", facts });
      expect(await sellerFacts.known([id, 1], NOW_MS + DAY_MS)).toEqual(new Map([[id, facts]]));
      expect(await sellerFacts.known([id], NOW_MS + DAY_MS + 50)).toEqual(new Map());
      expect(await claim(NOW_MS + DAY_MS + 60)).toEqual({ kind: "claimed" });
    });

    test("stay claimed by one node, however far the clocks of others are ahead, until another has seen the claim lapse", async () => {
      const { sellerFacts } = at();
      const id = nextId();
      const [untilMs, aheadMs] = [NOW_MS + 100, NOW_MS + 300_000];
      await sellerFacts.claim(id, claimAt(NOW_MS));
      expect(await sellerFacts.claim(id, claimAt(aheadMs))).toEqual({ kind: "taken", untilMs });
      const takeover = { ...claimAt(aheadMs), lapsedUntilMs: untilMs };
      expect(await sellerFacts.claim(id, takeover)).toEqual({ kind: "claimed" });
      // Of two takers one succeeds, and the original owner cannot release the new claim.
      expect((await sellerFacts.claim(id, takeover)).kind).toBe("taken");
      await sellerFacts.release(id, untilMs);
      expect(await sellerFacts.claim(id, claimAt(aheadMs))).toMatchObject({ untilMs: aheadMs + 100 });
      await sellerFacts.release(id, aheadMs + 100);
      expect((await sellerFacts.claim(id, claimAt(NOW_MS))).kind).toBe("claimed");
    });

    test("are looked up at most four times a day", async () => {
      const { sellerFacts } = at();
      const id = nextId();
      for (const nowMs of [NOW_MS, NOW_MS + 1, NOW_MS + 200, NOW_MS + 300]) {
        expect((await sellerFacts.claim(id, claimAt(nowMs))).kind).toBe("claimed");
        await sellerFacts.release(id, nowMs + 100);
      }
      expect(await sellerFacts.claim(id, claimAt(NOW_MS + 1_000))).toEqual({ kind: "taken", untilMs: 0 });
      expect((await sellerFacts.claim(id, claimAt(NOW_MS + DAY_MS))).kind).toBe("claimed");
    });

    test("are not looked up after a refusal, twice as long after each in a row, for at most a day", async () => {
      await using opened = await open();
      const { sellerFacts } = opened.store;
      let nowMs = NOW_MS;
      const lengths: number[] = [];
      for (let refusal = 0; refusal < 10; refusal += 1) {
        const untilMs = await sellerFacts.pause(nowMs, null);
        // A second refusal during the pause does not prolong it.
        expect(await sellerFacts.pause(nowMs + 1, null)).toBe(untilMs);
        lengths.push((untilMs - nowMs) / MINUTE_MS);
        expect(await sellerFacts.pausedUntil(untilMs - 1)).toBe(untilMs);
        const claim = await sellerFacts.claim(1, claimAt(untilMs - 1));
        expect(claim).toEqual({ kind: "paused", untilMs });
        nowMs = untilMs;
      }
      expect(lengths).toEqual([10, 20, 40, 80, 160, 320, 640, 1_280, 1_440, 1_440]);
      expect(await sellerFacts.pausedUntil(nowMs)).toBeNull();
      expect((await sellerFacts.claim(1, claimAt(nowMs))).kind).toBe("claimed");
      await sellerFacts.save(1, facts, nowMs);
      expect((await sellerFacts.pause(nowMs, null)) - nowMs).toBe(10 * MINUTE_MS);
      const laterMs = nowMs + 11 * MINUTE_MS;
      expect(await sellerFacts.pause(laterMs, 2_000)).toBe(laterMs + 2_000);
    });
  });

  describe("relists", () => {
    const article = () => {
      const key = 2n ** 62n - BigInt(nextId());
      return (listing: SeenListing) => ({ key, seen: listing });
    };
    const priced = (totalPriceCents: number, firstSeenAtMs: number) =>
      seen({ totalPriceCents }, firstSeenAtMs);
    const APART_MS = 30 * MINUTE_MS;

    test("are reported from the second listing on, with the first price and the lowest earlier one", async () => {
      const { relists } = at();
      const of = article();
      const note = async (listing: SeenListing) =>
        (await relists.note([of(listing)], APART_MS)).get(listing.listing.id);
      const [first, second, third] = [0, 1, 2].map((n) => priced(4_500 - n * 350, NOW_MS + n * APART_MS));
      if (first === undefined || second === undefined || third === undefined) throw new Error("three");
      expect(await note(first)).toBeUndefined();
      const once = {
        earlierCount: 1,
        firstSeenAtMs: NOW_MS,
        firstPriceCents: 4_500,
        lowestPriceCents: 4_500,
      };
      expect(await note(second)).toEqual(once);
      expect(await note(second)).toEqual(once);
      expect(await note(third)).toEqual({ ...once, earlierCount: 2, lowestPriceCents: 4_150 });
      // An earlier listing that is seen again is no relist and changes nothing.
      expect(await note(second)).toBeUndefined();
      expect(await note(third)).toEqual({ ...once, earlierCount: 2, lowestPriceCents: 4_150 });
    });

    test("do not include similar pieces posted together", async () => {
      const { relists } = at();
      const of = article();
      const twins = [0, 1, 2].map((n) => priced(2_000, NOW_MS + n * (APART_MS - 1)));
      expect(await relists.note(twins.map(of), APART_MS)).toEqual(new Map());
      const later = priced(2_000, NOW_MS + 2 * (APART_MS - 1) + APART_MS);
      const found = await relists.note([of(later)], APART_MS);
      expect(found.get(later.listing.id)).toMatchObject({ earlierCount: 1 });
    });

    test("do not include an article last seen more than thirty days before", async () => {
      const { relists } = at();
      const of = article();
      const [first, later] = [priced(1_000, NOW_MS), priced(3_000, NOW_MS + 31 * DAY_MS)];
      expect(await relists.note([of(first), of(later)], 0)).toEqual(new Map());
      const third = priced(2_900, NOW_MS + 32 * DAY_MS);
      expect((await relists.note([of(third)], 0)).get(third.listing.id)).toMatchObject({
        earlierCount: 1,
        firstPriceCents: 3_000,
      });
    });

    test("are found among several listings of one article in a batch, and count a price that fell", async () => {
      const { relists } = at();
      const of = article();
      const [first, second] = [priced(4_500, NOW_MS), priced(4_000, NOW_MS + 1)];
      const found = await relists.note([of(second), of(first)], 0);
      expect([...found.keys()]).toEqual([second.listing.id]);
      const fallen = { ...second, listing: { ...second.listing, totalPriceCents: 3_000 } };
      await relists.note([of(fallen)], 0);
      const third = priced(3_500, NOW_MS + 2);
      expect((await relists.note([of(third)], 0)).get(third.listing.id)?.lowestPriceCents).toBe(3_000);
    });

    test("first seen at the same moment are counted once each, in the order of their ids, however often they are noted", async () => {
      const { relists } = at();
      const of = article();
      const [first, second] = [priced(4_500, NOW_MS), priced(4_000, NOW_MS)];
      for (const listing of [first, second, first, second, first]) await relists.note([of(listing)], 0);
      const found = await relists.note([of(first), of(second)], 0);
      expect([...found.keys()]).toEqual([second.listing.id]);
      expect(found.get(second.listing.id)).toMatchObject({ earlierCount: 1, firstPriceCents: 4_500 });
    });

    test("are read for many listings at once; old articles are deleted, and beyond a bound the oldest", async () => {
      await using opened = await open();
      const { relists, sellerFacts } = opened.store;
      const [one, two] = [article(), article()];
      const first = priced(4_500, NOW_MS);
      const second = seen(
        { totalPriceCents: 3_800, seller: { id: 91, login: "lea", photoUrl: null } },
        NOW_MS + 5,
      );
      const other = seen({ seller: { id: 92, login: "mina", photoUrl: null } }, NOW_MS + 9);
      await relists.note([one(first), one(second), two(other)], 0);
      await sellerFacts.claim(92, { nowMs: NOW_MS, untilMs: NOW_MS, lapsedUntilMs: null });
      const seller = { rating: null, reviewCount: 0, countryCode: null };
      await sellerFacts.save(92, seller, NOW_MS);
      const relist = {
        earlierCount: 1,
        firstSeenAtMs: NOW_MS,
        firstPriceCents: 4_500,
        lowestPriceCents: 4_500,
      };
      expect(await relists.backgrounds([first, second, other], NOW_MS + 1)).toEqual(
        new Map([
          [second.listing.id, { relist, seller: null }],
          [other.listing.id, { relist: null, seller }],
        ]),
      );
      await relists.prune(NOW_MS, 1);
      expect(await relists.backgrounds([second], NOW_MS + 1)).toEqual(new Map<ListingId, never>());
      expect(await relists.backgrounds([second], NOW_MS)).toEqual(new Map<ListingId, never>());
    });

    test("say which listings are gone: bought by anybody, or refused as sold, and not seen since", async () => {
      await using opened = await open();
      const { purchases, relists } = opened.store;
      const person = await aPersonOf(opened.store);
      const outcomes: readonly [
        keyof typeof listings,
        (before: PurchaseRecord) => Partial<PurchaseRecord>,
      ][] = [
        ["bought", () => ({ state: "confirmed" })],
        ["cancelling", () => ({ state: "cancelling" })],
        ["cancelled", () => ({ state: "cancelled" })],
        ["sold", () => ({ state: "failed", failureReason: "sold" })],
        ["withdrawn", () => ({ state: "failed", failureReason: "withdrawn" })],
        ["refused", () => ({ state: "failed", failureReason: "payment_refused" })],
        ["seenSince", () => ({ state: "failed", failureReason: "sold" })],
      ];
      const later = (ms: number) => seen({}, NOW_MS + ms);
      const listings = {
        bought: later(0),
        cancelling: later(0),
        cancelled: later(0),
        sold: later(0),
        withdrawn: later(0),
        refused: later(0),
        seenSince: later(10),
        open: later(0),
      };
      const openOne = async ({ listing }: SeenListing) => {
        const proposal = aProposal(person, { listing });
        const outcome = await purchases.propose(proposal, () => admitted());
        if (outcome.kind !== "opened") throw new Error(`not opened: ${outcome.kind}`);
        return outcome.record;
      };
      await openOne(listings.open);
      for (const [name, outcome] of outcomes)
        await purchases.advance(await openOne(listings[name]), NOW_MS + 5, (before) => {
          const { next, ...change } = released(before);
          return { ...change, next: { ...next, ...outcome(before), updatedAtMs: NOW_MS + 5 } };
        });
      const known = await relists.backgrounds(Object.values(listings), NOW_MS + 20);
      const gone = { relist: null, seller: null, isGone: true };
      const { bought, cancelling, sold, withdrawn } = listings;
      expect(known).toEqual(
        new Map([bought, cancelling, sold, withdrawn].map(({ listing }) => [listing.id, gone])),
      );
    });
  });
}
