import { describeError } from "#domain/error-fields.ts";
import type { Clock } from "#domain/clock.ts";
import type { Log } from "#domain/log.ts";
import type { Faults } from "../faults/faults.ts";
import { isObject } from "../faults/json-surgery.ts";
import { USUAL_CALL_TERMS, type Scene, type Twists } from "../faults/twists.ts";
import type { Market } from "../market/market.ts";
import { orderIdOfCheckout } from "../market/order.ts";
import { Refusal } from "../market/refusal.ts";
import { INTERNAL_ERROR, jsonAnswer, refusalAnswer, type Answer } from "./answer.ts";
import { deliver } from "./deliver.ts";
import type { Endpoint } from "./endpoint.ts";
import { parseJson, type Incoming } from "./incoming.ts";
import type { Line } from "./line.ts";
import type { RequestCounters } from "./request-counters.ts";

/** The marketplace as its callers see it: endpoints, counted, with whatever faults are armed. */
export interface MarketplaceFace {
  owns(path: string): boolean;
  /** Settles when the answer is out or the connection is gone. */
  serve(incoming: Incoming, line: Line): Promise<void>;
}

interface FaceParts {
  readonly market: Market;
  readonly endpoints: readonly Endpoint[];
  readonly faults: Faults;
  readonly counters: RequestCounters;
  readonly clock: Clock;
  readonly log: Log;
}

export function createMarketplaceFace(parts: FaceParts): MarketplaceFace {
  const { market, faults, clock, log } = parts;
  const { holds } = faults;

  const carryOut = (called: Called, twists: Twists): Outcome => {
    market.settleDue();
    try {
      for (const act of twists.before) act(sceneOf(market, called, clock.nowMs()));
      const onDelivered: (() => void)[] = [];
      const content = called.endpoint.run({
        ...called,
        terms: { ...USUAL_CALL_TERMS, ...twists.terms },
        onDelivered: (action) => onDelivered.push(action),
      });
      const rewritten = twists.rewrites.reduce((before, rewrite) => rewrite(before), content);
      return { answer: jsonAnswer(200, rewritten), onDelivered };
    } catch (error) {
      if (error instanceof Refusal) return { answer: refusalAnswer(error.code), onDelivered: [] };
      log.error({ route: called.endpoint.route, ...describeError(error) }, "the sandbox failed a call");
      return { answer: INTERNAL_ERROR, onDelivered: [] };
    }
  };

  /** The client hears something at once, or nothing; what it asked for is done later, whoever still waits for it. */
  const carryOutLate = async (called: Called, twists: Twists, line: Line): Promise<void> => {
    const { afterMs = 0, heard = null } = twists.late ?? {};
    const isDue = holds.wait(afterMs);
    if (heard === null) line.breakOff();
    else await deliver(line, heard, { kind: "whole" }, holds);
    await isDue;
    carryOut(called, twists);
  };

  return {
    owns: (path) => path.startsWith("/api/v2/") || path === "/web/api/auth/refresh",
    async serve(incoming, line) {
      const called = match(parts.endpoints, incoming);
      if (called === null) {
        await deliver(line, refusalAnswer("not_found"), { kind: "whole" }, holds);
        return;
      }
      const { route, method } = called.endpoint;
      parts.counters.note(route);
      const twists = faults.twistsFor({ route, changes: method !== "GET" });
      if (twists.holdMs > 0) await holds.wait(twists.holdMs);
      const isRefused = twists.instead !== null || twists.isWithoutEffect;
      if (twists.late !== null && !isRefused) {
        await carryOutLate(called, twists, line);
        return;
      }
      const { answer, onDelivered } = isRefused
        ? { answer: twists.instead ?? INTERNAL_ERROR, onDelivered: [] }
        : carryOut(called, twists);
      const sent = await deliver(line, twists.disguise?.(answer) ?? answer, twists.delivery, holds);
      if (sent === "delivered" || twists.countsAsDelivered) for (const action of onDelivered) action();
    },
  };
}

interface Outcome {
  readonly answer: Answer;
  readonly onDelivered: readonly (() => void)[];
}

interface Called {
  readonly endpoint: Endpoint;
  readonly id: number;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly authorization: string | undefined;
}

function match(endpoints: readonly Endpoint[], incoming: Incoming): Called | null {
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

function sceneOf(market: Market, called: Called, nowMs: number): Scene {
  const { authorization, body, query } = called;
  return { market, listing: listingOf(market, called), nowMs, authorization, body, query };
}

/** The listing that a call is about, however it names it. */
function listingOf(market: Market, { endpoint, id, body }: Called): Scene["listing"] {
  if (endpoint.route === "conversation") return market.stock.byId(numberAt(body, "item_id"));
  const orderId = endpoint.route === "build" ? boughtOrderId(body) : orderIdOfCheckout(id);
  const order = market.books.orders.byId(orderId);
  return order === null ? null : market.stock.byId(order.listingId);
}

function boughtOrderId(body: unknown): number {
  const items = isObject(body) ? body["purchase_items"] : undefined;
  return Array.isArray(items) ? numberAt(items[0], "id") : 0;
}

/** A member that may be an id; 0, which nothing has, for anything else. */
function numberAt(value: unknown, key: string): number {
  const member = isObject(value) ? value[key] : undefined;
  return typeof member === "number" && Number.isSafeInteger(member) ? member : 0;
}
