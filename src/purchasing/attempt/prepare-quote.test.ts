import { describe, expect, it } from "vitest";
import { EMPTY_ADDRESS } from "#domain/settings.ts";
import { Secret } from "#domain/secret.ts";
import type { Checkout, PickupPoint, Quote } from "#marketplace/marketplace.ts";
import { MarketplaceError, type MarketplaceErrorCode } from "#marketplace/errors.ts";
import { asListingId } from "#domain/ids.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createAddressKeys, createDelivery, preferredPoint } from "./prepare-quote.ts";

const point = (name: string): PickupPoint => ({
  uuid: name,
  code: name,
  name,
  rateUuid: "rate",
});

describe("preferredPoint()", () => {
  const points = [point("Tabac de la Gare"), point("Relais Colis Bastille"), point("L'Été Indien")];

  it("follows the person's order, not the marketplace's", () => {
    expect(preferredPoint(["Relais Colis Bastille", "Tabac de la Gare"], points)?.name).toBe(
      "Relais Colis Bastille",
    );
  });

  it("compares names folded: case, accents and punctuation do not count", () => {
    expect(preferredPoint(["l'ete INDIEN "], points)?.name).toBe("L'Été Indien");
  });

  it("answers null when none fits, and does not match part of a name", () => {
    expect(preferredPoint(["Tabac"], points)).toBeNull();
    expect(preferredPoint([], points)).toBeNull();
    expect(preferredPoint(["'"], [point("'")])).toBeNull();
  });
});

describe("the cache of an address's pickup points", () => {
  const home = { ...EMPTY_ADDRESS, street: "12 rue du Secret", city: "Paris", postalCode: 75_011 };

  it("has a key that does not reveal the address and differs between processes", () => {
    const keyOf = createAddressKeys();
    expect(keyOf(home)).toBe(keyOf({ ...home }));
    expect(keyOf(home)).not.toBe(keyOf({ ...home, postalCode: 75_012 }));
    expect(keyOf(home)).toMatch(/^[\w-]{43}$/);
    expect(keyOf(home)).not.toBe(createAddressKeys()(home));
  });

  const quote: Quote = {
    checkoutId: 1,
    checksum: "sum",
    listingId: asListingId(7),
    itemTotalCents: 100,
    totalCents: 200,
    cardId: 1,
    shippingOrderId: 3,
    position: { latitude: 48, longitude: 2, countryCode: "FR" },
  };

  /**
   * One purchase after the other to the same address.
   * @param offers the points that the marketplace lists for each, if it is asked
   * @returns where each parcel went (null: to the address) and how often the list was requested
   */
  const delivered = async (
    pickupPointNames: readonly string[],
    offers: readonly (readonly string[])[],
    refusalOfOthers?: MarketplaceErrorCode,
  ) => {
    let [asked, chosen, offered]: [number, string | null, readonly string[]] = [0, null, []];
    const checkout: Pick<Checkout, "updateCheckout" | "nearbyPickupPoints"> = {
      async updateCheckout(_access, _id, { pickupPoint }) {
        const isOffered = pickupPoint === null || offered.includes(pickupPoint.name);
        if (!isOffered && refusalOfOthers !== undefined) throw new MarketplaceError(refusalOfOthers);
        chosen = pickupPoint?.name ?? null;
        return quote;
      },
      async nearbyPickupPoints() {
        asked += 1;
        return offered.map(point);
      },
    };
    const delivery = createDelivery(checkout, new FakeClock());
    const wishes = { settings: { address: home, pickupPointNames }, paymentMethodId: 1 } as const;
    const places: (string | null)[] = [];
    for (offered of offers) {
      await delivery.choose(new Secret("access"), quote, wishes);
      places.push(chosen);
    }
    return { places, asked };
  };

  it("keeps the points unless there are too many of them; those are requested each time", async () => {
    const askedWith = async (pointCount: number) => {
      const names = Array.from({ length: pointCount }, (_, n) => `Relais ${n + 1}`);
      const wanted = `Relais ${pointCount}`;
      const { places, asked } = await delivered([wanted], [names, names, names]);
      expect(places).toEqual([wanted, wanted, wanted]);
      return asked;
    };
    expect(await askedWith(500)).toBe(1);
    expect(await askedWith(501)).toBe(3);
  });

  it.each(["address_invalid", "unreadable", "not_found"] as const)(
    "is renewed when the marketplace answers %s to a point that it no longer knows",
    async (refusal) => {
      const offers = [["Tabac de la Gare"], ["Relais Colis Bastille"]];
      const { places, asked } = await delivered(["Tabac de la Gare"], offers, refusal);
      expect({ places, asked }).toEqual({ places: ["Tabac de la Gare", null], asked: 2 });
    },
  );

  it("decides nothing without the person's first point: it may be offered for the next parcel", async () => {
    const both = ["Tabac de la Gare", "Relais Colis Bastille"];
    expect(await delivered(both, [[], both, []])).toEqual({
      places: [null, "Tabac de la Gare", "Tabac de la Gare"],
      asked: 2,
    });
    expect(await delivered(both, [["Relais Colis Bastille"], both, []])).toEqual({
      places: ["Relais Colis Bastille", "Tabac de la Gare", "Tabac de la Gare"],
      asked: 2,
    });
  });
});
