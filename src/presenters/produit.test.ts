import { expect, test } from "vitest";
import { z } from "zod";
import { produit, produitDuFlux } from "#contract/produit.ts";
import { asFilterId } from "#domain/ids.ts";
import { aListing, aSeenListing } from "#verify/testing/a-listing.ts";
import { aMatch } from "#verify/testing/a-match.ts";
import { presentProduit, presentProduitDuFlux } from "./produit.ts";

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
