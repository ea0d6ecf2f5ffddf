import { z } from "zod";
import { wireItem } from "#marketplace/read-listing.ts";
import * as wire from "#marketplace/wire.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import {
  type NewListing,
  type PublishedItem,
  type SandboxClient,
  sandboxClient,
  type TrueOrder,
} from "#verify/testing/sandbox-client.ts";
import { type Sandbox, type SandboxOptions } from "./sandbox.ts";
import { startTestSandbox } from "#verify/testing/a-sandbox.ts";

/** A sandbox for tests, over real HTTP with a fake clock. */
export interface Shop extends AsyncDisposable, Omit<SandboxClient, "publish" | "arm"> {
  readonly sandbox: Sandbox;
  readonly clock: FakeClock;
  send(request: Sent): Promise<Received>;
  publish(traits: Partial<NewListing>): Promise<PublishedItem>;
  arm(kind: string, details?: Readonly<Record<string, unknown>>): Promise<void>;
  orderOf(item: Pick<PublishedItem, "id">): Promise<TrueOrder | undefined>;
  shopper(name: string): Promise<Shopper>;
}

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly access?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined when the text is not JSON. */
  readonly json: unknown;
}

/** A buyer with an account. */
export interface Shopper {
  readonly name: string;
  readonly access: string;
  readonly refreshToken: string;
  send(request: Sent): Promise<Received>;
  openTransaction(item: PublishedItem): Promise<number>;
  build(transactionId: number): Promise<wire.WireCheckout>;
  /** Pays by card with home delivery in Paris by default. */
  choose(checkout: wire.WireCheckout, choices?: Choices): Promise<wire.WireCheckout>;
  pay(checkout: Pick<wire.WireCheckout, "id" | "checksum">): Promise<Received>;
  /** All steps up to the payment. */
  prepare(item: PublishedItem, choices?: Choices): Promise<wire.WireCheckout>;
  /** All steps including the payment; returns its answer. */
  buy(item: PublishedItem, choices?: Choices): Promise<Received>;
}

interface Choices {
  readonly methodId?: number;
  readonly postalCode?: string;
  readonly pickup?: { rate_uuid: string; point_code: string; point_uuid: string };
}

export async function openShop(options: Partial<SandboxOptions> = {}): Promise<Shop> {
  const clock = new FakeClock();
  const sandbox = await startTestSandbox({ clock, ...options });
  const send = sender(sandbox.url);
  const client = sandboxClient(sandbox.url);
  return {
    ...client,
    sandbox,
    clock,
    send,
    publish: async (traits) => await publishOne(client, traits),
    arm: async (kind, details = {}) => void (await client.control("POST", "/faults", { kind, ...details })),
    orderOf: async ({ id }) => (await client.orders()).find((order) => order.item_id === id),
    shopper: async (name) => await openShopper(send, name),
    [Symbol.asyncDispose]: async () => await sandbox.stop(),
  };
}

/** Publishes 'Robe fleurie' for 12 EUR, with other traits where given. */
export async function publishOne(
  client: Pick<SandboxClient, "publish">,
  traits: Partial<NewListing> = {},
): Promise<PublishedItem> {
  const [item] = await client.publish({ title: "Robe fleurie", price: 12, ...traits });
  if (item === undefined) throw new Error("nothing was published");
  return item;
}

/** The status of an answer as text, or "broken" without an answer. */
export async function outcomeOf(request: Promise<Received>): Promise<string> {
  return await request.then(
    ({ status }) => String(status),
    () => "broken",
  );
}

export function sender(url: string): Shop["send"] {
  return async ({ method = "GET", path, body, access, headers, signal }) => {
    const response = await fetch(`${url}${path}`, {
      method,
      redirect: "manual",
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(access === undefined ? {} : { authorization: `Bearer ${access}` }),
        ...headers,
      },
      body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parsed(text) };
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export async function openShopper(send: Shop["send"], name: string): Promise<Shopper> {
  const refresh = { refresh_token: `sandbox-${name}` };
  const answer = await send({ method: "POST", path: "/web/api/auth/refresh", body: refresh });
  const tokens = wire.wireTokens.parse(answer.json);
  const access = tokens.access_token;
  const own: Shopper["send"] = async (request) => await send({ access, ...request });

  const openTransaction: Shopper["openTransaction"] = async (item) => {
    const body = { initiator: "buy", item_id: item.id, opposite_user_id: item.user.id };
    const received = await own({ method: "POST", path: "/api/v2/conversations", body });
    return wire.wireConversation.parse(received.json).conversation.transaction.id;
  };
  const build: Shopper["build"] = async (id) => {
    const body = { purchase_items: [{ id, type: "transaction" }] };
    const received = await own({ method: "POST", path: "/api/v2/purchases/checkout/build", body });
    return wire.wireCheckout.parse(received.json).checkout;
  };
  const choose: Shopper["choose"] = async (checkout, choices = {}) => {
    const path = `/api/v2/purchases/${checkout.id}/checkout`;
    const received = await own({ method: "PUT", path, body: checkoutUpdate(choices) });
    return wire.wireCheckout.parse(received.json).checkout;
  };
  const pay: Shopper["pay"] = async ({ id, checksum }) =>
    await own({
      method: "POST",
      path: `/api/v2/purchases/${id}/checkout/payment`,
      body: { checksum, payment_options: { browser_info: { language: "fr-FR" } } },
    });
  const prepare: Shopper["prepare"] = async (item, choices) =>
    await choose(await build(await openTransaction(item)), choices);
  return {
    name,
    access,
    refreshToken: tokens.refresh_token,
    send: own,
    openTransaction,
    build,
    choose,
    pay,
    prepare,
    buy: async (item, choices) => await pay(await prepare(item, choices)),
  };
}

export function checkoutUpdate({ methodId = 1, postalCode = "75011", pickup }: Choices) {
  return {
    components: {
      payment_method: { pay_in_method_id: methodId, card_id: null },
      shipping_address: {
        street: "12 rue de la Roquette",
        city: "Paris",
        postal_code: postalCode,
        country_code: "FR",
      },
      shipping_pickup_options: { pickup_type: pickup === undefined ? wire.PICKUP_HOME : wire.PICKUP_POINT },
      ...(pickup === undefined ? {} : { shipping_pickup_details: pickup }),
    },
  };
}

/** The status and message code of a refusal; throws for any other answer. */
export function refusalOf(received: Received): string {
  const { message_code: code } = wire.wireRefusal.parse(received.json);
  return `${received.status} ${code}`;
}

export function paymentOf(received: Received): z.infer<typeof wire.wirePayment> {
  return wire.wirePayment.parse(received.json);
}

const catalogPage = z.object({
  items: z.array(wireItem),
  pagination: wire.wireCatalogPage.shape.pagination,
});

/** The listing ids of a catalogue request, in order. */
export async function search(
  shop: Pick<Shop, "send">,
  query: string,
): Promise<{ readonly ids: readonly number[]; readonly page: z.infer<typeof catalogPage> }> {
  const received = await shop.send({ path: `/api/v2/catalog/items?order=newest_first&${query}` });
  const page = catalogPage.parse(received.json);
  return { ids: page.items.map(({ id }) => id), page };
}
