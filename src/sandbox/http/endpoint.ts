import type { z } from "zod";
import type { CancelTerms } from "../market/cancellation.ts";
import type { Market } from "../market/market.ts";
import type { PaymentTerms } from "../market/payment.ts";
import { Refusal } from "../market/refusal.ts";
import type { Links } from "./links.ts";
import type { RouteName } from "./routes.ts";

/** One call of the marketplace. `run` answers the JSON of a 200, or throws a Refusal and then changed nothing. */
export interface Endpoint {
  readonly method: "GET" | "POST" | "PUT";
  /** The whole path; its one group, if any, is the resource's id. */
  readonly pattern: RegExp;
  readonly route: RouteName;
  readonly run: (call: MarketCall) => unknown;
}

export interface MarketCall {
  /** 0 where the path names none. */
  readonly id: number;
  readonly query: URLSearchParams;
  /** Undefined where it is no JSON. */
  readonly body: unknown;
  readonly authorization: string | undefined;
  readonly terms: CallTerms;
  /** What must be known once the answer is out of the house. */
  readonly onDelivered: (action: () => void) => void;
}

/** How the market treats this one call; only an armed fault makes it anything but the usual. */
export interface CallTerms {
  readonly payment: PaymentTerms;
  readonly cancel: CancelTerms;
  /** The catalogue shows nothing published later. */
  readonly catalogueUntilMs: number;
  /** The orders list knows nothing of what happened later. */
  readonly ordersUntilMs: number;
}

export interface EndpointParts {
  readonly market: Market;
  readonly links: Links;
  readonly nowMs: () => number;
}

/** The body in the shape asked for. @throws Refusal `invalid_request` */
export function valid<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw new Refusal("invalid_request");
  return parsed.data;
}
