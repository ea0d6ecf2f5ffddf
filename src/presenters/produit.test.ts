import { expect, test } from "vitest";
import { z } from "zod";
import { produit, produitDuFlux } from "#contract/produit.ts";
import { asFilterId } from "#domain/ids.ts";
import { aListing, aSeenListing, aStanding } from "#verify/testing/a-listing.ts";
import { aMatch } from "#verify/testing/a-match.ts";
import { presentPrix, presentProduit, presentProduitDuFlux } from "./produit.ts";

const MARKET = "http://localhost:3001";

test("presentProduit() gives the specification's fields", () => {
  const shown = presentProduit(
    aListing({
      id: 7,
      photoUrl: `${MARKET}/p/7.svg`,
      photoDominantColour: "#9A896A",
      seller: { id: 1, login: "lea", photoUrl: `${MARKET}/a/1.svg` },
    }),
    MARKET,
  );
  expect(z.strictObject(produit.shape).parse(shown)).toEqual({
    id: 7,
    title: "Robe d'été",
    photo: { url: `${MARKET}/p/7.svg`, dominant_color: "#9A896A" },
    brand_title: "Zara",
    total_item_price: { amount: "11.20", currency_code: "EUR" },
    size_title: "M",
    status: "Très bon état",
    path: "/items/7-robe-d-ete",
    url: `${MARKET}/items/7-robe-d-ete`,
    user: { id: 1, login: "lea", photo: { url: `${MARKET}/a/1.svg` } },
  });
});

test("presentProduit() says no id of a seller where none is known", () => {
  const listing = aListing({ seller: { id: 0, login: "", photoUrl: null } });
  expect(presentProduit(listing, MARKET).user).toEqual({ id: null, login: "", photo: null });
});

test("presentProduit() leaves out pictures that are none", () => {
  const shown = presentProduit(
    aListing({ photoUrl: "javascript:alert(1)", seller: { id: 1, login: "lea", photoUrl: "data:x" } }),
    MARKET,
  );
  expect(shown.photo).toBeNull();
  expect(shown.user.photo).toBeNull();
});

test("presentProduitDuFlux() adds the filters and the moment at which this version arrived", () => {
  const match = aMatch({
    listing: aSeenListing({ firstSeenAtMs: 1_000, seenAtMs: 5_000 }),
    filterIds: [asFilterId("f1"), asFilterId("f2")],
  });
  const shown = presentProduitDuFlux(match, MARKET);
  expect(z.strictObject(produitDuFlux.shape).parse(shown)).toMatchObject({
    filtres: ["f1", "f2"],
    vu_a: 5_000,
  });
});

test("a listing says when it was published, by its photo, if that was before it was found", () => {
  const timesOf = (photoTakenAtUnixS: number | null) => {
    const listing = aSeenListing({ seenAtMs: 90_500, listing: aListing({ photoTakenAtUnixS, title: "" }) });
    const { vu_a, paru_a, title } = presentProduitDuFlux(aMatch({ listing }), MARKET);
    return [vu_a, paru_a, title];
  };
  expect(timesOf(30)).toEqual([90_500, 30_000, "Article sans titre"]);
  expect(timesOf(null)).toEqual([90_500, undefined, "Article sans titre"]);
  expect(timesOf(91)).toEqual([90_500, undefined, "Article sans titre"]);
});

test.each([
  ["type_brand_condition", "type_marque_etat"],
  ["type_brand", "type_marque"],
  ["type_condition", "type_etat"],
] as const)("a usual price of %s says the quartiles, their sample and the base %s", (basis, base) => {
  const standing = {
    lowCents: 4_500,
    medianCents: 5_250,
    highCents: 6_000,
    rank: basis === "type_brand_condition" ? 88 : null,
    sampleSize: 312,
    dayCount: 19,
    basis,
  };
  const euros = (amount: string) => ({ amount, currency_code: "EUR" });
  expect(presentPrix({ listing: aListing({ totalPriceCents: 3_200 }), standing })).toEqual({
    bas: euros("45.00"),
    median: euros("52.50"),
    haut: euros("60.00"),
    rang: standing.rank,
    n: 312,
    jours: 19,
    base,
    suspect: false,
  });
});

test("a price far below the usual one is suspect, and a listing without one says none", () => {
  const priced = (totalPriceCents: number) =>
    presentPrix({ listing: aListing({ totalPriceCents }), standing: aStanding({ medianCents: 10_000 }) });
  expect([priced(1_500)?.suspect, priced(1_499)?.suspect]).toEqual([false, true]);
  const listing = aListing();
  expect(presentPrix({ listing, standing: null })).toBeNull();
  expect(presentPrix({ listing })).toBeNull();
});
