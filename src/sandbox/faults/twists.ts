import { USUAL_CANCEL_TERMS } from "../market/cancellation.ts";
import type { Market } from "../market/market.ts";
import type { MarketListing } from "../market/listing.ts";
import { USUAL_TERMS } from "../market/payment.ts";
import type { Answer } from "../http/answer.ts";
import type { CallTerms } from "../http/endpoint.ts";

/**
 * How one request is made to go wrong: what a family of faults decides, and the HTTP face carries out. The stages
 * follow one another as listed, so that several faults can hit one request.
 */
export interface Twists {
  /** Held this long before anything happens. */
  readonly holdMs: number;
  /** Answered with this, and nothing happens. */
  readonly instead: Answer | null;
  /** What somebody else does to the market just before. */
  readonly before: readonly ((scene: Scene) => void)[];
  readonly terms: Partial<CallTerms>;
  /** The client hears something else at once, or nothing; what it asked for happens later, unless it is refused. */
  readonly late: LateEffect | null;
  /** The call is never carried out, although nobody says so. */
  readonly isWithoutEffect: boolean;
  /** What becomes of the content of a good answer. */
  readonly rewrites: readonly ((content: unknown) => unknown)[];
  /** What becomes of the answer's bytes. */
  readonly disguise: ((answer: Answer) => Answer) | null;
  readonly delivery: Delivery;
  /** The marketplace believes that its answer arrived, whatever became of it. */
  readonly countsAsDelivered: boolean;
}

export interface LateEffect {
  readonly afterMs: number;
  /** Null: the connection breaks. */
  readonly heard: Answer | null;
}

/** What an act just before the call can see. */
export interface Scene {
  readonly market: Market;
  /** The listing that the call is about; null for calls about none, or an unknown one. */
  readonly listing: MarketListing | null;
  readonly nowMs: number;
  readonly authorization: string | undefined;
  readonly body: unknown;
  readonly query: URLSearchParams;
}

export type Delivery =
  | { readonly kind: "whole" }
  /** The connection ends after this long, with nothing, or with headers and half of the body sent. */
  | { readonly kind: "cut"; readonly afterMs: number; readonly isHalfSent: boolean }
  /** A byte a second for this long, then the end of the connection. */
  | { readonly kind: "drip"; readonly part: "headers" | "body"; readonly forMs: number };

export const NO_TWISTS: Twists = {
  holdMs: 0,
  instead: null,
  before: [],
  terms: {},
  late: null,
  isWithoutEffect: false,
  rewrites: [],
  disguise: null,
  delivery: { kind: "whole" },
  countsAsDelivered: false,
};

export const USUAL_CALL_TERMS: CallTerms = {
  payment: USUAL_TERMS,
  cancel: USUAL_CANCEL_TERMS,
  catalogueUntilMs: Number.MAX_SAFE_INTEGER,
  ordersUntilMs: Number.MAX_SAFE_INTEGER,
};

/** Both at once: times add up, lists follow one another, and where there can be only one, the first stands. */
export function combineTwists(first: Twists, second: Partial<Twists>): Twists {
  const isFirstWhole = first.delivery.kind === "whole";
  return {
    holdMs: first.holdMs + (second.holdMs ?? 0),
    instead: first.instead ?? second.instead ?? null,
    before: [...first.before, ...(second.before ?? [])],
    terms: { ...second.terms, ...first.terms },
    late: first.late ?? second.late ?? null,
    isWithoutEffect: first.isWithoutEffect || (second.isWithoutEffect ?? false),
    rewrites: [...first.rewrites, ...(second.rewrites ?? [])],
    disguise: first.disguise ?? second.disguise ?? null,
    delivery: isFirstWhole ? (second.delivery ?? first.delivery) : first.delivery,
    countsAsDelivered: first.countsAsDelivered || (second.countsAsDelivered ?? false),
  };
}
