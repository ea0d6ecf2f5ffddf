import { describe, expect, it } from "vitest";
import { EMPTY_ADDRESS } from "#domain/settings.ts";
import { Secret } from "#domain/secret.ts";
import type { Checkout, PickupPoint, Quote } from "#marketplace/marketplace.ts";
import { asListingId } from "#domain/ids.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createAddressKeys, createDelivery, preferredPoint } from "./prepare-quote.ts";

const point = (name: string): PickupPoint => ({
  uuid: name,
  code: name,
  name,
  rateUuid: "rate",
  latitude: 48,
  longitude: 2,
  priceCents: 300,
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

  it("keeps the points unless there are too many of them; those are requested each time", async () => {
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
    const askedWith = async (pointCount: number) => {
      let asked = 0;
      const chosen: (string | undefined)[] = [];
      const checkout: Pick<Checkout, "updateCheckout" | "nearbyPickupPoints"> = {
        async updateCheckout(_access, _id, { pickupPoint }) {
          chosen.push(pickupPoint?.name);
          return quote;
        },
        async nearbyPickupPoints() {
          asked += 1;
          return Array.from({ length: pointCount }, (_, n) => point(`Relais ${n + 1}`));
        },
      };
      const delivery = createDelivery(checkout, new FakeClock());
      const settings = { address: home, pickupPointNames: [`Relais ${pointCount}`] };
      for (let n = 0; n < 3; n += 1)
        await delivery.choose(new Secret("access"), quote, { settings, paymentMethodId: 1 });
      expect(chosen.at(-1)).toBe(`Relais ${pointCount}`);
      return asked;
    };
    expect(await askedWith(500)).toBe(1);
    expect(await askedWith(501)).toBe(3);
  });
});
