import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { wireOrders, wireTokens, wireTransaction } from "#marketplace/wire.ts";
import type { PublishedItem } from "#verify/testing/sandbox-client.ts";
import {
  openShop,
  paymentOf,
  refusalOf,
  search,
  type Received,
  type Shop,
  type Shopper,
  outcomeOf,
} from "../shop.suite.ts";

let shop: Shop;
let buyer: Shopper;

beforeEach(async () => {
  shop = await openShop();
  buyer = await shop.shopper("eprouvee");
});

afterEach(async () => {
  await shop[Symbol.asyncDispose]();
});

describe("other people", () => {
  test.each([
    ["sold_first", "sold", "409 item_sold"],
    ["sold_first", "reserved", "409 item_reserved"],
    ["withdrawn", "gone_410", "410 item_withdrawn"],
    ["withdrawn", "gone_404", "404 not_found"],
    ["withdrawn", "hidden", "404 not_found"],
    ["withdrawn", "relisted", "410 item_withdrawn"],
  ])("%s, %s: the payment is refused with %s", async (kind, variant, refusal) => {
    const item = await shop.publish({ title: "Convoitée", catalog_id: 166 });
    const checkout = await buyer.prepare(item);
    await shop.arm(kind, { route: "payment", variant });
    expect(refusalOf(await buyer.pay(checkout))).toBe(refusal);
    expect(await shop.orderOf(item)).toMatchObject({ payments: 0 });
    await shop.clearFaults();
    const isBack = variant === "reserved" || variant === "hidden";
    expect((await search(shop, "catalog_ids=166")).ids).toHaveLength(variant === "relisted" ? 1 : 0);
    await shop.clock.advance(3_001);
    // Reserved and hidden listings become available again.
    if (isBack) expect((await search(shop, "catalog_ids=166")).ids).toEqual([item.id]);
    expect(await outcomeOf(buyer.pay(checkout))).toBe(
      isBack ? "200" : refusal.slice(0, 3) === "404" ? "410" : refusal.slice(0, 3),
    );
  });

  test("sold_first strikes the first step of a purchase", async () => {
    const item = await shop.publish({});
    await shop.arm("sold_first");
    const body = { initiator: "buy", item_id: item.id, opposite_user_id: item.user.id };
    expect(refusalOf(await buyer.send({ method: "POST", path: "/api/v2/conversations", body }))).toBe(
      "409 item_sold",
    );
  });

  test.each(["up", "down", "shipping"])(
    "price_changed, %s: what was quoted no longer pays",
    async (variant) => {
      const item = await shop.publish({ price: 40 });
      const checkout = await buyer.prepare(item);
      await shop.arm("price_changed", { route: "payment", variant, count: 1 });
      expect(refusalOf(await buyer.pay(checkout))).toBe("409 price_changed");
      const requoted = await buyer.choose(checkout);
      const [before, after] = [checkout, requoted].map(({ pay_button_v2: button }) =>
        Number(button.total.price.amount),
      );
      expect(Math.sign((after ?? 0) - (before ?? 0))).toBe(variant === "down" ? -1 : 1);
    },
  );

  test("price_changed, fee: the payment charges more than the quote", async () => {
    const item = await shop.publish({ price: 40, shipping: 0 });
    const checkout = await buyer.prepare(item);
    await shop.arm("price_changed", { route: "payment", variant: "fee" });
    expect(paymentOf(await buyer.pay(checkout)).payment.total.amount).toBe("44.0");
    expect(await shop.orderOf(item)).toMatchObject({ total: { amount: "44.00" }, payments: 1 });
  });

  test("price_changed, fee: a wallet that holds only the quote is refused, and the attempt counts", async () => {
    const item = await shop.publish({ price: 475, shipping: 0 });
    const checkout = await buyer.prepare(item, { methodId: 11 });
    await shop.arm("price_changed", { route: "payment", variant: "fee" });
    expect(refusalOf(await buyer.pay(checkout))).toBe("422 insufficient_funds");
    expect(await shop.orderOf(item)).toMatchObject({ state: "open", payments: 0, payment_requests: 1 });
  });

  test.each([
    ["currency", { amount: "42.7", currency_code: "USD" }],
    ["zero", { amount: "0.0", currency_code: "EUR" }],
    ["negative", { amount: "-5.0", currency_code: "EUR" }],
    ["nan", { amount: "NaN", currency_code: "EUR" }],
    ["exponent", { amount: "1e3", currency_code: "EUR" }],
    ["comma", { amount: "12,50", currency_code: "EUR" }],
  ])("price_changed, %s: quotes hold %o", async (variant, price) => {
    const item = await shop.publish({ price: 40 });
    const id = await buyer.openTransaction(item);
    await shop.arm("price_changed", { route: "build", variant });
    expect((await buyer.build(id)).pay_button_v2.total.price).toEqual(price);
  });

  test("price_changed on the catalogue changes the shown prices", async () => {
    await shop.publish({ price: 40 });
    await shop.arm("price_changed", { route: "catalog", variant: "down" });
    const { page } = await search(shop, "page=1");
    expect(Number(page.items[0]?.total_item_price.amount)).toBeLessThan(42.7);
  });
});

describe("orders", () => {
  const listed = async (): Promise<readonly number[]> => {
    const received = await buyer.send({ path: "/api/v2/my_orders" });
    return wireOrders.parse(received.json).my_orders.map((order) => order.item_id);
  };

  test("orders_lag: a new order appears late", async () => {
    const item = await shop.publish({});
    await shop.arm("orders_lag");
    await buyer.buy(item);
    expect(await listed()).toEqual([]);
    await shop.clock.advance(2_000);
    expect(await listed()).toEqual([item.id]);
  });

  test("orders_lag: pages shift or are missing", async () => {
    const [first, second] = [await shop.publish({}), await shop.publish({})];
    await buyer.buy(first);
    await buyer.buy(second);
    await shop.arm("orders_lag", { variant: "shift", count: 1 });
    expect(await listed()).toEqual([first.id]);
    await shop.arm("orders_lag", { variant: "missing_page", count: 1 });
    expect(await listed()).toEqual([]);
    expect(await listed()).toEqual([second.id, first.id]);
  });

  test("orders_lag, outside_purchase: adds one outside purchase", async () => {
    await shop.arm("orders_lag", { variant: "outside_purchase" });
    expect(await listed()).toHaveLength(1);
    expect(await listed()).toHaveLength(1);
    expect(await shop.orders()).toMatchObject([{ account: "eprouvee", state: "paid", payments: 1 }]);
  });
});

describe("cancellations", () => {
  async function bought(): Promise<{ item: PublishedItem; path: string }> {
    const item = await shop.publish({});
    const { payment } = paymentOf(await buyer.buy(item));
    return { item, path: `/api/v2/transactions/${payment.transaction_id}` };
  }
  const cancel = async (path: string): Promise<Received> =>
    await buyer.send({ method: "POST", path: `${path}/cancel`, body: {} });
  const cancellationOf = async (path: string): Promise<string> =>
    wireTransaction.parse((await buyer.send({ path })).json).transaction.cancellation;

  test("cancel_refused: immediately, or after a delay", async () => {
    const { item, path } = await bought();
    await shop.arm("cancel_refused", { count: 1 });
    expect(refusalOf(await cancel(path))).toBe("409 cancel_refused");
    await shop.arm("cancel_refused", { count: 1, variant: "later" });
    expect((await cancel(path)).status).toBe(200);
    expect(await cancellationOf(path)).toBe("requested");
    await shop.clock.advance(1_001);
    expect(await cancellationOf(path)).toBe("refused");
    expect(await shop.orderOf(item)).toMatchObject({ state: "paid" });
  });

  test.each([
    ["after_effect", "broken", "cancelled"],
    ["before_effect", "broken", "paid"],
    ["error_500", "500", "cancelled"],
  ])("cancel_ambiguous, %s: the client gets %s, the order ends %s", async (variant, outcome, state) => {
    const { item, path } = await bought();
    await shop.arm("cancel_ambiguous", { variant, count: 1 });
    expect(await outcomeOf(cancel(path))).toBe(outcome);
    await shop.clock.advance(2_000);
    expect(await shop.orderOf(item)).toMatchObject({ state });
  });

  test("cancel_ambiguous, undecided: stays requested for a long time", async () => {
    const { path } = await bought();
    await shop.arm("cancel_ambiguous", { variant: "undecided", delay_ms: 30_000 });
    await cancel(path);
    await shop.clock.advance(29_000);
    expect(await cancellationOf(path)).toBe("requested");
    await shop.clock.advance(1_001);
    expect(await cancellationOf(path)).toBe("granted");
  });
});

describe("sessions", () => {
  const refresh = async (token: string): Promise<Received> =>
    await shop.send({ method: "POST", path: "/web/api/auth/refresh", body: { refresh_token: token } });

  test("refresh_lost, unforgiven: using the old token is reuse", async () => {
    await shop.arm("refresh_lost", { count: 1, variant: "unforgiven" });
    expect(await outcomeOf(refresh(buyer.refreshToken))).toBe("broken");
    expect(refusalOf(await refresh(buyer.refreshToken))).toBe("401 invalid_refresh_token");
  });

  test("refresh_reuse: the family is revoked, a new sign-in is not", async () => {
    await shop.arm("refresh_reuse", { count: 1 });
    expect(refusalOf(await refresh(buyer.refreshToken))).toBe("401 invalid_refresh_token");
    expect(refusalOf(await refresh(buyer.refreshToken))).toBe("401 invalid_refresh_token");
    expect(wireTokens.safeParse((await refresh("sandbox-eprouvee")).json).success).toBe(true);
  });
});
