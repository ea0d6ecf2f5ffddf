import { parseJson } from "#domain/json.ts";
import { describeError, type Log } from "#domain/log.ts";
import type { Clock } from "#domain/clock.ts";
import type { Delays, Faults } from "../faults/faults.ts";
import { isObject, USUAL_CALL_TERMS, type RequestContext, type Injection } from "../faults/injection.ts";
import type { Market } from "../market/market.ts";
import { orderIdOfCheckout } from "../market/order.ts";
import { Refusal } from "../market/refusal.ts";
import { INTERNAL_ERROR, jsonAnswer, refusalAnswer, type Answer, type Incoming } from "./messages.ts";
import { deliver, type ClientConnection } from "./client-connection.ts";
import type { Endpoint, RequestCounters } from "./endpoint.ts";

/** The HTTP API of the marketplace, with request counters and injected faults. */
export interface MarketplaceApi {
  owns(path: string): boolean;
  /** Settles when the answer was sent or the connection closed. */
  serve(incoming: Incoming, connection: ClientConnection): Promise<void>;
}

interface ApiParts {
  readonly market: Market;
  readonly endpoints: readonly Endpoint[];
  readonly faults: Faults;
  readonly counters: RequestCounters;
  readonly clock: Clock;
  readonly log: Log;
}

export function createMarketplaceApi(parts: ApiParts): MarketplaceApi {
  const { market, faults, clock, log } = parts;

  const execute = (called: MatchedCall, injection: Injection): Outcome => {
    market.settleDue();
    try {
      for (const act of injection.before) act(contextOf(market, called, clock.nowMs()));
      const onDelivered: (() => void)[] = [];
      const content = called.endpoint.run({
        ...called,
        terms: { ...USUAL_CALL_TERMS, ...injection.terms },
        onDelivered: (action) => onDelivered.push(action),
      });
      const rewritten = injection.contentRewrites.reduce((before, rewrite) => rewrite(before), content);
      return { answer: jsonAnswer(200, rewritten), onDelivered };
    } catch (error) {
      if (error instanceof Refusal) return { answer: refusalAnswer(error.code), onDelivered: [] };
      log.error({ route: called.endpoint.route, ...describeError(error) }, "the sandbox failed a call");
      return { answer: INTERNAL_ERROR, onDelivered: [] };
    }
  };

  /** Answers or resets immediately and executes the call later. */
  const executeLate = async (
    called: MatchedCall,
    injection: Injection,
    { connection, delays }: { connection: ClientConnection; delays: Delays },
  ): Promise<void> => {
    const { afterMs = 0, answer = null } = injection.late ?? {};
    const isDue = delays.wait(afterMs);
    if (answer === null) connection.reset();
    else await deliver(connection, answer, { kind: "whole" }, delays);
    await isDue;
    execute(called, injection);
  };

  return {
    owns: (path) => path.startsWith("/api/v2/") || path === "/web/api/auth/refresh",
    async serve(incoming, connection) {
      const delays = faults.delays();
      const called = match(parts.endpoints, incoming);
      if (called === null) {
        await deliver(connection, refusalAnswer("not_found"), { kind: "whole" }, delays);
        return;
      }
      const { route, method } = called.endpoint;
      parts.counters.note(route);
      const injection = faults.injectionFor({ route, changes: method !== "GET" });
      if (injection.holdMs > 0) await delays.wait(injection.holdMs);
      const isRefused = injection.instead !== null || injection.isSkipped;
      if (injection.late !== null && !isRefused) {
        await executeLate(called, injection, { connection, delays });
        return;
      }
      const { answer, onDelivered } = isRefused
        ? { answer: injection.instead ?? INTERNAL_ERROR, onDelivered: [] }
        : execute(called, injection);
      const sent = await deliver(
        connection,
        injection.rewriteAnswer?.(answer) ?? answer,
        injection.delivery,
        delays,
      );
      if (sent === "delivered" || injection.countsAsDelivered) for (const action of onDelivered) action();
    },
  };
}

interface Outcome {
  readonly answer: Answer;
  readonly onDelivered: readonly (() => void)[];
}

interface MatchedCall {
  readonly endpoint: Endpoint;
  readonly id: number;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly authorization: string | undefined;
}

function match(endpoints: readonly Endpoint[], incoming: Incoming): MatchedCall | null {
  for (const endpoint of endpoints) {
    if (endpoint.method !== incoming.method) continue;
    const found = endpoint.pattern.exec(incoming.path);
    if (found === null) continue;
    return {
      endpoint,
      id: Number(found[1] ?? 0),
      query: incoming.query,
      body: incoming.body === "" ? undefined : parseJson(incoming.body),
      authorization: incoming.headers.authorization,
    };
  }
  return null;
}

function contextOf(market: Market, called: MatchedCall, nowMs: number): RequestContext {
  const { authorization, body, query } = called;
  return { market, listing: listingOf(market, called), nowMs, authorization, body, query };
}

function listingOf(market: Market, { endpoint, id, body }: MatchedCall): RequestContext["listing"] {
  if (endpoint.route === "conversation") return market.stock.byId(numberAt(body, "item_id"));
  const orderId = endpoint.route === "build" ? boughtOrderId(body) : orderIdOfCheckout(id);
  const order = market.database.orders.byId(orderId);
  return order === null ? null : market.stock.byId(order.listingId);
}

function boughtOrderId(body: unknown): number {
  const items = isObject(body) ? body["purchase_items"] : undefined;
  return Array.isArray(items) ? numberAt(items[0], "id") : 0;
}

/** The member as an id, or 0, which no record has. */
function numberAt(value: unknown, key: string): number {
  const member = isObject(value) ? value[key] : undefined;
  return typeof member === "number" && Number.isSafeInteger(member) ? member : 0;
}
