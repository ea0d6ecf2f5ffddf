import { expect, test } from "vitest";
import { asFilterId, asUserId } from "#domain/ids.ts";
import type { AutobuyWish } from "#domain/market/match.ts";
import { aListing, aSeenListing } from "#verify/testing/a-listing.ts";
import { aWish } from "#verify/testing/a-match.ts";
import { newestWishes } from "./wishes.ts";

function wish(user: string, matchedAtMs: number): AutobuyWish {
  const listing = aSeenListing({ listing: aListing({ id: matchedAtMs }) });
  return aWish({ userId: asUserId(user), filterId: asFilterId(`of ${user}`), listing, matchedAtMs });
}

test("of too many wishes the newest are kept, in all and of each person, oldest first", () => {
  const lea = [1, 2, 3, 4].map((atMs) => wish("lea", atMs));
  const tom = [1, 2].map((atMs) => wish("tom", atMs));
  const namesOf = (inAll: number, perPerson: number) =>
    newestWishes([...lea, ...tom, ...tom], { inAll, perPerson }).map(
      ({ userId, matchedAtMs }) => `${userId} ${matchedAtMs}`,
    );
  expect(namesOf(9, 2)).toEqual(["tom 1", "tom 2", "lea 3", "lea 4"]);
  expect(namesOf(3, 9)).toEqual(["tom 2", "lea 3", "lea 4"]);
});
