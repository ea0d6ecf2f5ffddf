import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseCents } from "#domain/money.ts";
import { wireOrders, wirePickupPoints, wireTransaction } from "#marketplace/wire.ts";
import {
  checkoutUpdate,
  openShop,
  paymentOf,
  refusalOf,
  search,
  type Shop,
  type Shopper,
} from "../shop.suite.ts";

let shop: Shop;
let buyer: Shopper;
let people = 0;

beforeAll(async () => {
  shop = await openShop();
  buyer = await shop.shopper("acheteuse");
});

afterAll(async () => {
  await shop[Symbol.asyncDispose]();
});

const somebody = async (): Promise<Shopper> => await shop.shopper(`personne-${(people += 1)}`);

describe("from the first message to the payment", () => {
  test("a payment is taken once, at the total of the last quote, and the listing is sold", async () => {
    const item = await shop.publish({ price: 20, shipping: 3.5, catalog_id: 178 });
    const received = await buyer.buy(item);
    const { payment, action } = paymentOf(received);
    expect(["success", "preparing"]).toContain(payment.status);
    expect(payment.item_id).toBe(item.id);
    // 20 + 0.70 + 5 % + 3.50
    expect(parseCents(payment.total.amount)).toBe(2_520);
    expect(action).toBeNull();
    expect(await shop.orderOf(item)).toMatchObject({
      transaction_id: payment.transaction_id,
      account: "acheteuse",
      total: { amount: "25.20", currency_code: "EUR" },
      state: "paid",
      payments: 1,
    });
    expect((await search(shop, "catalog_ids=178")).ids).not.toContain(item.id);
  });

  test("a payment in preparation succeeds within two seconds", async () => {
    for (let index = 0; index < 12; index += 1) {
      const checkout = await buyer.prepare(await shop.publish({}));
      await buyer.pay(checkout);
      await shop.clock.advance(2_000);
      const settled = await buyer.send({ path: `/api/v2/purchases/${checkout.id}/checkout/payment` });
      expect(paymentOf(settled).payment.status).toBe("success");
    }
  });

  test("two conversations about a listing share a transaction until it ends", async () => {
    const item = await shop.publish({});
    const first = await buyer.openTransaction(item);
    expect(await buyer.openTransaction(item)).toBe(first);
  });

  test("each quote has its own checksum, and only the last one is accepted", async () => {
    const item = await shop.publish({});
    const built = await buyer.build(await buyer.openTransaction(item));
    const chosen = await buyer.choose(built);
    const again = await buyer.choose(chosen);
    expect(new Set([built.checksum, chosen.checksum, again.checksum]).size).toBe(3);
    expect(refusalOf(await buyer.pay(chosen))).toBe("409 price_changed");
    expect((await buyer.pay(again)).status).toBe(200);
  });

  test("the second checkout starts with the last address", async () => {
    const shopper = await somebody();
    const first = await shopper.build(await shopper.openTransaction(await shop.publish({})));
    expect(first.components.shipping_address).toBeNull();
    await shopper.choose(first);
    const second = await shopper.build(await shopper.openTransaction(await shop.publish({})));
    expect(second.components.shipping_address).toMatchObject({
      postal_code: "75011",
      latitude: 48.8533,
      longitude: 2.3704,
    });
  });
});

describe("delivery to a pickup point", () => {
  test("the well-known point is offered, nearest first, at its price", async () => {
    const item = await shop.publish({ price: 10, shipping: 2.5 });
    const checkout = await buyer.prepare(item);
    const place = checkout.components.shipping_address;
    const shippingOrderId = checkout.components.shipping_pickup_options.shipping_order_id;
    const path = `/api/v2/shipping_orders/${shippingOrderId}/nearby_pickup_points`;
    const query = `country_code=FR&latitude=${place?.latitude ?? 0}&longitude=${place?.longitude ?? 0}`;
    const received = await buyer.send({ path: `${path}?${query}` });
    const { shipping_points: points } = wirePickupPoints.parse(received.json);
    const ours = points.find(({ point }) => point.name === "Relais Colis Bastille")?.point;
    expect(ours).toBeDefined();
    expect(points.length).toBeGreaterThan(5);
    expect(received.text).toContain('"price":{"amount":"2.5","currency_code":"EUR"}');
    const pickup = {
      rate_uuid: ours?.rate_uuid ?? "",
      point_code: ours?.code ?? "",
      point_uuid: ours?.uuid ?? "",
    };
    const chosen = await buyer.choose(checkout, { pickup });
    expect(chosen.components.shipping_pickup_details).toEqual(pickup);
    expect((await buyer.pay(chosen)).status).toBe(200);
    // The same search finds the same shops.
    expect((await buyer.send({ path: `${path}?${query}` })).text).toBe(received.text);
  });

  test("a point that is not offered nearby is refused", async () => {
    const checkout = await buyer.prepare(await shop.publish({}));
    const pickup = { rate_uuid: "rate", point_code: "nowhere", point_uuid: "nowhere" };
    const path = `/api/v2/purchases/${checkout.id}/checkout`;
    const received = await buyer.send({ method: "PUT", path, body: checkoutUpdate({ pickup }) });
    expect(refusalOf(received)).toBe("422 address_invalid");
  });
});

describe("a payment is refused", () => {
  test("for a listing that is sold, reserved, withdrawn or unknown", async () => {
    const sold = await shop.publish({});
    const checkout = await buyer.prepare(sold);
    await shop.control("DELETE", `/listings/${sold.id}`);
    expect(refusalOf(await buyer.pay(checkout))).toBe("409 item_sold");

    const reserved = await shop.publish({ secure: true });
    const other = await somebody();
    const late = await buyer.prepare(reserved);
    expect(paymentOf(await other.buy(reserved)).payment.status).toBe("pending");
    expect(refusalOf(await buyer.pay(late))).toBe("409 item_reserved");

    expect(refusalOf(await buyer.pay({ id: 10_000_999_999, checksum: "x" }))).toBe("404 not_found");
  });

  test("when the price has changed since the quote", async () => {
    const item = await shop.publish({ price: 10 });
    const checkout = await buyer.prepare(item);
    await shop.control("PATCH", `/listings/${item.id}`, { price: 11 });
    expect(refusalOf(await buyer.pay(checkout))).toBe("409 price_changed");
    expect(await shop.orderOf(item)).toMatchObject({ state: "open", payments: 0, payment_requests: 1 });
    const requoted = await buyer.choose(checkout);
    expect((await buyer.pay(requoted)).status).toBe(200);
  });

  test("without an address or with an impossible one", async () => {
    const shopper = await somebody();
    const built = await shopper.build(await shopper.openTransaction(await shop.publish({})));
    expect(refusalOf(await shopper.pay(built))).toBe("422 address_invalid");
    const path = `/api/v2/purchases/${built.id}/checkout`;
    const body = checkoutUpdate({ postalCode: "96000" });
    expect(refusalOf(await shopper.send({ method: "PUT", path, body }))).toBe("422 address_invalid");
  });

  test("when the wallet does not hold enough", async () => {
    const shopper = await somebody();
    const dear = await shop.publish({ price: 499 });
    expect(refusalOf(await shopper.buy(dear, { methodId: 11 }))).toBe("422 insufficient_funds");
    expect((await shopper.buy(await shop.publish({ price: 300 }), { methodId: 11 })).status).toBe(200);
    expect(refusalOf(await shopper.buy(await shop.publish({ price: 300 }), { methodId: 11 }))).toBe(
      "422 insufficient_funds",
    );
    expect((await shopper.buy(dear)).status).toBe(200);
  });

  test("when the order is already paid", async () => {
    const item = await shop.publish({});
    const checkout = await buyer.prepare(item);
    await buyer.pay(checkout);
    expect(refusalOf(await buyer.pay(checkout))).toBe("409 item_sold");
    expect(await shop.orderOf(item)).toMatchObject({ payments: 1, payment_requests: 2 });
  });
});

describe("exactly one of several buyers pays", () => {
  test("when a hundred accounts pay concurrently", async () => {
    const item = await shop.publish({});
    const rivals = await Promise.all(Array.from({ length: 100 }, async () => await somebody()));
    const checkouts = await Promise.all(rivals.map(async (rival) => await rival.prepare(item)));
    const answers = await Promise.all(
      rivals.map(async (rival, index) => await rival.pay(checkouts[index] ?? { id: 0, checksum: "" })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(
      answers
        .filter((answer) => answer.status !== 200)
        .every((answer) => refusalOf(answer) === "409 item_sold"),
    ).toBe(true);
    const orders = (await shop.orders()).filter((order) => order.item_id === item.id);
    expect(orders.reduce((sum, { payments }) => sum + payments, 0)).toBe(1);
    expect(orders.filter(({ state }) => state === "paid")).toHaveLength(1);
  });

  test("when one account sends the same payment a hundred times", async () => {
    const item = await shop.publish({});
    const checkout = await buyer.prepare(item);
    const answers = await Promise.all(Array.from({ length: 100 }, async () => await buyer.pay(checkout)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await shop.orderOf(item)).toMatchObject({ payments: 1, payment_requests: 100 });
  });
});

describe("an account sees only its own", () => {
  test("checkouts, transactions and orders", async () => {
    const [mine, other] = [await somebody(), await somebody()];
    const checkout = await mine.prepare(await shop.publish({}));
    const { payment } = paymentOf(await mine.pay(checkout));
    expect(refusalOf(await other.pay(checkout))).toBe("404 not_found");
    const path = `/api/v2/transactions/${payment.transaction_id}`;
    expect(refusalOf(await other.send({ path }))).toBe("404 not_found");
    expect(refusalOf(await other.send({ method: "POST", path: `${path}/cancel`, body: {} }))).toBe(
      "404 not_found",
    );
    const orders = await other.send({ path: "/api/v2/my_orders?type=purchased&status=all" });
    expect(wireOrders.parse(orders.json).my_orders).toEqual([]);
  });

  test("orders, newest first, in pages, without unpaid ones", async () => {
    const shopper = await somebody();
    const bought: number[] = [];
    for (let index = 0; index < 5; index += 1) {
      await shop.clock.advance(1_000);
      bought.unshift(paymentOf(await shopper.buy(await shop.publish({}))).payment.transaction_id);
    }
    await shopper.prepare(await shop.publish({}));
    const page = async (number: number) => {
      const received = await shopper.send({ path: `/api/v2/my_orders?page=${number}&per_page=2` });
      return wireOrders.parse(received.json);
    };
    const pages = [await page(1), await page(2), await page(3), await page(4)];
    expect(pages.flatMap(({ my_orders: orders }) => orders.map((order) => order.transaction_id))).toEqual(
      bought,
    );
    expect(pages[0]?.pagination).toMatchObject({ total_pages: 3, total_entries: 5 });
    expect(pages[0]?.my_orders[0]?.date).toBe(Math.floor(shop.clock.nowMs() / 1_000));
  });

  test("orders, by the time of their payment, without those that a seller cancelled before it", async () => {
    const shopper = await somebody();
    const [first, second, third] = [await shop.publish({}), await shop.publish({}), await shop.publish({})];
    const prepared = await shopper.prepare(first);
    await shopper.buy(second);
    await shop.clock.advance(1_000);
    await shopper.pay(prepared);
    const unpaid = await shopper.openTransaction(third);
    await shop.control("POST", `/orders/${unpaid}/cancel`, {});
    const received = await shopper.send({ path: "/api/v2/my_orders" });
    const { my_orders: orders, pagination } = wireOrders.parse(received.json);
    expect(orders.map((order) => order.item_id)).toEqual([first.id, second.id]);
    expect(pagination.total_entries).toBe(2);
  });
});

describe("a cancellation", () => {
  const statusOf = async (shopper: Shopper, id: number) => {
    const received = await shopper.send({ path: `/api/v2/transactions/${id}` });
    return wireTransaction.parse(received.json).transaction;
  };

  test("is granted within two seconds, and the listing is available again", async () => {
    const shopper = await somebody();
    const item = await shop.publish({ price: 400, catalog_id: 199 });
    const id = paymentOf(await shopper.buy(item, { methodId: 11 })).payment.transaction_id;
    const asked = await shopper.send({ method: "POST", path: `/api/v2/transactions/${id}/cancel`, body: {} });
    expect(wireTransaction.parse(asked.json).transaction).toMatchObject({
      status: 230,
      cancellation: "requested",
    });
    await shop.clock.advance(2_000);
    expect(await statusOf(shopper, id)).toMatchObject({ status: 510, cancellation: "granted" });
    expect(await shop.orderOf(item)).toMatchObject({ state: "cancelled", payments: 1 });
    expect((await search(shop, "catalog_ids=199")).ids).toEqual([item.id]);
    // The money is back: the wallet can pay the same again.
    expect((await shopper.buy(item, { methodId: 11 })).status).toBe(200);
  });

  test("is refused once shipped", async () => {
    const shopper = await somebody();
    const id = paymentOf(await shopper.buy(await shop.publish({}))).payment.transaction_id;
    await shop.clock.advance(37 * 3_600_000);
    const later = await shop.shopper(shopper.name);
    expect(await statusOf(later, id)).toMatchObject({ status: 300 });
    const asked = await later.send({ method: "POST", path: `/api/v2/transactions/${id}/cancel`, body: {} });
    expect(refusalOf(asked)).toBe("409 cancel_refused");
  });

  test("needs a paid order", async () => {
    const shopper = await somebody();
    const id = await shopper.openTransaction(await shop.publish({}));
    const asked = await shopper.send({ method: "POST", path: `/api/v2/transactions/${id}/cancel`, body: {} });
    expect(refusalOf(asked)).toBe("409 cancel_refused");
  });
});

test("an invalid body is refused without effect", async () => {
  const shopper = await somebody();
  const bodies = [
    "{",
    "null",
    "[]",
    { initiator: "buy" },
    { initiator: "sell", item_id: 1, opposite_user_id: 1 },
  ];
  for (const body of bodies) {
    const received = await shopper.send({ method: "POST", path: "/api/v2/conversations", body });
    expect(refusalOf(received)).toBe("400 invalid_request");
  }
  const item = await shop.publish({});
  const wrongSeller = { initiator: "buy", item_id: item.id, opposite_user_id: item.user.id + 1 };
  const received = await shopper.send({ method: "POST", path: "/api/v2/conversations", body: wrongSeller });
  expect(refusalOf(received)).toBe("400 invalid_request");
  expect(await shop.orderOf(item)).toBeUndefined();
});

test("a call whose client disconnected still takes effect", async () => {
  const shopper = await somebody();
  const item = await shop.publish({});
  const checkout = await shopper.prepare(item);
  await shop.arm("latency", { route: "payment", rate: 1, count: 1, delay_ms: 5_000 });
  const controller = new AbortController();
  const path = `/api/v2/purchases/${checkout.id}/checkout/payment`;
  const body = { checksum: checkout.checksum, payment_options: {} };
  const sent = shopper.send({ method: "POST", path, body, signal: controller.signal });
  await expect.poll(() => shop.clock.pendingCount).toBeGreaterThan(0);
  controller.abort();
  await expect(sent).rejects.toThrow();
  expect(await shop.orderOf(item)).toMatchObject({ state: "open" });
  await shop.clock.advance(5_000);
  expect(await shop.orderOf(item)).toMatchObject({ state: "paid", payments: 1 });
});
