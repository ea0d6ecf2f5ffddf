import { describe, expect, test } from "vitest";
import { asListingId, type ListingId } from "#domain/ids.ts";
import { Secret } from "#domain/secret.ts";
import type { NewListing } from "#verify/testing/sandbox-client.ts";
import { MarketplaceError } from "./errors.ts";
import type { CheckoutChoices, Marketplace, Quote } from "./marketplace.ts";

/** A marketplace whose market the suite can fill. */
export interface MarketUnderTest {
  readonly marketplace: Marketplace;
  publish(listing: NewListing): Promise<ListingId>;
  sellToSomebodyElse(id: ListingId): Promise<void>;
  confirmAtTheBank(transactionId: number): Promise<void>;
  /** A refresh token of a person with a card and a wallet. */
  readonly refreshToken: Secret;
}

const home: CheckoutChoices = {
  paymentMethodId: 1,
  cardId: null,
  address: { street: "12 rue de la Roquette", city: "Paris", postalCode: 75_011, country: "France" },
  pickupPoint: null,
};

/** The behaviour of every adapter of the marketplace port. */
export function describeMarketplace(name: string, market: () => MarketUnderTest): void {
  const marketplace = (): Marketplace => market().marketplace;
  const access = async (): Promise<Secret> =>
    (await marketplace().refreshTokens(market().refreshToken)).accessToken;
  const newest = async (leafIds: readonly number[], marketplaceColourIds: readonly number[] = []) =>
    (await marketplace().searchNewest({ leafIds, marketplaceColourIds, page: 1, perPage: 96 })).listings;
  const sellerOf = async (id: ListingId): Promise<number> =>
    (await newest([])).find((listing) => listing.id === id)?.seller.id ?? 0;

  const checkout = async (
    token: Secret,
    listingId: ListingId,
  ): Promise<Quote & { transactionId: number }> => {
    const sellerId = await sellerOf(listingId);
    const { transactionId } = await marketplace().openTransaction(token, { listingId, sellerId });
    return { ...(await marketplace().buildCheckout(token, transactionId)), transactionId };
  };

  describe(`${name}: sellers`, () => {
    test("a seller's rating, reviews and country are read", async () => {
      const seller = { login: "lea75", rating: 4.7, reviews: 31, country: "BE" };
      const sellerId = await sellerOf(await market().publish({ title: "Jupe", price: 5, seller }));
      expect(await marketplace().seller(sellerId)).toEqual({
        rating: 4.7,
        reviewCount: 31,
        countryCode: "BE",
      });
    });

    test("a seller without reviews has no rating, and an unknown one is not found", async () => {
      const seller = { login: "nouvelle", rating: null };
      const sellerId = await sellerOf(await market().publish({ title: "Jupe", price: 5, seller }));
      expect(await marketplace().seller(sellerId)).toEqual({
        rating: null,
        reviewCount: 0,
        countryCode: "FR",
      });
      await expect(marketplace().seller(999_999_999_999)).rejects.toMatchObject({ code: "not_found" });
    });
  });

  describe(`${name}: reading`, () => {
    test("a published listing comes first, with the total that includes the protection", async () => {
      const id = await market().publish({
        title: "Pull marine",
        price: 6,
        brand_title: "Zara",
        color: "Navy",
      });
      const [first] = await newest([]);
      expect(first).toMatchObject({
        id,
        title: "Pull marine",
        brandTitle: "Zara",
        itemPriceCents: 600,
        totalPriceCents: 700,
        conditionLabel: "Très bon état",
        sizeTitle: "M",
      });
    });

    test("a slice of leaves and colours contains only its own listings", async () => {
      const shirt = await market().publish({
        title: "T-shirt rouge",
        price: 5,
        catalog_id: 221,
        color: "Red",
      });
      const other = await market().publish({ title: "Autre", price: 5, catalog_id: 1806, color: "Black" });
      const idsOf = async (leafIds: readonly number[], colourIds: readonly number[]): Promise<ListingId[]> =>
        (await newest(leafIds, colourIds)).map((listing) => listing.id);
      expect(await idsOf([221], [])).toContain(shirt);
      expect(await idsOf([221], [])).not.toContain(other);
      expect(await idsOf([221, 1806], [])).toEqual(expect.arrayContaining([shirt, other]));
      expect(await idsOf([221, 1806], [7])).toContain(shirt);
      expect(await idsOf([221, 1806], [7])).not.toContain(other);
    });
  });

  describe(`${name}: buying`, () => {
    test("a checkout leads from the listing to a paid order of exactly the quoted total", async () => {
      const token = await access();
      const id = await market().publish({ title: "Robe longue", price: 20, shipping: 3 });
      const built = await checkout(token, id);
      const quote = await marketplace().updateCheckout(token, built.checkoutId, {
        ...home,
        cardId: built.cardId,
      });
      expect(quote).toMatchObject({ listingId: id, itemTotalCents: 2_170 });
      expect(quote.totalCents).toBeGreaterThan(quote.itemTotalCents);

      const paid = await marketplace().pay(token, quote.checkoutId, quote.checksum, Infinity);
      expect(paid).toMatchObject({
        transactionId: built.transactionId,
        listingId: id,
        totalCents: quote.totalCents,
      });
      await expect
        .poll(async () => (await marketplace().payment(token, quote.checkoutId)).status)
        .toBe("success");
      expect(await marketplace().transaction(token, built.transactionId)).toMatchObject({
        listingId: id,
        state: "paid",
        totalCents: quote.totalCents,
      });
      const { orders } = await marketplace().orders(token, 1);
      expect(orders[0]).toMatchObject({ transactionId: built.transactionId, listingId: id, state: "paid" });
    });

    test("a pickup point changes the quote and its checksum, and an old checksum does not pay", async () => {
      const token = await access();
      const built = await checkout(token, await market().publish({ title: "Sac", price: 30, shipping: 4 }));
      const toHome = await marketplace().updateCheckout(token, built.checkoutId, {
        ...home,
        cardId: built.cardId,
      });
      if (toHome.position === null) throw new Error("an address without a position");
      const [point] = await marketplace().nearbyPickupPoints(token, {
        shippingOrderId: toHome.shippingOrderId,
        ...toHome.position,
      });
      if (point === undefined) throw new Error("no pickup point in Paris");
      const choices = { ...home, cardId: built.cardId, pickupPoint: point };
      const toPoint = await marketplace().updateCheckout(token, built.checkoutId, choices);
      expect(toPoint.checksum).not.toBe(toHome.checksum);
      expect(toPoint.totalCents).toBe(toPoint.itemTotalCents + 400);
      await expect(
        marketplace().pay(token, built.checkoutId, toHome.checksum, Infinity),
      ).rejects.toMatchObject({
        code: "price_changed",
        isDefinite: true,
      });
      expect((await marketplace().pay(token, built.checkoutId, toPoint.checksum, Infinity)).totalCents).toBe(
        toPoint.totalCents,
      );
    });

    test("a sold listing cannot be bought, and the refusal is definite", async () => {
      const token = await access();
      const id = await market().publish({ title: "Déjà parti", price: 9 });
      const sellerId = await sellerOf(id);
      await market().sellToSomebodyElse(id);
      const attempt = marketplace().openTransaction(token, { listingId: id, sellerId });
      await expect(attempt).rejects.toMatchObject({ isDefinite: true });
    });

    test("a secure listing waits for the bank with a confirmation link, and is then paid", async () => {
      const token = await access();
      const built = await checkout(
        token,
        await market().publish({ title: "Sac de luxe", price: 90, secure: true }),
      );
      const quote = await marketplace().updateCheckout(token, built.checkoutId, {
        ...home,
        cardId: built.cardId,
      });
      const answer = await marketplace().pay(token, quote.checkoutId, quote.checksum, Infinity);
      expect(answer.status).toBe("pending");
      expect(answer.confirmUrl).toMatch(/^http/);
      expect(await marketplace().transaction(token, built.transactionId)).toMatchObject({
        state: "awaiting",
      });
      await market().confirmAtTheBank(built.transactionId);
      await expect
        .poll(async () => (await marketplace().transaction(token, built.transactionId)).state)
        .toBe("paid");
    });

    test("a cancellation is requested and observed to its end", async () => {
      const token = await access();
      const built = await checkout(token, await market().publish({ title: "À annuler", price: 12 }));
      const quote = await marketplace().updateCheckout(token, built.checkoutId, {
        ...home,
        cardId: built.cardId,
      });
      await marketplace().pay(token, quote.checkoutId, quote.checksum, Infinity);
      const state = async (): Promise<string> =>
        (await marketplace().transaction(token, built.transactionId)).state;
      await expect.poll(state).toBe("paid");
      await marketplace().requestCancel(token, built.transactionId, Infinity);
      await expect.poll(state).toBe("cancelled");
    });
  });

  describe(`${name}: sessions`, () => {
    test("a refresh returns a new pair, and the old refresh token is invalid", async () => {
      const first = await marketplace().refreshTokens(market().refreshToken);
      const second = await marketplace().refreshTokens(first.refreshToken);
      expect(second.accessToken.reveal()).not.toBe(first.accessToken.reveal());
      await expect(marketplace().refreshTokens(first.refreshToken)).rejects.toMatchObject({
        code: "session_refused",
        isDefinite: true,
      });
    });

    test("an unknown access token is unauthorised, and somebody else's order does not exist", async () => {
      await expect(marketplace().orders(new Secret("nobody"), 1)).rejects.toMatchObject({
        code: "unauthorised",
      });
      const attempt = marketplace().transaction(await access(), 999_999_999);
      await expect(attempt).rejects.toBeInstanceOf(MarketplaceError);
      await expect(attempt).rejects.toMatchObject({ code: "not_found" });
    });

    test("a listing that does not exist cannot be opened", async () => {
      const wanted = { listingId: asListingId(1), sellerId: 1 };
      await expect(marketplace().openTransaction(await access(), wanted)).rejects.toMatchObject({
        isDefinite: true,
      });
    });
  });
}
