import { describe, expect, it } from "vitest";
import { BackgroundTasks } from "#domain/concurrency.ts";
import { asFilterId, asGroupId, asUserId } from "#domain/ids.ts";
import type { AutobuyWish } from "#domain/market/match.ts";
import { aListing, aSeenListing } from "#verify/testing/a-listing.ts";
import { aWish } from "#verify/testing/a-match.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createDispatcher, type Turn, type WishOutcome } from "./dispatcher.ts";

/** A dispatcher whose wishes are served by the test, which decides each outcome. */
function dispatched(slots = { thunder: 10, acquire: 10 }) {
  const clock = new FakeClock();
  const begun: AutobuyWish[] = [];
  const missed: [AutobuyWish, string][] = [];
  const turns = new Map<AutobuyWish, Turn>();
  const ends = new Map<AutobuyWish, (outcome: WishOutcome) => void>();
  const dispatcher = createDispatcher({
    clock,
    background: new BackgroundTasks(() => undefined),
    slots,
    onMissed: (wish, { kind }) => void missed.push([wish, kind]),
    serve: async (wish, turn) => {
      begun.push(wish);
      turns.set(wish, turn);
      return await new Promise<WishOutcome>((resolve) => ends.set(wish, resolve));
    },
  });
  const end = async (wish: AutobuyWish, outcome: WishOutcome): Promise<void> => {
    ends.get(wish)?.(outcome);
    await clock.advance(0);
  };
  const isOvertaken = (wish: AutobuyWish): boolean => turns.get(wish)?.isOvertaken() === true;
  return { clock, begun, missed, dispatcher, end, isOvertaken, turns };
}

function wish(user: string, listingId: number, traits: Partial<AutobuyWish> = {}): AutobuyWish {
  const listing = aSeenListing({ listing: aListing({ id: listingId }) });
  return aWish({ userId: asUserId(user), listing, ...traits });
}

describe("createDispatcher()", () => {
  it("keeps a waiting wish for its unchanged filters, and drops it with the last of them", async () => {
    const { begun, dispatcher, end } = dispatched();
    const [one, other] = [asFilterId("one"), asFilterId("other")];
    const first = wish("a", 1);
    dispatcher.offer([first, wish("b", 1, { filterId: one, otherFilterIds: [other] })]);
    dispatcher.offer([wish("c", 1, { filterId: one })]);
    dispatcher.dropFilters([one]);
    await end(first, "over");
    expect(begun.slice(1)).toMatchObject([{ userId: "b", filterId: "other", otherFilterIds: [] }]);
  });

  it("does not serve a wish again whose filter changed while it was served", async () => {
    const { begun, dispatcher, end, isOvertaken, clock } = dispatched();
    const [changed, other] = [asFilterId("changed"), asFilterId("other")];
    const alone = wish("a", 1, { filterId: changed });
    const shared = wish("b", 2, { filterId: changed, otherFilterIds: [other] });
    dispatcher.offer([alone, shared]);
    dispatcher.dropFilters([changed]);
    expect([alone, shared].map(isOvertaken)).toEqual([true, true]);
    const again = { ...alone };
    dispatcher.offer([again]);
    await end(alone, "overtaken");
    await end(shared, "person_busy");
    await clock.advance(1_000);
    dispatcher.pump();
    expect(begun.slice(2)).toMatchObject([
      { userId: "a" },
      { userId: "b", filterId: "other", otherFilterIds: [] },
    ]);
    expect(begun[2]).toBe(again);
  });

  it("lets others of the lane start while a purchase waits, but none of its listing", async () => {
    const { begun, dispatcher, end, turns } = dispatched({ thunder: 10, acquire: 1 });
    const acquire = (user: string, id: number) => wish(user, id, { lane: "acquire" });
    const [first, rival, other, last] = [acquire("a", 1), acquire("b", 1), acquire("c", 2), acquire("d", 3)];
    dispatcher.offer([first, rival, other, last]);
    expect(begun).toEqual([first]);
    const { promise: waited, resolve: goOn } = Promise.withResolvers<number>();
    const wait = turns.get(first)?.leaveLane(() => waited);
    expect(begun).toEqual([first, other]);
    goOn(7);
    expect(await wait).toBe(7);
    await end(other, "over");
    expect(begun, "the first one has its slot again").toEqual([first, other]);
    await end(first, "over");
    expect(begun).toEqual([first, other, rival]);
  });

  it("serves one wish for a listing at a time, the next one when it is over", async () => {
    const { begun, dispatcher, end } = dispatched();
    const [first, second] = [wish("a", 1), wish("b", 1)];
    dispatcher.offer([first, second]);
    expect(begun).toEqual([first]);
    await end(first, "over");
    expect(begun).toEqual([first, second]);
  });

  it("lets Thunder overtake an Acquire wish that gave way, unless its person is busy; then Acquire is next", async () => {
    const { begun, dispatcher, end, isOvertaken } = dispatched();
    const acquire = wish("a", 1, { lane: "acquire" });
    dispatcher.offer([acquire]);
    const others = [2, 3, 4].map((id) => wish("t", id));
    dispatcher.offer(others);
    const thunder = wish("t", 1);
    dispatcher.offer([thunder, wish("b", 1, { lane: "acquire" })]);
    expect(isOvertaken(acquire)).toBe(false);
    await end(others[0] ?? thunder, "over");
    expect(isOvertaken(acquire)).toBe(true);
    await end(acquire, "overtaken");
    expect(begun.at(-1)).toBe(thunder);
    expect(isOvertaken(thunder)).toBe(false);
    await end(thunder, "over");
    expect(begun.at(-1)).toBe(acquire);
  });

  it("drops every wish that waits for a listing that is no longer for sale, and reports it as missed", async () => {
    const { begun, missed, dispatcher, end } = dispatched();
    const [first, second, other] = [wish("a", 1), wish("b", 1), wish("b", 2)];
    dispatcher.offer([first, second, other]);
    await end(first, "listing_gone");
    expect(begun).toEqual([first, other]);
    expect(missed).toEqual([[second, "taken"]]);
    expect(dispatcher.offer([second])).toBe(0);
  });

  it("retries one of many wishes for a listing that another process is buying, after a delay", async () => {
    const { clock, begun, dispatcher, end } = dispatched();
    const waiting = [wish("a", 1), wish("b", 1), wish("c", 1)];
    dispatcher.offer(waiting);
    await end(begun[0] ?? wish("a", 1), "listing_busy");
    expect(begun).toHaveLength(1);
    await clock.advance(500);
    dispatcher.pump();
    expect(begun).toEqual([waiting[0], waiting[0]]);
  });

  it("defers a busy person's wishes, and nobody else's", async () => {
    const { begun, dispatcher, end } = dispatched();
    const busy = wish("a", 1);
    dispatcher.offer([busy]);
    await end(busy, "person_busy");
    const other = wish("b", 2);
    dispatcher.offer([wish("a", 3), other]);
    expect(begun).toEqual([busy, other]);
  });

  it("begins three of a person's wishes at once, the fourth when one of them is over", async () => {
    const { begun, dispatcher, end } = dispatched();
    const [first, ...others] = [wish("a", 1), wish("a", 2), wish("a", 3), wish("a", 4)] as const;
    dispatcher.offer([first, ...others]);
    expect(begun).toHaveLength(3);
    await end(first, "over");
    expect(begun).toEqual([first, ...others]);
  });

  it("limits each lane to its slots", () => {
    const { begun, dispatcher } = dispatched({ thunder: 1, acquire: 1 });
    const thunders = [wish("a", 1), wish("b", 2)];
    const acquires = [wish("c", 3, { lane: "acquire" }), wish("d", 4, { lane: "acquire" })];
    dispatcher.offer([...acquires, ...thunders]);
    expect(begun).toEqual([thunders[0], acquires[0]]);
  });

  it("rests the wish that waits for a place, and no other wish of its filter or group", async () => {
    const { clock, begun, dispatcher, end } = dispatched();
    const group = asGroupId("g");
    const [dear, cheap] = [wish("a", 1), wish("a", 2)];
    dispatcher.offer([dear]);
    await end(dear, { waitsFor: group });
    dispatcher.offer([cheap]);
    expect(begun).toEqual([dear, cheap]);
    await end(cheap, { waitsFor: group });
    await clock.advance(499);
    dispatcher.pump();
    expect(begun).toHaveLength(2);
    await clock.advance(1);
    dispatcher.pump();
    expect(begun.slice(2)).toEqual([dear]);
  });

  it("asks all wishes that wait for a place again in turn, one every half second", async () => {
    const { clock, begun, dispatcher, end } = dispatched();
    const place = asFilterId("f");
    const waiting = Array.from({ length: 5 }, (_, n) => wish("a", n + 1));
    dispatcher.offer(waiting);
    for (const each of waiting) await end(each, { waitsFor: place });
    expect(begun).toEqual(waiting);
    for (let n = 1; n <= 10; n += 1) {
      await clock.advance(500);
      dispatcher.pump();
      expect(begun).toHaveLength(5 + n);
      await end(begun.at(-1) ?? wish("a", 1), { waitsFor: place });
    }
    expect(begun.slice(5)).toEqual([...waiting, ...waiting]);
  });

  it("asks the first wishes that wait for a place at once when a wish of their filter is over", async () => {
    const { begun, dispatcher, end } = dispatched();
    const [bought, ...waiting] = [wish("a", 1), wish("a", 2), wish("a", 3)] as const;
    const elsewhere = wish("a", 4, { filterId: asFilterId("elsewhere") });
    dispatcher.offer([bought, ...waiting]);
    for (const each of waiting) await end(each, { waitsFor: asGroupId("g") });
    dispatcher.offer([elsewhere]);
    await end(elsewhere, { waitsFor: asFilterId("elsewhere") });
    await end(bought, "over");
    expect(begun.slice(4)).toEqual(waiting);
  });

  it("drops a stale wish and reports it", async () => {
    const { clock, begun, missed, dispatcher, end } = dispatched();
    const [first, second] = [wish("a", 1), wish("b", 1)];
    dispatcher.offer([first, second]);
    await clock.advance(30_001);
    dispatcher.pump();
    await end(first, "over");
    expect(begun).toEqual([first]);
    expect(missed).toEqual([[second, "stale"]]);
  });

  it("serves a person's simulation beside their live wish, even after the listing is sold", async () => {
    const { begun, dispatcher, end } = dispatched({ thunder: 1, acquire: 1 });
    const live = wish("a", 1);
    const dry = wish("a", 1, { filterId: asFilterId("dry"), isSimulation: true });
    dispatcher.offer([live, dry]);
    await end(live, "listing_gone");
    expect(begun).toEqual([live, dry]);
  });
});
