import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { asListingId } from "#domain/ids.ts";
import { Secret } from "#domain/secret.ts";
import { type Sandbox } from "#sandbox/sandbox.ts";
import { sandboxClient, type SandboxClient } from "#verify/testing/sandbox-client.ts";
import { systemClock } from "#server/clock.ts";
import type { ExchangeRequest } from "./exchange.ts";
import type { CheckoutChoices, Marketplace } from "./marketplace.ts";
import { describeMarketplace } from "./marketplace.suite.ts";
import { aMarketplaceAt, startTestSandbox } from "#verify/testing/a-sandbox.ts";

const READS = 40;

let sandbox: Sandbox;
let control: SandboxClient;
let marketplace: Marketplace & AsyncDisposable;
let personas = 0;

beforeAll(async () => {
  sandbox = await startTestSandbox();
  control = sandboxClient(sandbox.url);
  marketplace = aMarketplaceAt(sandbox.url);
});

afterAll(async () => {
  await marketplace[Symbol.asyncDispose]();
  await sandbox.stop();
});

describeMarketplace("the HTTP adapter on the sandbox", () => ({
  marketplace,
  async publish(listing) {
    const [item] = await control.publish(listing);
    if (item === undefined) throw new Error("nothing was published");
    return asListingId(item.id);
  },
  sellToSomebodyElse: (id) => control.sellToSomebodyElse(id),
  confirmAtTheBank: (transactionId) => control.confirm(transactionId),
  refreshToken: new Secret(`sandbox-suite-${(personas += 1)}`),
}));

test("a payment does not wait for the budget between its commit and its request", async () => {
  const turns: string[] = [];
  const { promise: never } = Promise.withResolvers<void>();
  const take = async (lane: string): Promise<void> => {
    turns.push(lane);
    if (turns.length > 1) await never;
  };
  await using host = aMarketplaceAt(sandbox.url, { budget: { take } });
  await host.turnToPay();
  const refused = { code: "unauthorised" };
  await expect(host.pay(new Secret("none"), 1, "checksum", Infinity)).rejects.toMatchObject(refused);
  await expect(host.pay(new Secret("none"), 1, "checksum", 0)).rejects.toMatchObject({ code: "too_late" });
  expect(turns).toEqual(["buy"]);
});

test("a cancel request is not sent after its last moment", async () => {
  await using host = aMarketplaceAt(sandbox.url);
  const access = new Secret("none");
  await expect(host.requestCancel(access, 1, Infinity)).rejects.toMatchObject({ code: "unauthorised" });
  const late = { code: "too_late", isDefinite: true };
  await expect(host.requestCancel(access, 1, 0)).rejects.toMatchObject(late);
});

test("payments and cancellations use a new connection, never a pooled one", async () => {
  const wires: Socket[] = [];
  const server = createServer((request, response) => {
    wires.push(request.socket);
    response.writeHead(404, { "content-type": "application/json" }).end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await using host = aMarketplaceAt(`http://127.0.0.1:${port}`);
  const access = new Secret("access");
  const refused = { code: "not_found" };
  // More requests than the pool has connections, so that each pooled one has been used.
  for (let n = 0; n < READS; n += 1) await expect(host.payment(access, 1)).rejects.toMatchObject(refused);
  await expect(host.pay(access, 1, "checksum", Infinity)).rejects.toMatchObject(refused);
  await expect(host.requestCancel(access, 1, Infinity)).rejects.toMatchObject(refused);
  server.close();
  const shared = new Set(wires.slice(0, READS));
  expect(shared.size).toBeLessThan(READS);
  expect(wires.slice(READS).filter((wire) => shared.has(wire))).toHaveLength(0);
  expect(wires[READS] === wires[READS + 1]).toBe(false);
});

/** A client that receives this answer to every request. */
function answering(
  answer: unknown,
  onRequest: (request: ExchangeRequest) => void = () => undefined,
): Marketplace & AsyncDisposable {
  return aMarketplaceAt(sandbox.url, {
    clock: { ...systemClock, nowMs: () => 0 },
    exchange: {
      async send(request) {
        onRequest(request);
        return { status: 200, retryAfter: null, text: JSON.stringify(answer) };
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
  });
}

test("a seller's profile is waited for for five seconds, a page of the market for ten", async () => {
  const waits: number[] = [];
  await using market = answering({}, ({ deadlineMs }) => waits.push(deadlineMs));
  const query = { leafIds: [], marketplaceColourIds: [], page: 1, perPage: 96 };
  await expect(market.seller(7)).rejects.toMatchObject({ code: "unreadable" });
  await expect(market.searchNewest(query)).rejects.toMatchObject({ code: "unreadable" });
  expect(waits).toEqual([5_000, 10_000]);
});

test.each([
  [1e300, 30 * 86_400_000],
  [-5, 0],
  [7_200.7, 7_200_700],
])("a pair of tokens that lives %d seconds is kept, for %d ms", async (expiresIn, lifetimeMs) => {
  await using market = answering({ access_token: "a", refresh_token: "r", expires_in: expiresIn, code: 0 });
  expect((await market.refreshTokens(new Secret("old"))).accessExpiresAtMs).toBe(lifetimeMs);
});

const anOrder = {
  transaction_id: 9,
  conversation_id: 3,
  item_id: 7,
  title: "x".repeat(100_000),
  price: { amount: "13.90", currency_code: "EUR" },
  status: 230,
  date: 1_700_000_000,
  photo: { url: `https://photos.example/${"x".repeat(100_000)}` },
};
const pagination = { current_page: 1, total_pages: 1, total_entries: 1, per_page: 96 };

test("a long title is truncated and a long address ignored, without losing the order", async () => {
  await using market = answering({ my_orders: [anOrder], pagination, code: 0 });
  const { orders } = await market.orders(new Secret("access"), 1);
  expect(orders).toMatchObject([{ transactionId: 9, title: "x".repeat(500), photoUrl: null }]);
});

test("an order in another currency is kept without a total; an invalid price makes the page unreadable", async () => {
  const inZloty = { ...anOrder, transaction_id: 8, price: { amount: "55.00", currency_code: "PLN" } };
  await using market = answering({ my_orders: [inZloty, anOrder], pagination, code: 0 });
  const { orders } = await market.orders(new Secret("access"), 1);
  expect(orders).toMatchObject([
    { transactionId: 8, totalCents: null },
    { transactionId: 9, totalCents: 1_390 },
  ]);
  const odd = { ...anOrder, price: { amount: "13,90", currency_code: "EUR" } };
  await using other = answering({ my_orders: [odd], pagination, code: 0 });
  await expect(other.orders(new Secret("access"), 1)).rejects.toMatchObject({ code: "unreadable" });
});

test.each([1e300, 4_102_444_801, -1, 1.5])(
  "an order of the moment %d makes its page unreadable",
  async (date) => {
    await using market = answering({ my_orders: [{ ...anOrder, date }], pagination, code: 0 });
    await expect(market.orders(new Secret("access"), 1)).rejects.toMatchObject({ code: "unreadable" });
  },
);

test("an answer about another transaction is unreadable", async () => {
  const transaction = {
    id: 10,
    item_id: 7,
    status: 510,
    total: { amount: "1.00", currency_code: "EUR" },
    cancellation: "granted",
    confirmation_url: null,
    created_at: 1,
  };
  await using market = answering({ transaction, code: 0 });
  const access = new Secret("access");
  expect(await market.transaction(access, 10)).toMatchObject({ transactionId: 10, state: "cancelled" });
  const unreadable = { code: "unreadable", isDefinite: false };
  await expect(market.transaction(access, 9)).rejects.toMatchObject(unreadable);
  await expect(market.requestCancel(access, 9, Infinity)).rejects.toMatchObject(unreadable);
});

const chosen: CheckoutChoices = {
  paymentMethodId: 1,
  cardId: 5,
  address: { street: "12 rue de la Roquette", city: "Paris", postalCode: 1_000, country: "France" },
  pickupPoint: {
    uuid: "point",
    code: "code",
    name: "Relais",
    rateUuid: "rate",
  },
};

const aCheckout = {
  id: 4,
  checksum: "checksum",
  components: {
    item_presentation: { item_id: 7, total_item_price: { amount: "10.00", currency_code: "EUR" } },
    payment_method: { pay_in_method_id: 1, card_id: 5 },
    shipping_address: {
      street: "12 RUE DE LA ROQUETTE",
      city: "PARIS",
      postal_code: "01000",
      country_code: "FR",
      latitude: 48.8,
      longitude: 2.3,
    },
    shipping_pickup_options: { shipping_order_id: 6, pickup_type: 2, home: null },
    shipping_pickup_details: { rate_uuid: "rate", point_code: "code", point_uuid: "point" },
  },
  pay_button_v2: { total: { price: { amount: "12.00", currency_code: "EUR" } } },
};
const { components } = aCheckout;
const others: readonly (readonly [string, object])[] = [
  ["another checkout", { id: 3 }],
  [
    "another way to pay",
    { components: { ...components, payment_method: { pay_in_method_id: 11, card_id: null } } },
  ],
  ["another card", { components: { ...components, payment_method: { pay_in_method_id: 1, card_id: 8 } } }],
  [
    "another town",
    {
      components: {
        ...components,
        shipping_address: { ...components.shipping_address, postal_code: "75011" },
      },
    },
  ],
  [
    "another country",
    {
      components: { ...components, shipping_address: { ...components.shipping_address, country_code: "BE" } },
    },
  ],
  [
    "a delivery to the door",
    {
      components: {
        ...components,
        shipping_pickup_options: { ...components.shipping_pickup_options, pickup_type: 1 },
      },
    },
  ],
  [
    "another pickup point",
    {
      components: {
        ...components,
        shipping_pickup_details: { ...components.shipping_pickup_details, point_uuid: "far" },
      },
    },
  ],
  ["no pickup point", { components: { ...components, shipping_pickup_details: null } }],
];

test("a quote that confirms the choices is accepted", async () => {
  const place = { components: { ...components, shipping_address: null } };
  const address = {
    ...components.shipping_address,
    postal_code: `F-${components.shipping_address.postal_code} `,
  };
  const inOtherLetters = {
    components: { ...components, shipping_address: { ...address, country_code: "fr" } },
  };
  for (const changes of [{}, place, inOtherLetters]) {
    await using market = answering({ checkout: { ...aCheckout, ...changes }, code: 0 });
    expect(await market.updateCheckout(new Secret("access"), 4, chosen)).toMatchObject({ totalCents: 1_200 });
  }
});

test.each(others)("a quote for %s than was chosen is rejected", async (_what, changes) => {
  await using market = answering({ checkout: { ...aCheckout, ...changes }, code: 0 });
  const quote = market.updateCheckout(new Secret("access"), 4, chosen);
  await expect(quote).rejects.toMatchObject({ code: "unreadable" });
});

const aPoint = { uuid: "u", code: "c", name: "Relais", rate_uuid: "r", latitude: 48.8, longitude: 2.3 };

/** The names of the pickup points that are read from such an answer. */
async function namesOfPoints(points: readonly object[]): Promise<readonly string[]> {
  await using market = answering({ shipping_points: points, code: 0 });
  const near = { shippingOrderId: 6, countryCode: "FR", latitude: 48.8, longitude: 2.3 };
  return (await market.nearbyPickupPoints(new Secret("access"), near)).map(({ name }) => name);
}

test("an unreadable price hides no pickup point: what counts is the price in the quote", async () => {
  const prices = [{ amount: "12,50", currency_code: "EUR" }, { amount: "3.00", currency_code: "CHF" }, null];
  const points = prices.map((price, n) => ({ point: { ...aPoint, name: `Relais ${n}` }, price }));
  expect(await namesOfPoints(points)).toEqual(["Relais 0", "Relais 1", "Relais 2"]);
});

test("a pickup point that cannot be read hides no other", async () => {
  const { uuid: _uuid, ...withoutId } = aPoint;
  const points = [withoutId, { ...aPoint, name: null }, null, aPoint].map((point) => ({ point }));
  expect(await namesOfPoints([...points, {}])).toEqual(["Relais"]);
});
