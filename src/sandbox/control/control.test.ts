import { request } from "node:http";
import { z } from "zod";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DAY_MS } from "#domain/clock.ts";
import { createControlApi } from "./control-api.ts";
import { openShop, paymentOf, search, type Received, type Shop } from "../shop.suite.ts";

let shop: Shop;

beforeAll(async () => {
  shop = await openShop();
});

afterAll(async () => {
  await shop[Symbol.asyncDispose]();
});

const post = async (path: string, body?: unknown, headers?: Record<string, string>): Promise<Received> =>
  await shop.send({
    method: "POST",
    path: `/control${path}`,
    body,
    ...(headers === undefined ? {} : { headers }),
  });

/** `fetch` does not allow setting the Host header. */
async function statusUnder(host: string, port: string): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const address = { host: "127.0.0.1", port, path: "/control/orders", headers: { host } };
  request(address, (response) => {
    response.resume();
    resolve(response.statusCode);
  })
    .on("error", reject)
    .end();
  return await promise;
}

const userOf = async (id: number): Promise<unknown> =>
  (await shop.send({ path: `/api/v2/users/${id}` })).json;
const published = z.object({ items: z.array(z.object({ user: z.object({ id: z.number() }) })) });
const sellerIdIn = (received: Received): number => published.parse(received.json).items[0]?.user.id ?? 0;

describe("sellers of control calls", () => {
  test("have a good name unless said otherwise, and keep what was said of them last", async () => {
    const asked = { title: "Pull", price: 3 };
    const id = sellerIdIn(await post("/listings", { ...asked, seller: "mina" }));
    const user = { id, login: "mina", feedback_reputation: 0.96, feedback_count: 50, country_code: "FR" };
    expect(await userOf(id)).toEqual({ user, code: 0 });
    await post("/listings", { ...asked, seller: { login: "mina", rating: 3, country: "BE" } });
    await post("/listings", { ...asked, seller: "mina" });
    const after = { ...user, feedback_reputation: 0.6, country_code: "BE" };
    expect(await userOf(id)).toEqual({ user: after, code: 0 });
    await post("/listings", { ...asked, seller: { login: "mina", rating: null } });
    expect(await userOf(id)).toMatchObject({ user: { feedback_reputation: 0, feedback_count: 0 } });
  });

  test("keep the id that was said last", async () => {
    const asked = { title: "Pull", price: 3 };
    const named = { ...asked, seller: "zoe" };
    const first = sellerIdIn(await post("/listings", named));
    expect(sellerIdIn(await post("/listings", named))).toBe(first);
    await post("/listings", { ...asked, seller: { login: "zoe", id: 77 } });
    expect(sellerIdIn(await post("/listings", named))).toBe(77);
    const both = await post("/listings", [{ ...asked, seller: { login: "zoe", id: 78 } }, named]);
    expect(published.parse(both.json).items.map(({ user }) => user.id)).toEqual([78, 78]);
    expect(sellerIdIn(await post("/listings", named))).toBe(78);
  });

  test("are counted and struck by faults under the route `user`", async () => {
    const id = sellerIdIn(await post("/listings", { title: "Pull", price: 3, seller: "rare" }));
    await post("/reset-counters", {});
    await post("/faults", { route: "user", kind: "blocked", rate: 1, count: 1 });
    expect((await shop.send({ path: `/api/v2/users/${id}` })).status).toBe(403);
    expect((await shop.send({ path: `/api/v2/users/${id}` })).status).toBe(200);
    expect((await shop.send({ path: "/control/requests" })).json).toMatchObject({ by_route: { user: 2 } });
    expect((await shop.send({ path: "/api/v2/users/1" })).status).toBe(404);
  });

  test.each([{ rating: 5.1 }, { reviews: -1 }, { country: "fra" }])("cannot be %j", async (said) => {
    const answer = await post("/listings", { title: "Pull", price: 3, seller: { login: "x", ...said } });
    expect(answer.status).toBe(400);
  });
});

describe("control calls", () => {
  test("refuse any page in a browser, whichever its origin", async () => {
    for (const origin of ["http://localhost:3000", shop.url, "null"]) {
      const headers = { origin };
      expect((await post("/listings", { title: "Pull", price: 3 }, headers)).status).toBe(403);
      expect((await shop.send({ path: "/control/orders", headers })).status).toBe(403);
    }
  });

  test("refuse a page that was rebound to this address by DNS", async () => {
    const { port } = new URL(shop.url);
    for (const [host, status] of [
      [`127.0.0.1:${port}`, 200],
      [`localhost:${port}`, 200],
      [`[::1]:${port}`, 200],
      [`evil.example:${port}`, 403],
      [`127.0.0.1.evil.example:${port}`, 403],
      ["localhost.evil.example", 403],
    ] as const)
      expect([host, await statusUnder(host, port)]).toEqual([host, status]);
  });

  test("refuse other machines", () => {
    const face = createControlApi({} as Parameters<typeof createControlApi>[0]);
    const asked = (peerAddress: string): number =>
      face.serve({
        method: "GET",
        path: "/control/nothing",
        query: new URLSearchParams(),
        headers: {},
        body: "",
        peerAddress,
      }).status;
    for (const address of ["192.168.1.7", "10.0.0.1", "::ffff:192.168.1.7", "2001:db8::1", ""]) {
      expect(asked(address), address).toBe(403);
    }
    for (const address of ["127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1"]) {
      expect(asked(address), address).toBe(404);
    }
  });

  test("refuse anything but JSON", async () => {
    const body = '{"title":"Pull","price":3}';
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonx"]) {
      expect((await post("/listings", body, { "content-type": type })).status).toBe(415);
    }
    expect((await post("/listings", "{nope")).status).toBe(400);
    expect(
      (await post("/listings", body, { "content-type": "application/json; charset=utf-8" })).status,
    ).toBe(200);
  });

  test("refuse unknown calls and methods", async () => {
    expect((await post("/nothing", {})).status).toBe(404);
    expect((await shop.send({ method: "PUT", path: "/control/pace", body: {} })).status).toBe(405);
    expect((await post("/requests", {})).status).toBe(405);
  });
});

describe("POST /control/listings", () => {
  test("fills in defaults", async () => {
    const answer = await shop.control("POST", "/listings", { title: "Pull", price: 10 });
    expect(answer).toMatchObject({
      items: [
        {
          title: "Pull",
          brand_title: "",
          size_title: "M",
          status: "Très bon état",
          total_item_price: { amount: "11.20", currency_code: "EUR" },
        },
      ],
    });
    const item = await shop.publish({});
    expect((await search(shop, "catalog_ids=221")).ids).toContain(item.id);
    expect((await search(shop, "catalog_ids=221&color_ids=1")).ids).not.toContain(item.id);
  });

  test("accepts every field", async () => {
    const item = await shop.publish({
      title: "Manteau 🧥 « d'hiver »",
      price: 120.5,
      brand_title: "",
      size_title: null,
      status: "Comme neuf",
      catalog_id: 2526,
      color: "Bred",
      seller: "marie_75",
    });
    expect(item.user.login).toBe("marie_75");
    expect(item.total_item_price.amount).toBe("127.23");
    for (const colour of [1, 7]) {
      expect((await search(shop, `catalog_ids=2526&color_ids=${colour}`)).ids).toEqual([item.id]);
    }
  });

  test("publishes five hundred at a time", async () => {
    const newListings = Array.from({ length: 500 }, (_unused, index) => ({
      title: `Lot ${index}`,
      price: 1,
      catalog_id: 230,
    }));
    const answer = await shop.control("POST", "/listings", newListings);
    const { page } = await search(shop, "catalog_ids=230");
    expect(page.pagination.total_entries).toBe(500);
    const seconds = new Set(page.items.map(({ photo }) => photo?.high_resolution?.timestamp));
    expect(seconds.size).toBe(1);
    expect(answer).toHaveProperty("items.length", 500);
  });

  test("publishes nothing of a list with an error, and names the error", async () => {
    const newListings = [
      { title: "Bon", price: 1, catalog_id: 287 },
      { title: "Mauvais", price: "1", catalog_id: 287 },
    ];
    const refused = await post("/listings", newListings);
    expect(refused.status).toBe(400);
    expect(refused.text).toContain("listing 1: price");
    expect((await search(shop, "catalog_ids=287")).ids).toEqual([]);
  });

  test("describes the error in English", async () => {
    const mistakes: readonly (readonly [object, string])[] = [
      [{ price: 1 }, "title"],
      [{ title: "", price: 1 }, "title"],
      [{ title: "x", price: -1 }, "price"],
      [{ title: "x", price: 1e9 }, "price"],
      [{ title: "x", price: 1, catalog_id: 4 }, "branch"],
      [{ title: "x", price: 1, catalog_id: 999_999 }, "no category"],
      [{ title: "x", price: 1, color: "Noir" }, "color"],
      [{ title: "x", price: 1, secure: "yes" }, "secure"],
      [{ title: "x", price: 1, shipping: -2 }, "shipping"],
    ];
    for (const [body, word] of mistakes) {
      const refused = await post("/listings", body);
      expect(refused.status, word).toBe(400);
      expect(refused.text).toContain(word);
    }
  });
});

test("DELETE marks a listing as sold to someone else", async () => {
  const item = await shop.publish({ catalog_id: 1842 });
  expect(await shop.control("DELETE", `/listings/${item.id}`)).toMatchObject({ item: { state: "sold" } });
  expect((await search(shop, "catalog_ids=1842")).ids).toEqual([]);
  expect((await shop.send({ method: "DELETE", path: "/control/listings/17" })).status).toBe(404);
  const bought = await shop.publish({});
  await (await shop.shopper("vite")).buy(bought);
  expect((await shop.send({ method: "DELETE", path: `/control/listings/${bought.id}` })).status).toBe(409);
});

test("PATCH changes the price for everyone", async () => {
  const item = await shop.publish({ price: 10, catalog_id: 1843 });
  const answer = await shop.control("PATCH", `/listings/${item.id}`, { price: 8.5 });
  expect(answer).toMatchObject({ item: { total_item_price: { amount: "9.63" } } });
  const { page } = await search(shop, "catalog_ids=1843");
  expect(page.items[0]?.price).toEqual({ amount: "8.5", currency_code: "EUR" });
  const refused = await shop.send({
    method: "PATCH",
    path: `/control/listings/${item.id}`,
    body: { price: "8" },
  });
  expect(refused.status).toBe(400);
});

test("GET /control/orders lists the orders of all accounts", async () => {
  const item = await shop.publish({ price: 5, shipping: 1 });
  const { payment } = paymentOf(await (await shop.shopper("verite")).buy(item));
  const order = await shop.orderOf(item);
  expect(order).toEqual({
    transaction_id: payment.transaction_id,
    item_id: item.id,
    account: "verite",
    total: { amount: "6.95", currency_code: "EUR" },
    state: "paid",
    payments: 1,
    payment_requests: 1,
  });
});

test("confirm and cancel refuse invalid states and are idempotent", async () => {
  const shopper = await shop.shopper("repetition");
  const { payment } = paymentOf(await shopper.buy(await shop.publish({})));
  const order = `/orders/${payment.transaction_id}`;
  expect((await post(`${order}/confirm`, {})).status).toBe(200);
  expect((await post(`${order}/cancel`)).status).toBe(200);
  expect((await post(`${order}/cancel`)).status).toBe(200);
  const late = await post(`${order}/confirm`, {});
  expect(late.status).toBe(409);
  expect(late.text).toContain("cancelled");
  expect((await post("/orders/12/confirm", {})).status).toBe(404);
});

test("a seller cancelling an unpaid order does not affect the buyer of the listing", async () => {
  const item = await shop.publish({});
  const late = await shop.shopper("en-retard");
  const transactionId = await late.openTransaction(item);
  await (await shop.shopper("premiere")).buy(item);
  await shop.control("POST", `/orders/${transactionId}/cancel`, {});
  expect((await shop.send({ path: `/api/v2/items/${item.id}` })).json).toMatchObject({
    item: { is_closed: true },
  });
  const states = (await shop.orders()).filter((order) => order.item_id === item.id).map(({ state }) => state);
  expect(states.toSorted()).toEqual(["cancelled", "paid"]);
});

test("GET /control/requests counts calls by route until the reset", async () => {
  await shop.control("POST", "/reset-counters");
  const shopper = await shop.shopper("compteur");
  await shopper.buy(await shop.publish({}));
  await search(shop, "page=1");
  await shop.send({ path: "/" });
  expect(await shop.control("GET", "/requests")).toEqual({
    total: 6,
    by_route: {
      catalog: 1,
      conversation: 1,
      build: 1,
      checkout: 1,
      points: 0,
      payment: 1,
      orders: 0,
      transaction: 0,
      user: 0,
      refresh: 1,
    },
  });
  await shop.control("POST", "/reset-counters", {});
  expect(await shop.control("GET", "/requests")).toMatchObject({ total: 0 });
});

describe("POST /control/pace", () => {
  test("starts and stops the stream", async () => {
    const total = async (): Promise<number> => (await search(shop, "page=1")).page.pagination.total_entries;
    const before = await total();
    await shop.clock.advance(10_000);
    expect(await total()).toBe(before);
    expect(await shop.control("POST", "/pace", { listings_per_second: 40 })).toEqual({
      listings_per_second: 40,
    });
    await shop.clock.advance(10_000);
    expect((await total()) - before).toBeGreaterThan(300);
    await shop.control("POST", "/pace", { listings_per_second: 0 });
    const newest = (await search(shop, "page=1")).ids[0];
    await shop.clock.advance(60_000);
    expect((await search(shop, "page=1")).ids[0]).toBe(newest);
  });

  test("refuses an invalid pace", async () => {
    for (const listings_per_second of [-1, "2", 1e6, null]) {
      expect((await post("/pace", { listings_per_second })).status).toBe(400);
    }
  });
});

describe("POST /control/faults", () => {
  test("describes invalid faults in English", async () => {
    const mistakes: readonly (readonly [object, string])[] = [
      [{}, "kind"],
      [{ kind: "earthquake" }, "kind must be one of"],
      [{ kind: "crash" }, "kind must be one of"],
      [{ kind: "reset", route: "somewhere" }, "route"],
      [{ kind: "orders_lag", route: "catalog" }, "route of orders_lag"],
      [{ kind: "reset", variant: "sideways" }, "variant of reset"],
      [{ kind: "reset", rate: 5 }, "rate"],
      [{ kind: "reset", count: 0 }, "count"],
      [{ kind: "latency", delay_ms: -1 }, "delay_ms"],
      [{ kind: "rate_limit", retry_after: "a\r\nb" }, "retry_after"],
    ];
    for (const [body, word] of mistakes) {
      const refused = await post("/faults", body);
      expect(refused.status, word).toBe(400);
      expect(refused.text).toContain(word);
    }
  });
});

describe("/control/history", () => {
  const answered = z.object({
    given: z.number(),
    items: z.array(z.object({ id: z.number(), at: z.number(), total_item_price: z.unknown() })),
  });
  const open = async () => {
    const past = await openShop();
    const send = async (body: unknown) => await past.send({ method: "POST", path: "/control/history", body });
    const refused = async (body: unknown): Promise<string> => {
      const { status, text } = await send(body);
      return `${status} ${text}`;
    };
    return {
      past,
      send,
      refused,
      nowMs: past.clock.nowMs(),
      [Symbol.asyncDispose]: () => past[Symbol.asyncDispose](),
    };
  };

  test("draws listings of the last days, adds calls up, and shows none of them on a page", async () => {
    await using shopWithPast = await open();
    const { past, send, refused } = shopWithPast;
    expect((await send({ days: 1, listings: 1 })).json).toEqual({ given: 1 });
    expect((await send({ days: 30, listings: 200_000 })).json).toEqual({ given: 200_001 });
    expect(await past.control("GET", "/history")).toEqual({ given: 200_001, read: 0 });
    expect((await search(past, "page=1")).page.pagination.total_entries).toBe(0);
    for (const [body, word] of [
      [{ days: 0, listings: 1 }, "days"],
      [{ days: 31, listings: 1 }, "days"],
      [{ days: 1.5, listings: 1 }, "days"],
      [{ days: 1, listings: 0 }, "listings"],
      [{ days: 1, listings: 200_001 }, "listings"],
      [{ days: 1 }, "listings"],
      [{ days: 1, listings: 1, at: 0 }, "at"],
    ] as const)
      expect(await refused(body), JSON.stringify(body)).toMatch(new RegExp(`^400 .*${word}`));
    expect(await past.control("GET", "/history")).toMatchObject({ given: 200_001 });
  });

  test("takes listings of the last 30 days and answers them as they were sent", async () => {
    await using shopWithPast = await open();
    const { send, refused, nowMs } = shopWithPast;
    const at = nowMs - 30 * DAY_MS;
    const given = await send([
      { title: "Robe", price: 10, at: at + 1 },
      { title: "Pull", price: 5, at },
    ]);
    const { items, ...rest } = answered.parse(given.json);
    expect(rest).toEqual({ given: 2 });
    expect(items).toEqual([
      { id: items[0]?.id, at: at + 1, total_item_price: { amount: "11.20", currency_code: "EUR" } },
      { id: items[1]?.id, at, total_item_price: { amount: "5.95", currency_code: "EUR" } },
    ]);
    for (const [body, message] of [
      [[{ title: "Robe", price: 1 }], "listing 0: at"],
      [
        [
          { title: "Robe", price: 1, at: nowMs },
          { title: "Robe", price: 1, at: nowMs + 1 },
        ],
        "listing 1: at",
      ],
      [[{ title: "Robe", price: 1, at: at - 1 }], "listing 0: at: a moment of the last 30 days"],
      [[{ title: "Robe", price: "1", at: nowMs }], "listing 0: price"],
      [[{ title: "Robe", price: 1, at }], "later than those before"],
    ] as const)
      expect(await refused(body)).toMatch(new RegExp(`^400 .*${message}`));
    expect((await send([{ title: "Robe", price: 1, at: nowMs }])).json).toMatchObject({ given: 3 });
  });

  test("remembers the sellers of its listings, with their ids and profiles", async () => {
    await using shopWithPast = await open();
    const { past, send, nowMs } = shopWithPast;
    const seller = { login: "mina", id: 9_001, rating: 3, country: "BE" };
    await send([{ title: "Robe", price: 10, at: nowMs, seller }]);
    expect((await past.send({ path: "/api/v2/users/9001" })).json).toMatchObject({
      user: { login: "mina", feedback_reputation: 0.6, country_code: "BE" },
    });
    const body = { title: "Pull", price: 3, seller: "mina" };
    expect(sellerIdIn(await past.send({ method: "POST", path: "/control/listings", body }))).toBe(9_001);
  });

  test("takes five thousand listings a call", async () => {
    await using shopWithPast = await open();
    const { send, refused, nowMs } = shopWithPast;
    const listings = Array.from({ length: 5_001 }, () => ({ title: "x", price: 1, at: nowMs }));
    expect(await refused(listings)).toMatch(/^400 .*at most 5000 listings/);
    expect((await send(listings.slice(1))).json).toMatchObject({ given: 5_000 });
  });

  test("is closed once a listing was published", async () => {
    await using shopWithPast = await open();
    const { past, refused, nowMs } = shopWithPast;
    await past.publish({});
    expect(await refused({ days: 1, listings: 1 })).toMatch(/^409 .*the past is over/);
    expect(await refused([{ title: "Robe", price: 1, at: nowMs }])).toMatch(/^409 /);
    expect(await past.control("GET", "/history")).toEqual({ given: 0, read: 0 });
  });
});

test.each([
  ["catalog_id=4", "catalog_id: no leaf"],
  ["catalog_id=999999", "catalog_id: no leaf"],
  ["catalog_id=x", "catalog_id: no leaf"],
  ["status=Us%C3%A9", "status: no such condition"],
  ["brand_title=Inconnue", "brand_title: no brand"],
  ["price=-1", "price: an amount"],
  ["price=x", "price: an amount"],
])("GET /control/law refuses %s", async (query, message) => {
  const { status, text } = await shop.send({ path: `/control/law?${query}` });
  expect([status, text]).toEqual([400, expect.stringContaining(message)]);
});

test("GET /control/law answers quartiles of totals and the share that is dearer", async () => {
  const law = z.object({ bas: z.number(), median: z.number(), haut: z.number(), dearer: z.number() });
  const { bas, median, haut, dearer } = law.parse(await shop.control("GET", "/law?catalog_id=221"));
  expect(bas).toBeLessThan(median);
  expect(median).toBeLessThan(haut);
  expect(dearer).toBe(1);
  // The buyer's protection of a total of 1 EUR more than 0.70 EUR and 5 %.
  const itemPrice = (median - 0.7) / 1.05;
  const half = law.parse(await shop.control("GET", `/law?catalog_id=221&price=${itemPrice}`));
  expect(half.dearer).toBeCloseTo(0.5, 1);
});

test("a body above the limit is refused", async () => {
  const status = await new Promise<number>((resolve, reject) => {
    const sent = request(`${shop.url}/control/listings`, {
      method: "POST",
      headers: { "content-type": "application/json" },
    });
    sent.on("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on("error", reject);
    sent.end(`[${'{"title":"x","price":1},'.repeat(300_000)}0]`);
  }).catch(() => 413);
  expect(status).toBe(413);
});
