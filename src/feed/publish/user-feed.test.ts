import { beforeEach, expect, test } from "vitest";
import { asListingId, asUserId } from "#domain/ids.ts";
import type { UserMatch } from "#domain/market/match.ts";
import { aListing, aSeenListing, aStanding } from "#verify/testing/a-listing.ts";
import { aMatch } from "#verify/testing/a-match.ts";
import { aUser } from "#verify/testing/a-user.ts";
import { A_MOMENT_MS, FakeClock } from "#verify/testing/fake-clock.ts";
import { openTestStore } from "#verify/testing/test-store.ts";
import { CursorSource, firstCursorOf, isAfter, isCursor } from "./cursors.ts";
import { REPLAY_MS, UserFeeds } from "./user-feed.ts";

const lea = asUserId("lea");

let cursors = new CursorSource();

beforeEach(() => {
  cursors = new CursorSource();
});

function matchAt(atMs: number, id: number, userId = lea): UserMatch {
  return aMatch({
    userId,
    listing: aSeenListing({ listing: aListing({ id }), firstSeenAtMs: atMs, seenAtMs: atMs }),
    cursor: cursors.next(atMs),
    matchedAtMs: atMs,
  });
}

const relists = { backgrounds: async () => new Map() };
const nothingRecorded = { listings: { matchesAfter: async () => [] }, relists };

const idsOf = (matches: readonly UserMatch[]): readonly number[] =>
  matches.map(({ listing }) => listing.listing.id);

test("cursors increase within a millisecond, over time and when the clock goes back", () => {
  const source = new CursorSource();
  const given = [5, 5, 5, 6, 4, 7].map((nowMs) => source.next(nowMs));
  expect(given.every((cursor, place) => place === 0 || isAfter(cursor, given[place - 1] ?? ""))).toBe(true);
  expect(isAfter(source.next(A_MOMENT_MS), firstCursorOf(A_MOMENT_MS - 1))).toBe(true);
  expect(["", "-1", "1e9", "007", "9".repeat(30)].filter(isCursor)).toEqual([]);
  expect(isCursor(firstCursorOf(A_MOMENT_MS))).toBe(true);
});

test("a replay returns the person's own matches after the cursor of the last five minutes, oldest first", async () => {
  const clock = new FakeClock();
  const feeds = new UserFeeds(nothingRecorded, clock);
  const all = [0, 60_000, 120_000].map((laterMs, index) => matchAt(A_MOMENT_MS + laterMs, index + 1));
  feeds.add([...all, matchAt(A_MOMENT_MS, 9, asUserId("tom"))]);
  await clock.advance(120_000);
  expect(idsOf(await feeds.replay(lea, null))).toEqual([1, 2, 3]);
  expect(idsOf(await feeds.replay(lea, all[0]?.cursor ?? ""))).toEqual([2, 3]);
  expect(idsOf(await feeds.replay(lea, "no cursor"))).toEqual([1, 2, 3]);
  await clock.advance(REPLAY_MS - 90_000);
  expect(idsOf(await feeds.replay(lea, null))).toEqual([2, 3]);
  feeds.sweep();
  expect(idsOf(await feeds.replay(lea, null))).toEqual([2, 3]);
  expect(await feeds.replay(asUserId("nobody"), null)).toEqual([]);
});

test("a very old cursor is answered from memory, like no cursor", async () => {
  const clock = new FakeClock();
  let asked = 0;
  const matchesAfter = async () => {
    asked += 1;
    return [];
  };
  const feeds = new UserFeeds({ listings: { matchesAfter }, relists }, clock);
  await clock.advance(REPLAY_MS + 1);
  feeds.add([matchAt(clock.nowMs(), 1)]);
  expect(idsOf(await feeds.replay(lea, "1"))).toEqual([1]);
  expect(asked).toBe(0);
});

test("matches missing in memory are read from the store, without duplicates", async () => {
  await using opened = await openTestStore();
  const { store } = opened;
  const { user } = await store.users.signIn({ ...aUser(), displayName: "Léa" }, A_MOMENT_MS);
  const clock = new FakeClock();
  const earlier = Array.from({ length: 40 }, (_, index) =>
    matchAt(A_MOMENT_MS + index, 100 + index, user.id),
  );
  await store.listings.record({
    listings: earlier.map(({ listing }) => listing),
    matches: earlier,
    marks: [],
  });
  await clock.advance(10_000);

  const restarted = new UserFeeds(store, clock);
  const later = Array.from({ length: 2_100 }, (_, index) =>
    matchAt(clock.nowMs() + index, 1_000 + index, user.id),
  );
  restarted.add(later.slice(0, 5));
  expect(idsOf(await restarted.replay(user.id, null))).toEqual(idsOf([...earlier, ...later.slice(0, 5)]));

  restarted.add(later.slice(5));
  await store.listings.record({ listings: later.map(({ listing }) => listing), matches: later, marks: [] });
  await clock.advance(2_000);
  expect(idsOf(await restarted.replay(user.id, null))).toEqual(idsOf([...earlier, ...later]));
  expect(idsOf(await restarted.replay(user.id, later[100]?.cursor ?? ""))).toEqual(idsOf(later.slice(101)));
});

test("a price that rose counts for what was seen before it, not for what was seen after", async () => {
  const clock = new FakeClock();
  const feeds = new UserFeeds(nothingRecorded, clock);
  const [risen, fallenSince, other] = [1, 2, 3].map((id) => matchAt(clock.nowMs(), id));
  const cheap = { cheaperSinceMs: 1, standing: aStanding() };
  feeds.add(
    [risen, fallenSince, other].flatMap((match) =>
      match === undefined ? [] : { ...match, listing: { ...match.listing, ...cheap } },
    ),
  );
  const rise = { totalPriceCents: 2_695, seenAtMs: clock.nowMs() + 1_000 };
  const standing = aStanding({ rank: 7 });
  for (const id of [1, 2]) feeds.priceRose({ ...rise, listingId: asListingId(id), standing });
  await clock.advance(2_000);
  feeds.add([matchAt(clock.nowMs(), 2)]);
  const pricesOf = (matches: readonly UserMatch[]) =>
    matches.map(({ listing }) => [listing.listing.id, listing.listing.totalPriceCents]);
  const usual = aListing().totalPriceCents;
  expect(pricesOf(await feeds.replay(lea, null))).toEqual([
    [1, 2_695],
    [2, 2_695],
    [3, usual],
    [2, usual],
  ]);
  // What was known of the lower price does not hold for the higher one, which has a standing of its own.
  const [first] = await feeds.replay(lea, null);
  expect(first?.listing).toMatchObject({ standing });
  expect(first?.listing).not.toHaveProperty("cheaperSinceMs");
  // A quote knows a price without its standing.
  feeds.priceRose({ ...rise, seenAtMs: rise.seenAtMs + 1, listingId: asListingId(1) });
  expect((await feeds.replay(lea, null))[0]?.listing).toMatchObject({ standing: null });
  // An older price rise that arrives late does not replace a newer one.
  feeds.priceRose({ listingId: asListingId(1), totalPriceCents: 2_500, seenAtMs: rise.seenAtMs - 1 });
  expect(pricesOf(await feeds.replay(lea, null))[0]).toEqual([1, 2_695]);
});

test("what a purchase shows of a listing is told of any listing, and replayed until the listing is seen anew", async () => {
  const clock = new FakeClock();
  const feeds = new UserFeeds(nothingRecorded, clock);
  const match = matchAt(clock.nowMs(), 1);
  feeds.add([match]);
  const seller = { rating: 4, reviewCount: 9, countryCode: "FR" };
  feeds.learn({ kind: "seller_known", sellerId: match.listing.listing.seller.id, seller });
  const [listingId, unlisted] = [asListingId(1), asListingId(2)];
  const gone = { kind: "availability_known", isGone: true } as const;
  const background = { relist: null, seller, isGone: true };
  expect(feeds.learn({ ...gone, listingId })).toEqual([{ listingId, background }]);
  expect(feeds.learn({ ...gone, listingId: unlisted })).toEqual([
    { listingId: unlisted, background: { relist: null, seller: null, isGone: true } },
  ]);
  expect(feeds.learn({ kind: "user_changed", userId: lea })).toEqual([]);
  const backgrounds = async () => (await feeds.replay(lea, null)).map(({ listing }) => listing.background);
  expect(await backgrounds()).toEqual([background]);
  await clock.advance(1_000);
  feeds.add([matchAt(clock.nowMs(), 1)]);
  expect((await backgrounds()).at(-1)).toEqual({ relist: null, seller });
});
