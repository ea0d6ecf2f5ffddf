import { afterAll, beforeAll, expect, test } from "vitest";
import { wireTransaction } from "#marketplace/wire.ts";
import type { PublishedItem } from "#verify/testing/sandbox-client.ts";
import { openShop, paymentOf, refusalOf, search, type Shop, type Shopper } from "../shop.suite.ts";

let shop: Shop;
let people = 0;

beforeAll(async () => {
  shop = await openShop();
});

afterAll(async () => {
  await shop[Symbol.asyncDispose]();
});

interface Awaiting {
  readonly shopper: Shopper;
  readonly item: PublishedItem;
  readonly transactionId: number;
  /** The 3-D Secure URL. */
  readonly path: string;
  readonly checkoutId: number;
}

async function awaiting(fault?: Readonly<Record<string, unknown>>): Promise<Awaiting> {
  const shopper = await shop.shopper(`prudent-${(people += 1)}`);
  const item = await shop.publish({ secure: true, price: 30, catalog_id: 231 });
  const checkout = await shopper.prepare(item);
  if (fault !== undefined) await shop.control("POST", "/faults", { count: 1, ...fault });
  const { payment, action } = paymentOf(await shopper.pay(checkout));
  expect(payment.status).toBe("pending");
  expect(action?.type).toContain("3ds");
  const path = new URL(action?.parameters.url ?? "").pathname;
  return { shopper, item, transactionId: payment.transaction_id, path, checkoutId: checkout.id };
}

const paymentNow = async ({ shopper, checkoutId }: Awaiting) =>
  paymentOf(await shopper.send({ path: `/api/v2/purchases/${checkoutId}/checkout/payment` })).payment;

test("before the confirmation no money is taken and the listing is reserved", async () => {
  const order = await awaiting();
  expect(await shop.orderOf(order.item)).toMatchObject({ state: "awaiting", payments: 0 });
  expect((await search(shop, "catalog_ids=231")).ids).not.toContain(order.item.id);
  const rival = await shop.shopper("rival");
  const body = { initiator: "buy", item_id: order.item.id, opposite_user_id: order.item.user.id };
  const refused = await rival.send({ method: "POST", path: "/api/v2/conversations", body });
  expect(refusalOf(refused)).toBe("409 item_reserved");
  const { json } = await order.shopper.send({ path: `/api/v2/transactions/${order.transactionId}` });
  const { transaction } = wireTransaction.parse(json);
  expect(transaction).toMatchObject({
    status: 200,
    confirmation_url: expect.stringContaining(order.path) as string,
  });
});

test("the confirm button of the page pays", async () => {
  const order = await awaiting();
  const page = await shop.send({ path: order.path });
  expect(page.text).toContain("Confirmer le paiement");
  expect(page.text).toContain("32,20");
  // Opening the page has no effect.
  expect(await shop.orderOf(order.item)).toMatchObject({ state: "awaiting", payments: 0 });
  const confirmed = await shop.send({ method: "POST", path: `${order.path}/confirm` });
  expect(confirmed.text).toContain("Paiement confirmé");
  expect(await shop.orderOf(order.item)).toMatchObject({ state: "paid", payments: 1 });
  // Pressing twice pays once.
  await shop.send({ method: "POST", path: `${order.path}/confirm` });
  expect(await shop.orderOf(order.item)).toMatchObject({ state: "paid", payments: 1 });
});

test("the refuse button of the page releases the listing", async () => {
  const order = await awaiting();
  const refused = await shop.send({ method: "POST", path: `${order.path}/refuse` });
  expect(refused.text).toContain("Paiement refusé");
  expect(await shop.orderOf(order.item)).toMatchObject({ state: "failed", payments: 0 });
  expect(await paymentNow(order)).toMatchObject({ status: "failure", failure_code: "payment_refused" });
  expect((await search(shop, "catalog_ids=231")).ids).toContain(order.item.id);
});

test("it expires after 15 minutes, and the same person may try again", async () => {
  const order = await awaiting();
  await shop.clock.advance(15 * 60_000 - 1);
  expect(await shop.orderOf(order.item)).toMatchObject({ state: "awaiting" });
  await shop.clock.advance(2);
  expect(await shop.orderOf(order.item)).toMatchObject({ state: "failed", payments: 0 });
  expect(await paymentNow(order)).toMatchObject({ status: "failure", failure_code: "not_confirmed" });
  const page = await shop.send({ method: "POST", path: `${order.path}/confirm` });
  expect(page.text).toContain("Ce lien a expiré");
  expect(await shop.orderOf(order.item)).toMatchObject({ state: "failed", payments: 0 });
  const again = await order.shopper.openTransaction(order.item);
  expect(again).not.toBe(order.transactionId);
});

test("the control call confirms", async () => {
  const order = await awaiting();
  const answer = await shop.control("POST", `/orders/${order.transactionId}/confirm`, {});
  expect(answer).toMatchObject({ order: { state: "paid", payments: 1 } });
  expect(await paymentNow(order)).toMatchObject({ transaction_id: order.transactionId });
});

test("the seller may cancel before the confirmation", async () => {
  const order = await awaiting();
  await shop.control("POST", `/orders/${order.transactionId}/cancel`, {});
  expect(await shop.orderOf(order.item)).toMatchObject({ state: "cancelled", payments: 0 });
  expect(await paymentNow(order)).toMatchObject({ status: "failure" });
});

test("an unknown link is not found", async () => {
  expect((await shop.send({ path: "/3ds/aaaaaaaaaaaaaaaaaaaaaaaa" })).status).toBe(404);
});

test("confirmation_expired: the link is dead and the order fails", async () => {
  const order = await awaiting({ kind: "confirmation_expired" });
  const page = await shop.send({ method: "POST", path: `${order.path}/confirm` });
  expect(page.text).toContain("Ce lien a expiré");
  expect(await shop.orderOf(order.item)).toMatchObject({ state: "awaiting", payments: 0 });
  await shop.clock.advance(3_001);
  expect(await shop.orderOf(order.item)).toMatchObject({ state: "failed", payments: 0 });
});

test("confirmation_expired, never: the confirmation times out", async () => {
  const order = await awaiting({ kind: "confirmation_expired", variant: "never", delay_ms: 500 });
  expect((await shop.send({ path: order.path })).text).toContain("Confirmer le paiement");
  await shop.clock.advance(501);
  expect(await shop.orderOf(order.item)).toMatchObject({ state: "failed" });
});

test("confirmation_expired, late: the confirmation takes effect after its delay", async () => {
  const order = await awaiting({ kind: "confirmation_expired", variant: "late", delay_ms: 4_000 });
  const page = await shop.send({ method: "POST", path: `${order.path}/confirm` });
  expect(page.text).toContain("Réponse transmise");
  await shop.clock.advance(3_999);
  expect(await shop.orderOf(order.item)).toMatchObject({ state: "awaiting", payments: 0 });
  await shop.clock.advance(2);
  expect(await shop.orderOf(order.item)).toMatchObject({ state: "paid", payments: 1 });
});

test("confirmation_expired, late: a confirmation given in time counts after the link has expired", async () => {
  const order = await awaiting({ kind: "confirmation_expired", variant: "late", delay_ms: 4_000 });
  await shop.clock.advance(15 * 60_000 - 1_000);
  await shop.send({ method: "POST", path: `${order.path}/confirm` });
  await shop.clock.advance(2_000);
  expect(await shop.orderOf(order.item)).toMatchObject({ state: "awaiting", payments: 0 });
  await shop.clock.advance(2_001);
  expect(await shop.orderOf(order.item)).toMatchObject({ state: "paid", payments: 1 });
});
