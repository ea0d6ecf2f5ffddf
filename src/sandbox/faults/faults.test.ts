import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { wireItem } from "#marketplace/read-listing.ts";
import {
  wireCheckout,
  wireConversation,
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

const catalogue = async (): Promise<Received> => await shop.send({ path: "/api/v2/catalog/items" });

/** Waits until the sandbox holds a request, then advances the clock. */
async function pass(durationMs: number): Promise<void> {
  await expect.poll(() => shop.clock.pendingCount).toBeGreaterThan(0);
  await shop.clock.advance(durationMs);
}

describe("time", () => {
  test("latency with a given delay lasts exactly that long", async () => {
    await shop.arm("latency", { route: "catalog", delay_ms: 700 });
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
    await shop.arm("drip", { variant: "silence" });
    const asked = outcomeOf(catalogue());
    await pass(4_000);
    expect(await asked).toBe("broken");
  });

  test.each(["headers", "body"])("drip: %s, a byte a second", async (variant) => {
    await shop.publish({});
    await shop.arm("drip", { variant, delay_ms: 3_000 });
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

describe("lost answers", () => {
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
      await shop.arm(kind, { route: "payment", ...details });
      const paid = outcomeOf(buyer.pay(checkout));
      if (ms > 0) await pass(ms);
      expect(await paid).toBe("broken");
      expect(await shop.orderOf(item)).toMatchObject({ payments });
    },
  );

  test.each([
    ["reset", "broken"],
    ["error_500", "500"],
    ["odd_400", "400"],
  ])("late_effect, %s: the client gets %s, and the money moves exactly then", async (variant, outcome) => {
    const item = await shop.publish({});
    const checkout = await buyer.prepare(item);
    await shop.arm("late_effect", { route: "payment", variant, delay_ms: 1_500 });
    expect(await outcomeOf(buyer.pay(checkout))).toBe(outcome);
    await pass(1_499);
    expect(await shop.orderOf(item)).toMatchObject({ state: "open", payments: 0 });
    await shop.clock.advance(1);
    expect(await shop.orderOf(item)).toMatchObject({ state: "paid", payments: 1 });
  });
});

describe("clearing faults", () => {
  test("continues a held request immediately", async () => {
    await shop.arm("latency", { delay_ms: 60_000 });
    const asked = catalogue();
    await expect.poll(() => shop.clock.pendingCount).toBeGreaterThan(0);
    await shop.clearFaults();
    expect((await asked).status).toBe(200);
    expect((await catalogue()).status).toBe(200);
  });

  test("ends an answer that drips", async () => {
    await shop.arm("drip", { route: "catalog", delay_ms: 600_000 });
    const asked = outcomeOf(catalogue());
    await pass(2_000);
    await shop.clearFaults();
    expect(await asked).toBe("broken");
    await expect.poll(() => shop.clock.pendingCount).toBe(0);
  });

  test("ends a request that two faults hold one after the other", async () => {
    const item = await shop.publish({});
    const checkout = await buyer.prepare(item);
    await shop.arm("latency", { route: "payment", delay_ms: 60_000 });
    await shop.arm("timeout_after_effect", { route: "payment", delay_ms: 60_000 });
    const paid = outcomeOf(buyer.pay(checkout));
    await expect.poll(() => shop.clock.pendingCount).toBeGreaterThan(0);
    await shop.clearFaults();
    expect(await paid).toBe("broken");
    expect(await shop.orderOf(item)).toMatchObject({ payments: 1 });
  });

  test("ends a timeout and executes a late effect", async () => {
    const item = await shop.publish({});
    const checkout = await buyer.prepare(item);
    await shop.arm("late_effect", { route: "payment", delay_ms: 60_000 });
    expect(await outcomeOf(buyer.pay(checkout))).toBe("broken");
    await shop.arm("timeout_before_effect", { route: "catalog", delay_ms: 60_000 });
    const asked = outcomeOf(catalogue());
    await expect.poll(() => shop.clock.pendingCount).toBeGreaterThan(1);
    await shop.clearFaults();
    expect(await asked).toBe("broken");
    await expect.poll(async () => (await shop.orderOf(item))?.payments).toBe(1);
  });
});

describe("error answers", () => {
  test.each([
    ["seconds", "1"],
    ["zero", "0"],
    ["long", "86400"],
    ["negative", "-1"],
    ["text", "soon"],
    ["absent", null],
  ])("rate_limit, %s", async (variant, header) => {
    await shop.arm("rate_limit", { variant });
    const received = await catalogue();
    expect(refusalOf(received)).toBe("429 too_many_requests");
    expect(received.headers.get("retry-after")).toBe(header);
  });

  test("rate_limit sends the given header, or a date", async () => {
    await shop.arm("rate_limit", { count: 1, retry_after: 7 });
    expect((await catalogue()).headers.get("retry-after")).toBe("7");
    await shop.arm("rate_limit", { variant: "date" });
    const date = Date.parse((await catalogue()).headers.get("retry-after") ?? "");
    expect(date).toBe(shop.clock.nowMs() + 2_000);
  });

  test("unauthorised: the access token stays expired, the next one works", async () => {
    await shop.arm("unauthorised", { count: 1 });
    const orders = { path: "/api/v2/my_orders" };
    expect(refusalOf(await buyer.send(orders))).toBe("401 invalid_authentication_token");
    expect((await buyer.send(orders)).status).toBe(401);
    const again = await shop.shopper("eprouvee");
    expect((await again.send(orders)).status).toBe(200);
  });

  test("blocked and captcha: refusals as JSON or HTML", async () => {
    await shop.arm("blocked", { count: 1 });
    expect(refusalOf(await catalogue())).toBe("403 access_denied");
    for (const [kind, variant, status] of [
      ["blocked", "html", 403],
      ["captcha", "status_403", 403],
      ["captcha", "status_200", 200],
    ] as const) {
      await shop.arm(kind, { count: 1, variant });
      const received = await catalogue();
      expect(received.status).toBe(status);
      expect(received.headers.get("content-type")).toContain("text/html");
    }
  });

  test("server_error: with or without effect, in JSON or HTML", async () => {
    const item = await shop.publish({});
    const checkout = await buyer.prepare(item);
    await shop.arm("server_error", { count: 1, route: "payment" });
    expect((await buyer.pay(checkout)).status).toBe(500);
    expect(await shop.orderOf(item)).toMatchObject({ payments: 0, payment_requests: 0 });
    await shop.arm("server_error", { count: 1, route: "payment", variant: "after_effect" });
    expect((await buyer.pay(checkout)).status).toBe(500);
    expect(await shop.orderOf(item)).toMatchObject({ payments: 1 });
    await shop.arm("server_error", { count: 1, variant: "html" });
    expect((await catalogue()).status).toBe(502);
  });
});

describe("malformed answers", () => {
  test.each(["truncated", "html", "wrong_type", "huge_ids", "deep", "bom"])(
    "malformed, %s: the money is taken, and no client can read it",
    async (variant) => {
      const item = await shop.publish({});
      const checkout = await buyer.prepare(item);
      await shop.arm("malformed", { route: "payment", variant });
      const received = await buyer.pay(checkout);
      // fetch() strips the byte order mark.
      if (variant !== "bom") expect(wirePayment.safeParse(received.json).success).toBe(false);
      expect(await shop.orderOf(item)).toMatchObject({ payments: 1 });
    },
  );

  test("malformed, bom and proto: unexpected bytes and prototype keys", async () => {
    await shop.arm("malformed", { variant: "bom", count: 1 });
    const response = await fetch(`${shop.url}/api/v2/catalog/items`);
    expect([...new Uint8Array(await response.arrayBuffer()).slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    await shop.arm("malformed", { variant: "proto", count: 1 });
    const { text, json } = await catalogue();
    expect(text).toContain('"__proto__"');
    expect(json).toHaveProperty("items");
  });

  test("malformed, gzip_bomb: a small answer that inflates to a quarter of a gigabyte", async () => {
    await shop.arm("malformed", { variant: "gzip_bomb" });
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
      await shop.arm("drift", { variant });
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

  test("drift, new_status: an unknown status", async () => {
    const checkout = await buyer.prepare(await shop.publish({}));
    await shop.arm("drift", { variant: "new_status" });
    expect((await buyer.pay(checkout)).json).toMatchObject({ payment: { status: "on_hold" } });
    expect((await buyer.send({ path: "/api/v2/my_orders" })).json).toMatchObject({
      my_orders: [{ status: 777 }],
    });
  });
});

describe("the feed", () => {
  test("empty_feed: 200 without items", async () => {
    await shop.publish({});
    await shop.arm("empty_feed");
    const { page } = await search(shop, "page=1");
    expect(page).toMatchObject({ items: [], pagination: { total_entries: 0, total_pages: 0 } });
  });

  test("frozen_feed: nothing newer than its arming", async () => {
    const old = await shop.publish({});
    await shop.clock.advance(1);
    await shop.arm("frozen_feed");
    await shop.clock.advance(1);
    const recent = await shop.publish({});
    expect((await search(shop, "page=1")).ids).toEqual([old.id]);
    await shop.clearFaults();
    expect((await search(shop, "page=1")).ids).toEqual([recent.id, old.id]);
  });

  test("page_overflow: more than a page in the requested categories", async () => {
    await shop.arm("page_overflow", { count: 1 });
    const { page } = await search(shop, "catalog_ids=178,1056&per_page=20");
    expect(page.pagination.total_entries).toBe(30);
    expect((await search(shop, "page=1")).page.pagination.total_entries).toBe(30);
  });

  test("promoted: old listings come first", async () => {
    const newListings = Array.from({ length: 10 }, (_unused, index) => ({
      title: `Haut ${index}`,
      price: 2,
    }));
    await shop.control("POST", "/listings", newListings);
    await shop.arm("promoted");
    const { ids, page } = await search(shop, "page=1");
    expect(page.items.slice(0, 3).every(({ promoted }) => promoted === true)).toBe(true);
    expect(Math.max(...ids.slice(0, 3))).toBeLessThan(Math.min(...ids.slice(3)));
  });
});

test("when several faults strike, one that refuses prevents the effect", async () => {
  const item = await shop.publish({});
  const checkout = await buyer.prepare(item);
  await shop.arm("late_effect", { route: "payment", delay_ms: 10 });
  await shop.arm("rate_limit", { route: "payment", count: 1 });
  expect(refusalOf(await buyer.pay(checkout))).toBe("429 too_many_requests");
  await shop.clock.advance(60_000);
  expect(await shop.orderOf(item)).toMatchObject({ state: "open", payments: 0 });
});

test("an HTML refusal that a fault of types strikes too is sent as it is", async () => {
  await shop.arm("captcha", { variant: "status_403" });
  await shop.arm("malformed", { variant: "wrong_type" });
  const received = await catalogue();
  expect(received.status).toBe(403);
  expect(received.text).toContain("<!doctype html>");
});

test("a fault with a count disarms itself", async () => {
  await shop.arm("server_error", { count: 2 });
  expect([(await catalogue()).status, (await catalogue()).status, (await catalogue()).status]).toEqual([
    500, 500, 200,
  ]);
});

test("a checkout's quote is changed too", async () => {
  const id = await buyer.openTransaction(await shop.publish({}));
  await shop.arm("drift", { route: "build" });
  const body = { purchase_items: [{ id, type: "transaction" }] };
  const received = await buyer.send({ method: "POST", path: "/api/v2/purchases/checkout/build", body });
  expect(wireCheckout.safeParse(received.json).success).toBe(false);
});
