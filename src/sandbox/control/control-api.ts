import type { Clock } from "#domain/clock.ts";
import { parseJson } from "#domain/json.ts";
import { eur } from "#domain/money.ts";
import { z } from "zod";
import { InvalidFaultSpec, describeIssue, type Faults } from "../faults/faults.ts";
import { jsonAnswer, type Answer, type Incoming } from "../http/messages.ts";
import type { Links, RequestCounters } from "../http/endpoint.ts";
import { presentItem } from "../http/wire.ts";
import type { MarketListing } from "../market/listing.ts";
import type { Market } from "../market/market.ts";
import { orderTotalCents, type MarketOrder } from "../market/order.ts";
import { itemTotalCents } from "../market/checkout.ts";
import { originOf, type Receivers } from "../receivers/receivers.ts";
import { faultBody } from "../receivers/receptions.ts";
import { addHistory, priceQuartiles } from "./history-calls.ts";
import { ControlError, readNewListings } from "./read-new-listings.ts";

/**
 * Control calls for developers and tests: publish and change listings, settle orders, arm faults, read
 * counters. Only local, non-browser clients are served.
 */
export interface ControlApi {
  owns(path: string): boolean;
  serve(incoming: Incoming): Answer;
}

interface ControlParts {
  readonly market: Market;
  readonly links: Links;
  readonly faults: Faults;
  readonly counters: RequestCounters;
  readonly pace: Pace;
  readonly receivers: Pick<Receivers, "chats" | "devices" | "receptions">;
  readonly clock: Pick<Clock, "nowMs">;
}

interface Pace {
  listingsPerSecond(): number;
  setListingsPerSecond(pace: number): void;
}

interface ControlCall {
  readonly method: string;
  readonly pattern: RegExp;
  readonly run: (groups: readonly string[], body: unknown, incoming: Incoming) => unknown;
}

export function createControlApi(parts: ControlParts): ControlApi {
  const calls = [
    ...listingCalls(parts),
    ...orderCalls(parts),
    ...settingCalls(parts),
    ...receiverCalls(parts),
    ...historyCalls(parts),
  ];
  return {
    owns: (path) => path === "/control" || path.startsWith("/control/"),
    serve(incoming) {
      try {
        guard(incoming);
        const samePath = calls.filter(({ pattern }) => pattern.test(incoming.path));
        const call = samePath.find(({ method }) => method === incoming.method);
        if (call === undefined) {
          throw new ControlError(
            samePath.length === 0 ? 404 : 405,
            samePath.length === 0 ? "no such control call" : `this call is ${samePath[0]?.method ?? ""}`,
          );
        }
        parts.market.settleDue();
        const groups = call.pattern.exec(incoming.path)?.slice(1) ?? [];
        return jsonAnswer(200, call.run(groups, bodyOf(incoming), incoming));
      } catch (error) {
        if (error instanceof ControlError) return jsonAnswer(error.status, { error: error.message });
        if (error instanceof InvalidFaultSpec) return jsonAnswer(400, { error: error.message });
        throw error;
      }
    },
  };
}

const LOOPBACK_NAME = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;
const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;

function guard({ peerAddress, headers, body }: Incoming): void {
  if (!LOOPBACK.test(peerAddress)) throw new ControlError(403, "control calls answer this machine only");
  if (headers.origin !== undefined) throw new ControlError(403, "control calls answer no page in a browser");
  // Guards against DNS rebinding: such a page sends its own name as Host.
  if (headers.host !== undefined && !LOOPBACK_NAME.test(headers.host))
    throw new ControlError(403, "control calls answer to a name of this machine only");
  const type = headers["content-type"] ?? "";
  if (body !== "" && !/^application\/json\b/i.test(type))
    throw new ControlError(415, "the body must be JSON");
}

function bodyOf({ body }: Incoming): unknown {
  if (body === "") return undefined;
  const parsed = parseJson(body);
  if (parsed === undefined) throw new ControlError(400, "the body is not JSON");
  return parsed;
}

function listingCalls({ market, links }: ControlParts): readonly ControlCall[] {
  const found = (id: string | undefined): MarketListing => {
    const listing = market.stock.byId(Number(id));
    if (listing === null) throw new ControlError(404, `no listing has the id ${id ?? ""}`);
    return listing;
  };
  const present = (listing: MarketListing): object => ({
    ...presentItem(listing, links),
    total_item_price: eur(itemTotalCents(listing.priceCents)),
    state: listing.state,
  });
  const priceBody = z.object({ price: z.number().min(0).max(99_999) });
  return [
    {
      method: "POST",
      pattern: /^\/control\/listings$/,
      run(_groups, body) {
        const newListings = readNewListings(body, market.database.sellers);
        const published = market.database.write(() => {
          for (const { facts, sellerProfile } of newListings)
            market.database.sellers.note(facts.seller, sellerProfile);
          return market.stock.publish(newListings);
        });
        return { items: published.map(present) };
      },
    },
    {
      method: "DELETE",
      pattern: /^\/control\/listings\/(\d{1,15})$/,
      run([id]) {
        const listing = found(id);
        if (market.database.orders.effectiveOf(listing.id) !== null) {
          throw new ControlError(409, `listing ${listing.id} is already bought`);
        }
        return { item: present(market.stock.setState(listing.id, "sold") ?? listing) };
      },
    },
    {
      method: "PATCH",
      pattern: /^\/control\/listings\/(\d{1,15})$/,
      run([id], body) {
        const listing = found(id);
        const { price } = valid(priceBody, body);
        return { item: present(market.stock.setPrice(listing.id, Math.round(price * 100)) ?? listing) };
      },
    },
  ];
}

function orderCalls({ market }: ControlParts): readonly ControlCall[] {
  const settled = (
    order: MarketOrder | null,
    id: string | undefined,
    wanted: MarketOrder["state"],
  ): object => {
    if (order === null) throw new ControlError(404, `no order has the transaction id ${id ?? ""}`);
    const isOnItsWay = order.details.confirmation?.arrivesAtMs !== null && order.state === "awaiting";
    if (order.state !== wanted && !isOnItsWay) {
      throw new ControlError(409, `order ${order.id} is ${order.state} and cannot become ${wanted}`);
    }
    return { order: presentOrder(order, market) };
  };
  return [
    {
      method: "GET",
      pattern: /^\/control\/orders$/,
      run: () => ({ orders: market.database.orders.all().map((order) => presentOrder(order, market)) }),
    },
    {
      method: "POST",
      pattern: /^\/control\/orders\/(\d{1,15})\/confirm$/,
      run: ([id]) => settled(market.payments.confirm(Number(id)), id, "paid"),
    },
    {
      method: "POST",
      pattern: /^\/control\/orders\/(\d{1,15})\/cancel$/,
      run: ([id]) => settled(market.cancellations.bySeller(Number(id)), id, "cancelled"),
    },
  ];
}

function presentOrder(order: MarketOrder, market: Market): object {
  const account = market.database.accounts.byId(order.accountId);
  return {
    transaction_id: order.id,
    item_id: order.listingId,
    account: account?.name ?? "",
    total: eur(orderTotalCents(order) ?? 0),
    state: order.state,
    payments: order.details.paymentsTaken,
    payment_requests: order.details.paymentAttempts,
    delivery: order.details.checkout?.pickup?.pointCode ?? (order.details.checkout === null ? null : "home"),
    created_at: Math.floor(order.createdAtMs / 1_000),
  };
}

function historyCalls({ market, clock }: ControlParts): readonly ControlCall[] {
  return [
    {
      method: "POST",
      pattern: /^\/control\/history$/,
      run: (_groups, body) => addHistory(market, body, clock),
    },
    {
      method: "GET",
      pattern: /^\/control\/history$/,
      run: () => ({ given: market.history.given, read: market.history.read }),
    },
    { method: "GET", pattern: /^\/control\/law$/, run: (_groups, _body, { query }) => priceQuartiles(query) },
  ];
}

const MAX_LISTINGS_PER_SECOND = 1_000;

function settingCalls({ faults, counters, pace }: ControlParts): readonly ControlCall[] {
  const paceBody = z.object({ listings_per_second: z.number().min(0).max(MAX_LISTINGS_PER_SECOND) });
  return [
    {
      method: "POST",
      pattern: /^\/control\/pace$/,
      run(_groups, body) {
        pace.setListingsPerSecond(valid(paceBody, body).listings_per_second);
        return { listings_per_second: pace.listingsPerSecond() };
      },
    },
    {
      method: "POST",
      pattern: /^\/control\/faults$/,
      run(_groups, body) {
        if (isClear(body)) faults.clear();
        else faults.arm(body);
        return { armed: faults.armed().map(({ spec, struckCount }) => ({ ...spec, struckCount })) };
      },
    },
    { method: "GET", pattern: /^\/control\/requests$/, run: () => counters.read() },
    {
      method: "POST",
      pattern: /^\/control\/reset-counters$/,
      run() {
        counters.reset();
        return counters.read();
      },
    },
  ];
}

const chatNumber = z.coerce.number().int();

function receiverCalls({ receivers }: ControlParts): readonly ControlCall[] {
  const deviceBody = z.object({
    nom: z.string().min(1).max(200),
    p256dh: z.string().optional(),
    auth: z.string().optional(),
  });
  const writeBody = z.object({ chat: chatNumber, texte: z.string().min(1).max(4_096) });
  const pressBody = z.object({ chat: chatNumber, message_id: z.int(), bouton: z.string().min(1) });
  return [
    {
      method: "POST",
      pattern: /^\/control\/push\/devices$/,
      run(_groups, body, incoming) {
        const { nom, p256dh, auth } = valid(deviceBody, body);
        const keys = p256dh === undefined || auth === undefined ? undefined : { p256dh, auth };
        return { abonnement: receivers.devices.add(nom, originOf(incoming), keys) };
      },
    },
    {
      method: "POST",
      pattern: /^\/control\/telegram\/messages$/,
      run(_groups, body) {
        const { chat, texte } = valid(writeBody, body);
        receivers.chats.write(chat, texte);
        return { ok: true };
      },
    },
    {
      method: "POST",
      pattern: /^\/control\/telegram\/press$/,
      run(_groups, body) {
        const { chat, message_id: messageId, bouton } = valid(pressBody, body);
        const pressed = receivers.chats.press(chat, messageId, bouton);
        if (pressed === null) throw new ControlError(404, `no such button in message ${messageId}`);
        return pressed;
      },
    },
    {
      method: "GET",
      pattern: /^\/control\/telegram\/chats\/(-?\d{1,15})$/,
      run: ([chat]) => ({ messages: receivers.chats.messages(Number(chat)) }),
    },
    {
      method: "GET",
      pattern: /^\/control\/receptions$/,
      run(_groups, _body, { query }) {
        const [channel, recipient] = [query.get("canal"), query.get("pour")];
        const after = valid(receptionNumber, query.get("apres") ?? 0);
        return {
          receptions: receivers.receptions.find({
            ...(channel === null ? {} : { channel }),
            ...(recipient === null ? {} : { recipient }),
            after,
          }),
        };
      },
    },
    {
      method: "POST",
      pattern: /^\/control\/receivers$/,
      run(_groups, body) {
        receivers.receptions.arm(valid(faultBody, body));
        return { armed: receivers.receptions.armed() };
      },
    },
  ];
}

/** A reception's `n`, as a query parameter. */
const receptionNumber = z.coerce.number().int().min(0);

function isClear(body: unknown): boolean {
  return z.object({ clear: z.literal(true) }).safeParse(body).success;
}

function valid<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw new ControlError(400, describeIssue(parsed.error));
  return parsed.data;
}
