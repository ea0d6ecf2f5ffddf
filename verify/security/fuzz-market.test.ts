import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Secret } from "#domain/secret.ts";
import { MarketplaceError } from "#marketplace/errors.ts";
import type { Marketplace } from "#marketplace/marketplace.ts";
import { confirmationLink, marketLink, pictureLink } from "#presenters/market-links.ts";
import { asListingId } from "#domain/ids.ts";
import { figure, sized } from "./figures.ts";
import { aMarketplaceAt } from "#verify/testing/a-sandbox.ts";

/**
 * A marketplace that answers anything, over real HTTP. Every call must end in a valid value or a
 * MarketplaceError, and no answer may direct a person's browser to another site.
 */
const ANSWERS = sized(10_000, 1_000_000);
const MARKET = "https://market.example";

let server: Server;
let market: Marketplace & AsyncDisposable;
let next: { status: number; headers: Readonly<Record<string, string>>; body: string };

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    request.on("end", () => response.writeHead(next.status, next.headers).end(next.body));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  market = aMarketplaceAt(`http://127.0.0.1:${port}`);
});
afterAll(async () => {
  await market[Symbol.asyncDispose]();
  server.close();
});

const money = (amount: string) => ({ amount, currency_code: "EUR" });

/** Valid answers, which are damaged at random places. */
const item = {
  id: 4_711,
  title: "Robe",
  price: money("10.00"),
  total_item_price: money("11.20"),
  brand_title: "Zara",
  size_title: "M",
  status: "Bon état",
  path: "/items/4711-robe",
  url: "https://market.example/items/4711-robe",
  user: { id: 7, login: "lea", photo: { url: "https://images.example/7.jpg" } },
  photo: { id: 1, url: "https://images.example/1.jpg", width: 300, height: 400 },
};
const page = { current_page: 1, total_pages: 1, total_entries: 1, per_page: 96, time: 1_700_000_000 };
const transaction = {
  id: 99,
  item_id: 4_711,
  status: 230,
  total: money("13.90"),
  cancellation: "none",
  confirmation_url: "https://market.example/3ds/1",
  created_at: 1_700_000_000,
};

const order = {
  transaction_id: 99,
  conversation_id: 3,
  item_id: 4_711,
  title: "Robe",
  price: money("13.90"),
  status: 230,
  date: 1_700_000_000,
  photo: { url: "https://images.example/1.jpg" },
};
const address = { street: "Rue", city: "Lyon", postal_code: "69001", country_code: "FR" };
const checkout = {
  id: 5,
  checksum: "sum",
  components: {
    item_presentation: { item_id: 4_711, total_item_price: money("11.20") },
    payment_method: { pay_in_method_id: 1, card_id: 12 },
    shipping_address: { ...address, latitude: 45.7, longitude: 4.8 },
    shipping_pickup_options: {
      shipping_order_id: 8,
      pickup_type: 1,
      home: { rate_uuid: "r", price: money("2.70") },
    },
    shipping_pickup_details: { rate_uuid: "r", point_code: "p", point_uuid: "u" },
  },
  pay_button_v2: { total: { price: money("13.90") } },
};
const point = { uuid: "u", code: "p", name: "Relais", latitude: 45.7, longitude: 4.8, rate_uuid: "r" };

const LISTING = asListingId(4_711);
const ACCESS = new Secret("access");

/** One call of the port with a valid answer. */
const routes: readonly (readonly [string, unknown, () => Promise<unknown>])[] = [
  [
    "catalogue",
    { items: [item, item], pagination: page, code: 0 },
    () => market.searchNewest({ leafIds: [], marketplaceColourIds: [], page: 1, perPage: 96 }),
  ],
  ["orders", { my_orders: [order, order], pagination: page, code: 0 }, () => market.orders(ACCESS, 1)],
  ["checkout", { checkout, code: 0 }, () => market.buildCheckout(ACCESS, 99)],
  [
    "points",
    { shipping_points: [{ point, price: money("2.88") }], code: 0 },
    () =>
      market.nearbyPickupPoints(ACCESS, {
        shippingOrderId: 8,
        countryCode: "FR",
        latitude: 48,
        longitude: 2,
      }),
  ],
  ["transaction", { transaction, code: 0 }, () => market.transaction(ACCESS, 99)],
  [
    "payment",
    {
      payment: { status: "pending", transaction_id: 99, item_id: 4_711, total: money("13.90") },
      action: { type: "redirect", parameters: { url: "https://market.example/3ds/1" } },
      code: 0,
    },
    () => market.payment(ACCESS, 5),
  ],
  [
    "conversation",
    { conversation: { id: 3, transaction: { id: 99, item_id: 4_711, status: 1 } }, code: 0 },
    () => market.openTransaction(ACCESS, { listingId: LISTING, sellerId: 7 }),
  ],
  [
    "refresh",
    { access_token: "a", refresh_token: "b", expires_in: 3_600, code: 0 },
    () => market.refreshTokens(new Secret("refresh")),
  ],
];

const HOSTILE = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(
    null,
    "javascript:alert(1)",
    "//evil.example/x",
    "https://evil.example/3ds",
    "https://market.example@evil.example/",
    "/\\evil.example",
    "data:text/html,x",
    Number.MAX_SAFE_INTEGER + 2,
    -1,
    1e308,
    "1e3",
    "12,50",
    "NaN",
    "\u0000",
    "\ud800",
    "x".repeat(5_000),
    "x".repeat(100_000),
    0.5,
    1_700_000_000_000,
  ),
  fc.string({ unit: "binary", maxLength: 30 }),
);

/** All paths inside a valid answer. */
function placesOf(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => placesOf(inner, [...path, key]))];
}

function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by;
  const copy: Record<string, unknown> = Array.isArray(value)
    ? ([...(value as unknown[])] as unknown as Record<string, unknown>)
    : { ...(value as Record<string, unknown>) };
  copy[key] = replaced(copy[key], rest, by);
  return copy;
}

const status = fc.oneof(
  { weight: 6, arbitrary: fc.constant(200) },
  { weight: 2, arbitrary: fc.constantFrom(201, 301, 302, 400, 401, 403, 404, 409, 410, 422, 429, 500, 503) },
);
const retryAfter = fc.constantFrom(
  "1",
  "0",
  "-1",
  "86400",
  "999999999",
  "soon",
  "Fri, 31 Dec 9999 23:59:59 GMT",
  "Wed, 21 Oct 2099 07:28:00 GMT",
);

const answerOf = (proper: unknown) =>
  fc.record({
    status,
    headers: fc.record(
      { "retry-after": retryAfter, location: fc.constantFrom("https://evil.example/", "/") },
      { requiredKeys: [] },
    ),
    body: fc.oneof(
      fc
        .tuple(fc.constantFrom(...placesOf(proper)), HOSTILE)
        .map(([place, by]) => JSON.stringify(replaced(proper, place, by)) ?? ""),
      fc.tuple(fc.nat(), fc.string({ unit: "binary", maxLength: 5 })).map(([at, noise]) => {
        const text = JSON.stringify(proper);
        return `${text.slice(0, at % text.length)}${noise}${text.slice((at % text.length) + 1)}`;
      }),
      fc.string({ unit: "binary" }),
    ),
  });

/** All strings inside a value, any of which could direct a browser. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

function expectHarmless(value: unknown): void {
  for (const text of textsOf(value)) {
    expect(new URL(marketLink(MARKET, text)).origin).toBe(MARKET);
    const [picture, confirmation] = [pictureLink(text), confirmationLink(text, MARKET)];
    if (picture !== null) expect(["http:", "https:"]).toContain(URL.parse(picture)?.protocol ?? "https:");
    if (confirmation !== null) expect(new URL(confirmation).origin).toBe(MARKET);
  }
}

const WEEK_MS = 7 * 24 * 60 * 60_000;
/** The year 2100: later times overflow columns, timers and dates. */
const LATEST_MS = Date.UTC(2100, 0, 1);
/** The longest text is the URL of a payment's confirmation. */
const LONGEST_TEXT = 2_000;

/** No answer may fill the store, overflow a number or stop the product for years. */
function expectBounded(value: unknown, name = ""): void {
  if (typeof value === "string") expect(value.length, name).toBeLessThanOrEqual(LONGEST_TEXT);
  if (typeof value === "number") {
    expect(Math.abs(value), name).toBeLessThanOrEqual(Number.MAX_SAFE_INTEGER);
    if (!/^(latitude|longitude)$/.test(name)) expect(Number.isInteger(value), name).toBe(true);
    if (name.endsWith("AtMs")) expect(value, name).toBeLessThanOrEqual(LATEST_MS);
    if (name.endsWith("UnixS")) expect(value, name).toBeLessThanOrEqual(LATEST_MS / 1_000);
  }
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) expectBounded(inner, Array.isArray(value) ? name : key);
}

test("any answer of the marketplace is a value of the agreed shape or a MarketplaceError", async () => {
  const tally = { values: 0, errors: 0 };
  for (const [name, proper, call] of routes) {
    await fc.assert(
      fc.asyncProperty(answerOf(proper), async (answer) => {
        next = answer;
        try {
          const value = await call();
          tally.values += 1;
          expectHarmless(value);
          expectBounded(value);
        } catch (error) {
          if (!(error instanceof MarketplaceError)) throw error;
          expect(error.retryAfterMs ?? 0).toBeLessThanOrEqual(WEEK_MS);
          expect(error.message, name).not.toMatch(/access|refresh_token|Robe/);
          tally.errors += 1;
        }
      }),
      { numRuns: Math.ceil(ANSWERS / routes.length), endOnFailure: true },
    );
  }
  expect(tally.values).toBeGreaterThan(0);
  figure(
    "fuzz, marketplace",
    `${tally.values + tally.errors} answers: ${tally.values} values of the agreed shape, ${tally.errors} MarketplaceErrors, 0 anything else, 0 links elsewhere, 0 texts or numbers without a bound`,
  );
});
