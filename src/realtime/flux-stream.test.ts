import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BlockedSellers } from "#domain/market/blocked-sellers.ts";
import { asFilterId, asListingId } from "#domain/ids.ts";
import type { UserMatch } from "#domain/market/match.ts";
import { aListing, aSeenListing } from "#verify/testing/a-listing.ts";
import { aMatch } from "#verify/testing/a-match.ts";
import { type FluxChunk, FluxStream, MAX_REMEMBERED, NO_CURSOR, SentListings } from "./flux-stream.ts";

function match(id: number, cursor: number, priceCents = 1_000): UserMatch {
  const listing = aSeenListing({ listing: aListing({ id, totalPriceCents: priceCents }) });
  return aMatch({ listing, cursor: String(cursor) });
}

/** A stream whose sink takes one event and is free again when the test releases it. */
function aStream({ isCaughtUp = true } = {}) {
  const sent: FluxChunk[] = [];
  const filtersSent: UserMatch[] = [];
  let overflows = 0;
  let whenSent: (() => void) | null = null;
  const stream: FluxStream = new FluxStream(
    {
      send(chunk, then) {
        sent.push(chunk);
        whenSent = then;
      },
      sendFilters: (matches) => filtersSent.push(...matches),
      resume: () => stream.flush(),
      overflow: () => (overflows += 1),
    },
    NO_CURSOR,
  );
  if (isCaughtUp) stream.catchUp([]);
  return {
    stream,
    sent,
    filtersSent,
    get overflows() {
      return overflows;
    },
    free: () => {
      const then = whenSent;
      whenSent = null;
      then?.();
    },
  };
}

const idsOf = (chunk: FluxChunk | undefined) => chunk?.matches.map((one) => Number(one.listing.listing.id));

describe("FluxStream", () => {
  test("sends new matches newest first, with the cursor of the newest", () => {
    const { stream, sent } = aStream();
    stream.offer([match(1, 10), match(3, 30), match(2, 20)]);
    stream.flush();
    expect(idsOf(sent[0])).toEqual([3, 2, 1]);
    expect(sent[0]?.cursor).toBe("30");
  });

  test("leaves out the listings of sellers who are blocked by now, and goes on behind them", () => {
    const { stream, sent, free } = aStream();
    const ofTom = (id: number, cursor: number): UserMatch => {
      const listing = aSeenListing({
        listing: aListing({ id, seller: { id: 8, login: "tom", photoUrl: null } }),
      });
      return aMatch({ listing, cursor: String(cursor) });
    };
    const blocked = new BlockedSellers([{ sellerId: 8, login: "tom" }]);
    stream.offer([ofTom(1, 10), match(2, 20), ofTom(3, 30)]);
    stream.flush(blocked);
    expect([idsOf(sent[0]), sent[0]?.cursor]).toEqual([[2], "30"]);
    free();
    stream.offer([ofTom(4, 40)]);
    stream.flush(blocked);
    expect(sent).toHaveLength(1);
    stream.registerPoll();
    stream.flush(blocked);
    expect([idsOf(sent[1]), sent[1]?.cursor]).toEqual([[], "40"]);
    free();
    stream.offer([ofTom(1, 50)]);
    stream.flush();
    expect(idsOf(sent[2])).toEqual([1]);
  });

  test("sends the filters that hold a listing later, without sending the listing again", () => {
    const { stream, sent, filtersSent, free } = aStream();
    const [first, later] = [match(1, 10), { ...match(1, 20), filterIds: [asFilterId("later")] }];
    stream.offer([first]);
    stream.flush();
    free();
    stream.offer([later]);
    stream.flush();
    expect(sent.map(idsOf)).toEqual([[1]]);
    expect(filtersSent).toEqual([later]);
  });

  test("sends nothing of a later match while its seller is blocked", () => {
    const { stream, filtersSent } = aStream();
    stream.offer([match(1, 10)]);
    stream.flush();
    const { seller } = match(1, 20).listing.listing;
    stream.offer([match(1, 20)]);
    stream.flush(new BlockedSellers([{ sellerId: seller.id, login: seller.login }]));
    expect(filtersSent).toEqual([]);
  });

  test("within one reading, listings of a later page come below those of the first page", () => {
    const { stream, sent } = aStream();
    stream.offer([match(30, 10), match(31, 11), match(20, 12), match(21, 13)]);
    stream.flush();
    expect(idsOf(sent[0])).toEqual([31, 30, 21, 20]);
    expect(sent[0]?.cursor).toBe("13");
  });

  test("sends nothing when nothing is new and no poll is open", () => {
    const { stream, sent } = aStream();
    stream.flush();
    expect(sent).toEqual([]);
  });

  test("answers a poll with an empty event when nothing is new", () => {
    const { stream, sent } = aStream();
    expect(stream.registerPoll()).toBe(true);
    stream.flush();
    expect(sent).toEqual([{ matches: [], cursor: NO_CURSOR }]);
  });

  test("has at most one pending answer, however many polls arrive before the sink is free", () => {
    const { stream, sent, free } = aStream();
    stream.registerPoll();
    stream.flush();
    expect(stream.registerPoll()).toBe(true);
    expect(stream.registerPoll()).toBe(false);
    stream.flush();
    expect(sent).toHaveLength(1);
    free();
    free();
    expect(sent).toHaveLength(2);
  });

  test("sends nothing before it has caught up, then missed and new matches", () => {
    const { stream, sent } = aStream({ isCaughtUp: false });
    stream.offer([match(3, 30)]);
    stream.flush();
    expect(sent).toEqual([]);
    stream.catchUp([match(2, 20), match(1, 10), match(3, 30)]);
    stream.flush();
    expect(idsOf(sent[0])).toEqual([3, 2, 1]);
  });

  test("sends a backlog in several events, the oldest first, and the next only when the last has left", () => {
    const { stream, sent, free } = aStream();
    stream.offer(Array.from({ length: 120 }, (_, i) => match(i + 1, i + 1)));
    stream.flush();
    expect(sent).toHaveLength(1);
    free();
    free();
    free();
    expect(sent.map((chunk) => chunk.matches.length)).toEqual([50, 50, 20]);
    expect(sent.map((chunk) => chunk.cursor)).toEqual(["50", "100", "120"]);
    expect(idsOf(sent[0])?.slice(0, 2)).toEqual([50, 49]);
  });

  test("sends a listing again only when its price fell", () => {
    const { stream, sent, free } = aStream();
    for (const [cursor, cents] of [
      [1, 1_000],
      [2, 1_000],
      [3, 1_100],
      [4, 900],
      [5, 950],
    ] as const) {
      stream.offer([match(7, cursor, cents)]);
      stream.flush();
      free();
    }
    expect(sent.map((chunk) => chunk.matches[0]?.listing.listing.totalPriceCents)).toEqual([1_000, 900]);
  });

  test("the latest state of a listing replaces one that still waits, with the filters of both", () => {
    const { stream, sent } = aStream();
    stream.offer([{ ...match(7, 1, 1_000), filterIds: [asFilterId("a")] }]);
    stream.offer([{ ...match(7, 2, 900), filterIds: [asFilterId("b")] }]);
    stream.flush();
    expect(sent[0]?.matches).toHaveLength(1);
    expect(sent[0]?.matches[0]).toMatchObject({ cursor: "2", filterIds: ["a", "b"] });
  });

  test("a listing that still waits is sent at its risen price, never at an older one", () => {
    const { stream, sent } = aStream();
    const waiting = match(7, 1, 2_000);
    stream.offer([waiting]);
    const { id: listingId } = waiting.listing.listing;
    const rise = { listingId, totalPriceCents: 3_000, seenAtMs: waiting.listing.seenAtMs + 1 };
    expect(stream.priceRose(rise)).toBe(false);
    stream.priceRose({ ...rise, totalPriceCents: 2_500, seenAtMs: waiting.listing.seenAtMs });
    stream.flush();
    expect(sent[0]?.matches[0]?.listing).toMatchObject({
      listing: { totalPriceCents: 3_000 },
      standing: null,
    });
  });

  test("a client that does not read is disconnected once its backlog is too large", () => {
    const line = aStream();
    line.stream.offer(Array.from({ length: 20_001 }, (_, i) => match(i + 1, i + 1)));
    expect(line.overflows).toBe(1);
  });

  test("in any order of arrival, each listing's last price fall is sent and cursors never go back", () => {
    const offers = fc.array(
      fc.record({
        id: fc.integer({ min: 1, max: 40 }),
        cents: fc.integer({ min: 1, max: 5 }),
        flush: fc.boolean(),
      }),
      { maxLength: 300 },
    );
    fc.assert(
      fc.property(offers, (steps) => {
        const { stream, sent, free } = aStream();
        const lowestCents = new Map<number, number>();
        steps.forEach(({ id, cents, flush }, i) => {
          stream.offer([match(id, i + 1, cents)]);
          if (!flush) return;
          stream.flush();
          free();
        });
        stream.flush();
        for (let i = 0; i <= steps.length; i += 1) free();
        for (const chunk of sent) {
          expect(chunk.matches.length).toBeLessThanOrEqual(50);
          for (const one of chunk.matches) {
            const { id, totalPriceCents } = one.listing.listing;
            expect(totalPriceCents).toBeLessThan(lowestCents.get(id) ?? Infinity);
            lowestCents.set(id, totalPriceCents);
          }
        }
        const cursors = sent.map((chunk) => Number(chunk.cursor));
        expect(cursors).toEqual(cursors.toSorted((one, other) => one - other));
        expect(new Set(lowestCents.keys())).toEqual(new Set(steps.map((step) => step.id)));
      }),
    );
  });
});

test("a listing is news when it comes first and whenever its price falls, among any number of others", () => {
  const steps = fc.array(
    fc.record({ id: fc.integer({ min: 7e9, max: 7e9 + 60 }), cents: fc.integer({ min: 0, max: 5 }) }),
    { maxLength: 400 },
  );
  fc.assert(
    fc.property(steps, (offers) => {
      const sent = new SentListings();
      const lowestCents = new Map<number, number>();
      for (const { id, cents } of offers) {
        expect(sent.take(asListingId(id), cents)).toBe(cents < (lowestCents.get(id) ?? Infinity));
        lowestCents.set(id, Math.min(cents, lowestCents.get(id) ?? Infinity));
      }
    }),
  );
});

test("of too many the one that was sent longest ago is forgotten, and no other", () => {
  const sent = new SentListings();
  const first = 8_000_000_000;
  const take = (n: number): boolean => sent.take(asListingId(first + n), 100);
  for (let n = 0; n < MAX_REMEMBERED; n += 1) expect(take(n)).toBe(true);
  for (let n = 0; n < MAX_REMEMBERED; n += 1) expect(take(n)).toBe(false);
  expect(take(MAX_REMEMBERED)).toBe(true);
  expect(take(1)).toBe(false);
  expect(take(MAX_REMEMBERED)).toBe(false);
  expect(take(0)).toBe(true);
  expect(take(1)).toBe(true);
  expect(take(2)).toBe(true);
  expect(take(4)).toBe(false);
});

test("after a rise a listing is news as soon as it costs less again, whatever it cost before the rise", () => {
  const sent = new SentListings();
  const id = asListingId(8_000_000_000);
  expect(sent.raise(id, 2_695)).toBe(false);
  sent.take(id, 2_460);
  expect(sent.raise(id, 2_695)).toBe(true);
  expect(sent.raise(id, 2_695)).toBe(false);
  expect(sent.raise(id, 2_460)).toBe(false);
  expect(sent.take(id, 2_695)).toBe(false);
  expect(sent.take(id, 2_550)).toBe(true);
});
