import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  wireCheckout,
  wireConversation,
  wireItem,
  wireOrders,
  wirePayment,
  wireTokens,
  wireTransaction,
} from "#marketplace/wire.ts";
import {
  openShop,
  paymentOf,
  refusalOf,
  search,
  type Published,
  type Received,
  type Shop,
  type Shopper,
  type TrueOrder,
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

const arm = async (kind: string, details: Readonly<Record<string, unknown>> = {}): Promise<void> =>
  void (await shop.control("POST", "/faults", { kind, ...details }));
const clear = async (): Promise<void> => void (await shop.control("POST", "/faults", { clear: true }));
const catalogue = async (): Promise<Received> => await shop.send({ path: "/api/v2/catalog/items" });
const truthOf = async (item: Published): Promise<TrueOrder | undefined> =>
  (await shop.orders()).find((order) => order.item_id === item.id);

/** Waits until the sandbox holds something back, then lets this much time pass. */
async function pass(durationMs: number): Promise<void> {
  await expect.poll(() => shop.clock.pendingCount).toBeGreaterThan(0);
  await shop.clock.advance(durationMs);
}

async function outcomeOf(request: Promise<Received>): Promise<string> {
  return await request.then(
    ({ status }) => String(status),
    () => "broken",
  );
}

describe("time", () => {
  test("latency of a given delay lasts exactly that long", async () => {
    await arm("latency", { route: "catalog", delay_ms: 700 });
    let isAnswered = false;
    const asked = catalogue().then((received) => {
      isAnswered = true;
      return received;
    });
    await pass(699);
    expect(isAnswered).toBe(false);
    await shop.clock.advance(1);
    expect((await asked).status).toBe(200);
  });

  test("drip: silence, then the end", async () => {
    await arm("drip", { variant: "silence" });
    const asked = outcomeOf(catalogue());
    await pass(4_000);
    expect(await asked).toBe("broken");
  });

  test.each(["headers", "body"])("drip: %s, a byte a second", async (variant) => {
    await shop.publish({});
    await arm("drip", { variant, delay_ms: 3_000 });
    const { port } = shop.sandbox;
    let received = "";
    const isClosed = new Promise<void>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.write("GET /api/v2/catalog/items HTTP/1.1\r\nhost: x\r\n\r\n");
      });
      socket.on("data", (bytes: Buffer) => {
        received += bytes.toString("utf8");
      });
      socket.on("error", () => resolve());
      socket.on("close", () => resolve());
    });
    const dripped = (): number =>
      (variant === "headers" ? received : (received.split("\r\n\r\n")[1] ?? "")).length;
    await expect.poll(dripped).toBe(1);
    await pass(1_000);
    await expect.poll(dripped).toBe(2);
    await shop.clock.advance(4_000);
    await isClosed;
    expect(dripped()).toBeLessThanOrEqual(5);
    expect(received.startsWith("HTTP/1.1 200".slice(0, received.length))).toBe(true);
  });
});

describe("answers that never come", () => {
  test.each([
    ["timeout_before_effect", {}, 4_000, 0],
    ["timeout_after_effect", {}, 4_000, 1],
    ["reset", { variant: "before_headers" }, 0, 0],
    ["reset", { variant: "after_effect" }, 0, 1],
    ["reset", { variant: "mid_body" }, 50, 1],
  ])(
    "%s %o: the connection breaks, and %i ms later %i payments were taken",
    async (kind, details, ms, payments) => {
      const item = await shop.publish({});
      const checkout = await buyer.prepare(item);
      await arm(kind, { route: "payment", ...details });
      const paid = outcomeOf(buyer.pay(checkout));
      if (ms > 0) await pass(ms);
      expect(await paid).toBe("broken");
      expect(await truthOf(item)).toMatchObject({ payments });
    },
  );

  test.each([
    ["reset", "broken"],
    ["error_500", "500"],
    ["odd_400", "400"],
  ])("late_effect, %s: the client hears %s, and the money moves exactly then", async (variant, heard) => {
    const item = await shop.publish({});
    const checkout = await buyer.prepare(item);
    await arm("late_effect", { route: "payment", variant, delay_ms: 1_500 });
    expect(await outcomeOf(buyer.pay(checkout))).toBe(heard);
    await pass(1_499);
    expect(await truthOf(item)).toMatchObject({ state: "open", payments: 0 });
    await shop.clock.advance(1);
    expect(await truthOf(item)).toMatchObject({ state: "paid", payments: 1 });
  });
});

describe("clear ends all", () => {
  test("a request held by latency goes on at once", async () => {
    await arm("latency", { delay_ms: 60_000 });
    const asked = catalogue();
    await expect.poll(() => shop.clock.pendingCount).toBeGreaterThan(0);
    await clear();
    expect((await asked).status).toBe(200);
    expect((await catalogue()).status).toBe(200);
  });

  test("a timeout breaks off, and a late effect happens", async () => {
    const item = await shop.publish({});
    const checkout = await buyer.prepare(item);
    await arm("late_effect", { route: "payment", delay_ms: 60_000 });
    expect(await outcomeOf(buyer.pay(checkout))).toBe("broken");
    await arm("timeout_before_effect", { route: "catalog", delay_ms: 60_000 });
    const asked = outcomeOf(catalogue());
    await expect.poll(() => shop.clock.pendingCount).toBeGreaterThan(1);
    await clear();
    expect(await asked).toBe("broken");
    await expect.poll(async () => (await truthOf(item))?.payments).toBe(1);
  });
});

describe("answers that say no", () => {
  test.each([
    ["seconds", "1"],
    ["zero", "0"],
    ["long", "86400"],
    ["negative", "-1"],
    ["text", "soon"],
    ["absent", null],
  ])("rate_limit, %s", async (variant, header) => {
    await arm("rate_limit", { variant });
    const received = await catalogue();
    expect(refusalOf(received)).toBe("429 too_many_requests");
    expect(received.headers.get("retry-after")).toBe(header);
  });

  test("rate_limit sends the header that was asked for, or a date", async () => {
    await arm("rate_limit", { count: 1, retry_after: 7 });
    expect((await catalogue()).headers.get("retry-after")).toBe("7");
    await arm("rate_limit", { variant: "date" });
    const date = Date.parse((await catalogue()).headers.get("retry-after") ?? "");
    expect(date).toBe(shop.clock.nowMs() + 2_000);
  });

  test("unauthorised: that access token is dead for good, the next one lives", async () => {
    await arm("unauthorised", { count: 1 });
    const orders = { path: "/api/v2/my_orders" };
    expect(refusalOf(await buyer.send(orders))).toBe("401 invalid_authentication_token");
    expect((await buyer.send(orders)).status).toBe(401);
    const again = await shop.shopper("eprouvee");
    expect((await again.send(orders)).status).toBe(200);
  });

  test("blocked and captcha: refusals, in JSON or as pages meant for people", async () => {
    await arm("blocked", { count: 1 });
    expect(refusalOf(await catalogue())).toBe("403 access_denied");
    for (const [kind, variant, status] of [
      ["blocked", "html", 403],
      ["captcha", "status_403", 403],
      ["captcha", "status_200", 200],
    ] as const) {
      await arm(kind, { count: 1, variant });
      const received = await catalogue();
      expect(received.status).toBe(status);
      expect(received.headers.get("content-type")).toContain("text/html");
    }
  });

  test("server_error: with or without effect, in JSON or HTML", async () => {
    const item = await shop.publish({});
    const checkout = await buyer.prepare(item);
    await arm("server_error", { count: 1, route: "payment" });
    expect((await buyer.pay(checkout)).status).toBe(500);
    expect(await truthOf(item)).toMatchObject({ payments: 0, payment_requests: 0 });
    await arm("server_error", { count: 1, route: "payment", variant: "after_effect" });
    expect((await buyer.pay(checkout)).status).toBe(500);
    expect(await truthOf(item)).toMatchObject({ payments: 1 });
    await arm("server_error", { count: 1, variant: "html" });
    expect((await catalogue()).status).toBe(502);
  });
});

describe("sessions", () => {
  const refresh = async (token: string): Promise<Received> =>
    await shop.send({ method: "POST", path: "/web/api/auth/refresh", body: { refresh_token: token } });

  test("refresh_lost, unforgiven: the old token is a stolen one from then on", async () => {
    await arm("refresh_lost", { count: 1, variant: "unforgiven" });
    expect(await outcomeOf(refresh(buyer.refreshToken))).toBe("broken");
    expect(refusalOf(await refresh(buyer.refreshToken))).toBe("401 invalid_refresh_token");
  });

  test("refresh_reuse: the family is revoked, a new sign-in is not", async () => {
    await arm("refresh_reuse", { count: 1 });
    expect(refusalOf(await refresh(buyer.refreshToken))).toBe("401 invalid_refresh_token");
    expect(refusalOf(await refresh(buyer.refreshToken))).toBe("401 invalid_refresh_token");
    expect(wireTokens.safeParse((await refresh("sandbox-eprouvee")).json).success).toBe(true);
  });
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
    await arm(kind, { route: "payment", variant });
    expect(refusalOf(await buyer.pay(checkout))).toBe(refusal);
    expect(await truthOf(item)).toMatchObject({ payments: 0 });
    await clear();
    const isBack = variant === "reserved" || variant === "hidden";
    expect((await search(shop, "catalog_ids=166")).ids).toHaveLength(variant === "relisted" ? 1 : 0);
    await shop.clock.advance(3_001);
    // What was only reserved or hidden is for sale again by itself.
    expect(await outcomeOf(buyer.pay(checkout))).toBe(
      isBack ? "200" : refusal.slice(0, 3) === "404" ? "410" : refusal.slice(0, 3),
    );
  });

  test("sold_first strikes the first step that can lose the race", async () => {
    const item = await shop.publish({});
    await arm("sold_first");
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
      await arm("price_changed", { route: "payment", variant, count: 1 });
      expect(refusalOf(await buyer.pay(checkout))).toBe("409 price_changed");
      const requoted = await buyer.choose(checkout);
      const [before, after] = [checkout, requoted].map(({ pay_button_v2: button }) =>
        Number(button.total.price.amount),
      );
      expect(Math.sign((after ?? 0) - (before ?? 0))).toBe(variant === "down" ? -1 : 1);
    },
  );

  test("price_changed, fee: a lying marketplace charges more than it quoted", async () => {
    const item = await shop.publish({ price: 40, shipping: 0 });
    const checkout = await buyer.prepare(item);
    await arm("price_changed", { route: "payment", variant: "fee" });
    expect(paymentOf(await buyer.pay(checkout)).payment.total.amount).toBe("44.0");
    expect(await truthOf(item)).toMatchObject({ total: { amount: "44.00" }, payments: 1 });
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
    await arm("price_changed", { route: "build", variant });
    expect((await buyer.build(id)).pay_button_v2.total.price).toEqual(price);
  });

  test("price_changed on the catalogue moves what the page shows", async () => {
    await shop.publish({ price: 40 });
    await arm("price_changed", { route: "catalog", variant: "down" });
    const { page } = await search(shop, "page=1");
    expect(Number(page.items[0]?.total_item_price.amount)).toBeLessThan(42.7);
  });
});

describe("answers that are not what was agreed on", () => {
  test.each(["truncated", "html", "wrong_type", "huge_ids", "deep", "bom"])(
    "malformed, %s: the money is taken, and no client can read it",
    async (variant) => {
      const item = await shop.publish({});
      const checkout = await buyer.prepare(item);
      await arm("malformed", { route: "payment", variant });
      const received = await buyer.pay(checkout);
      // fetch() takes a byte order mark away; the bytes have it.
      if (variant !== "bom") expect(wirePayment.safeParse(received.json).success).toBe(false);
      expect(await truthOf(item)).toMatchObject({ payments: 1 });
    },
  );

  test("malformed, bom and proto: bytes that trip up careless readers", async () => {
    await arm("malformed", { variant: "bom", count: 1 });
    const response = await fetch(`${shop.url}/api/v2/catalog/items`);
    expect([...new Uint8Array(await response.arrayBuffer()).slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    await arm("malformed", { variant: "proto", count: 1 });
    const { text, json } = await catalogue();
    expect(text).toContain('"__proto__"');
    expect(json).toHaveProperty("items");
  });

  test("malformed, gzip_bomb: a small answer that inflates to a quarter of a gigabyte", async () => {
    await arm("malformed", { variant: "gzip_bomb" });
    const sent = get(`${shop.url}/api/v2/catalog/items`);
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    const bytes = await buffer(response);
    expect(response.headers["content-encoding"]).toBe("gzip");
    expect(bytes.byteLength).toBeLessThan(1_000_000);
    expect(() => gunzipSync(bytes, { maxOutputLength: 200 * 1_048_576 })).toThrow(RangeError);
  });

  test.each(["field_gone", "renamed", "null_field"])(
    "drift, %s: no route's answer can be read",
    async (variant) => {
      const item = await shop.publish({});
      const bought = await shop.publish({});
      const checkout = await buyer.prepare(bought);
      const { payment } = paymentOf(await buyer.pay(checkout));
      await arm("drift", { variant });
      const asked: readonly (readonly [
        Promise<Received>,
        { safeParse(value: unknown): { success: boolean } },
      ])[] = [
        [
          buyer.send({
            method: "POST",
            path: "/api/v2/conversations",
            body: { initiator: "buy", item_id: item.id, opposite_user_id: item.user.id },
          }),
          wireConversation,
        ],
        [buyer.send({ path: `/api/v2/purchases/${checkout.id}/checkout/payment` }), wirePayment],
        [buyer.send({ path: "/api/v2/my_orders" }), wireOrders],
        [buyer.send({ path: `/api/v2/transactions/${payment.transaction_id}` }), wireTransaction],
        [
          shop.send({ method: "POST", path: "/web/api/auth/refresh", body: { refresh_token: "sandbox-x" } }),
          wireTokens,
        ],
      ];
      for (const [request, schema] of asked) {
        const received = await request;
        expect(received.status).toBe(200);
        expect(schema.safeParse(received.json).success, received.text).toBe(false);
      }
      const [first] =
        (await catalogue()).json === undefined
          ? []
          : ((await catalogue()).json as { items: unknown[] }).items;
      expect(wireItem.safeParse(first).success).toBe(false);
    },
  );

  test("drift, new_status: a word that nobody knows", async () => {
    const checkout = await buyer.prepare(await shop.publish({}));
    await arm("drift", { variant: "new_status" });
    expect((await buyer.pay(checkout)).json).toMatchObject({ payment: { status: "on_hold" } });
    expect((await buyer.send({ path: "/api/v2/my_orders" })).json).toMatchObject({
      my_orders: [{ status: 777 }],
    });
  });
});

describe("orders", () => {
  const listed = async (): Promise<readonly number[]> => {
    const received = await buyer.send({ path: "/api/v2/my_orders" });
    return wireOrders.parse(received.json).my_orders.map((order) => order.item_id);
  };

  test("orders_lag: what was just bought shows up only later", async () => {
    const item = await shop.publish({});
    await arm("orders_lag");
    await buyer.buy(item);
    expect(await listed()).toEqual([]);
    await shop.clock.advance(2_000);
    expect(await listed()).toEqual([item.id]);
  });

  test("orders_lag: the page shifts, or is missing", async () => {
    const [first, second] = [await shop.publish({}), await shop.publish({})];
    await buyer.buy(first);
    await buyer.buy(second);
    await arm("orders_lag", { variant: "shift", count: 1 });
    expect(await listed()).toEqual([first.id]);
    await arm("orders_lag", { variant: "missing_page", count: 1 });
    expect(await listed()).toEqual([]);
    expect(await listed()).toEqual([second.id, first.id]);
  });

  test("orders_lag, outside_purchase: one that was made elsewhere, and only one", async () => {
    await arm("orders_lag", { variant: "outside_purchase" });
    expect(await listed()).toHaveLength(1);
    expect(await listed()).toHaveLength(1);
    expect(await shop.orders()).toMatchObject([{ account: "eprouvee", state: "paid", payments: 1 }]);
  });
});

describe("cancellations", () => {
  async function bought(): Promise<{ item: Published; path: string }> {
    const item = await shop.publish({});
    const { payment } = paymentOf(await buyer.buy(item));
    return { item, path: `/api/v2/transactions/${payment.transaction_id}` };
  }
  const cancel = async (path: string): Promise<Received> =>
    await buyer.send({ method: "POST", path: `${path}/cancel`, body: {} });
  const cancellationOf = async (path: string): Promise<string> =>
    wireTransaction.parse((await buyer.send({ path })).json).transaction.cancellation;

  test("cancel_refused: at once, or after a while", async () => {
    const { item, path } = await bought();
    await arm("cancel_refused", { count: 1 });
    expect(refusalOf(await cancel(path))).toBe("409 cancel_refused");
    await arm("cancel_refused", { count: 1, variant: "later" });
    expect((await cancel(path)).status).toBe(200);
    expect(await cancellationOf(path)).toBe("requested");
    await shop.clock.advance(1_001);
    expect(await cancellationOf(path)).toBe("refused");
    expect(await truthOf(item)).toMatchObject({ state: "paid" });
  });

  test.each([
    ["after_effect", "broken", "cancelled"],
    ["before_effect", "broken", "paid"],
    ["error_500", "500", "cancelled"],
  ])("cancel_ambiguous, %s: the client hears %s, the order ends %s", async (variant, heard, state) => {
    const { item, path } = await bought();
    await arm("cancel_ambiguous", { variant, count: 1 });
    expect(await outcomeOf(cancel(path))).toBe(heard);
    await shop.clock.advance(2_000);
    expect(await truthOf(item)).toMatchObject({ state });
  });

  test("cancel_ambiguous, undecided: asked for, and nothing for a long while", async () => {
    const { path } = await bought();
    await arm("cancel_ambiguous", { variant: "undecided", delay_ms: 30_000 });
    await cancel(path);
    await shop.clock.advance(29_000);
    expect(await cancellationOf(path)).toBe("requested");
    await shop.clock.advance(1_001);
    expect(await cancellationOf(path)).toBe("granted");
  });
});

describe("the feed", () => {
  test("empty_feed: 200 with nothing", async () => {
    await shop.publish({});
    await arm("empty_feed");
    const { page } = await search(shop, "page=1");
    expect(page).toMatchObject({ items: [], pagination: { total_entries: 0, total_pages: 0 } });
  });

  test("frozen_feed: nothing newer than its arming", async () => {
    const old = await shop.publish({});
    await shop.clock.advance(1);
    await arm("frozen_feed");
    await shop.clock.advance(1);
    const recent = await shop.publish({});
    expect((await search(shop, "page=1")).ids).toEqual([old.id]);
    await clear();
    expect((await search(shop, "page=1")).ids).toEqual([recent.id, old.id]);
  });

  test("page_overflow: more than a page, in just these categories", async () => {
    await arm("page_overflow", { count: 1 });
    const { page } = await search(shop, "catalog_ids=178,1056&per_page=20");
    expect(page.pagination.total_entries).toBe(30);
    expect((await search(shop, "page=1")).page.pagination.total_entries).toBe(30);
  });

  test("promoted: old ones stand on top", async () => {
    const wares = Array.from({ length: 10 }, (_unused, index) => ({ title: `Haut ${index}`, price: 2 }));
    await shop.control("POST", "/listings", wares);
    await arm("promoted");
    const { ids, page } = await search(shop, "page=1");
    expect(page.items.slice(0, 3).every(({ promoted }) => promoted === true)).toBe(true);
    expect(Math.max(...ids.slice(0, 3))).toBeLessThan(Math.min(...ids.slice(3)));
  });
});

test("of several faults at once, one that refuses keeps the effect away for good", async () => {
  const item = await shop.publish({});
  const checkout = await buyer.prepare(item);
  await arm("late_effect", { route: "payment", delay_ms: 10 });
  await arm("rate_limit", { route: "payment", count: 1 });
  expect(refusalOf(await buyer.pay(checkout))).toBe("429 too_many_requests");
  await shop.clock.advance(60_000);
  expect(await truthOf(item)).toMatchObject({ state: "open", payments: 0 });
});

test("with count a fault is spent, and the marketplace is itself again", async () => {
  await arm("server_error", { count: 2 });
  expect([(await catalogue()).status, (await catalogue()).status, (await catalogue()).status]).toEqual([
    500, 500, 200,
  ]);
});

test("a checkout's quote drifts too", async () => {
  const id = await buyer.openTransaction(await shop.publish({}));
  await arm("drift", { route: "build" });
  const body = { purchase_items: [{ id, type: "transaction" }] };
  const received = await buyer.send({ method: "POST", path: "/api/v2/purchases/checkout/build", body });
  expect(wireCheckout.safeParse(received.json).success).toBe(false);
});
