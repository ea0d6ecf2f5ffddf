import type { RouteName, CallTerms } from "../http/endpoint.ts";
import type { Draws } from "../world/draws.ts";
import { USUAL_CANCEL_TERMS } from "../market/cancellation.ts";
import type { Market } from "../market/market.ts";
import type { MarketListing } from "../market/listing.ts";
import { USUAL_TERMS } from "../market/payment.ts";
import type { Answer } from "../http/messages.ts";

/** One kind of fault that can be armed. */
export interface FaultKind {
  readonly kind: string;
  /** The first is the default; "any" picks one at random for each request. */
  readonly variants: readonly [string, ...string[]];
  /** The routes it strikes when none is named. */
  readonly routes: readonly RouteName[];
  /** The routes it may be armed on; all of them by default. */
  readonly onlyRoutes?: readonly RouteName[];
  /** Strikes only POST and PUT calls, never a GET on the same route. */
  readonly strikesChangesOnly?: true;
  /** Variants that strike runs of this many consecutive requests. */
  readonly burstOf?: Readonly<Record<string, number>>;
  /** The default delay; shorter than the time the product waits for late effects. */
  readonly defaultDelayMs: number;
  readonly inject: (hit: FaultHit) => Partial<Injection>;
}

/** A request that a fault strikes, with the fault's parameters. */
export interface FaultHit {
  readonly variant: string;
  readonly route: RouteName;
  readonly delayMs: number;
  /** The delay was given explicitly. */
  readonly isDelayGiven: boolean;
  /** The Retry-After value, when given explicitly. */
  readonly retryAfter: string | null;
  readonly armedAtMs: number;
  readonly nowMs: number;
  readonly draws: Draws;
}

/**
 * The faults injected into the handling of one request. The stages run in the order listed, so that several
 * faults can strike the same request.
 */
export interface Injection {
  /** Delay before the call is processed. */
  readonly holdMs: number;
  /** Replaces the call: this is sent and nothing is executed. */
  readonly instead: Answer | null;
  /** Changes to the market just before the call, such as a competing purchase. */
  readonly before: readonly ((context: RequestContext) => void)[];
  readonly terms: Partial<CallTerms>;
  /** The client gets another answer or a reset immediately; the call is executed later. */
  readonly late: LateEffect | null;
  /** The call is not executed, although its answer does not say so. */
  readonly isSkipped: boolean;
  /** Applied to the JSON content of a successful answer. */
  readonly contentRewrites: readonly ((content: unknown) => unknown)[];
  /** Applied to the complete answer. */
  readonly rewriteAnswer: ((answer: Answer) => Answer) | null;
  readonly delivery: Delivery;
  /** The marketplace treats the answer as delivered even if it was not. */
  readonly countsAsDelivered: boolean;
}

interface LateEffect {
  readonly afterMs: number;
  /** Null resets the connection. */
  readonly answer: Answer | null;
}

/** The request as seen by functions in `before`. */
export interface RequestContext {
  readonly market: Market;
  /** The listing that the call concerns; null when there is none or it is unknown. */
  readonly listing: MarketListing | null;
  readonly nowMs: number;
  readonly authorization: string | undefined;
  readonly body: unknown;
  readonly query: URLSearchParams;
}

export type Delivery =
  | { readonly kind: "whole" }
  /** The connection is reset after this delay, with nothing or with half of the answer sent. */
  | { readonly kind: "cut"; readonly afterMs: number; readonly isHalfSent: boolean }
  /** Sends one byte per second for this long, then resets the connection. */
  | { readonly kind: "drip"; readonly part: "headers" | "body"; readonly forMs: number };

export const NO_INJECTION: Injection = {
  holdMs: 0,
  instead: null,
  before: [],
  terms: {},
  late: null,
  isSkipped: false,
  contentRewrites: [],
  rewriteAnswer: null,
  delivery: { kind: "whole" },
  countsAsDelivered: false,
};

export const USUAL_CALL_TERMS: CallTerms = {
  payment: USUAL_TERMS,
  cancel: USUAL_CANCEL_TERMS,
  catalogueUntilMs: Number.MAX_SAFE_INTEGER,
  ordersUntilMs: Number.MAX_SAFE_INTEGER,
};

/** Merges two injections: delays add up, lists are concatenated, otherwise the first one wins. */
export function combineInjections(first: Injection, second: Partial<Injection>): Injection {
  const isFirstWhole = first.delivery.kind === "whole";
  return {
    holdMs: first.holdMs + (second.holdMs ?? 0),
    instead: first.instead ?? second.instead ?? null,
    before: [...first.before, ...(second.before ?? [])],
    terms: { ...second.terms, ...first.terms },
    late: first.late ?? second.late ?? null,
    isSkipped: first.isSkipped || (second.isSkipped ?? false),
    contentRewrites: [...first.contentRewrites, ...(second.contentRewrites ?? [])],
    rewriteAnswer: first.rewriteAnswer ?? second.rewriteAnswer ?? null,
    delivery: isFirstWhole ? (second.delivery ?? first.delivery) : first.delivery,
    countsAsDelivered: first.countsAsDelivered || (second.countsAsDelivered ?? false),
  };
}

/** Edits JSON content at a path, without mutating it. */
type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Replaces the value at a path; "*" matches every element of a list. A path that does not exist changes
 * nothing.
 * @param change returns the new value, or undefined to remove the member
 */
export function changeAt(
  content: unknown,
  path: readonly string[],
  change: (value: unknown) => unknown,
): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return change(content);
  if (step === "*") {
    return Array.isArray(content)
      ? content.map((element: unknown) => changeAt(element, rest, change))
      : content;
  }
  if (!isObject(content) || !(step in content)) return content;
  const changed = changeAt(content[step], rest, change);
  const members = Object.entries(content).filter(([name]) => name !== step);
  return Object.fromEntries(changed === undefined ? members : [...members, [step, changed]]);
}

/** Renames the last member of a path. */
export function renameAt(content: unknown, path: readonly string[], name: string): unknown {
  const last = path.at(-1);
  if (last === undefined) return content;
  return changeAt(content, path.slice(0, -1), (parent) => {
    if (!isObject(parent) || !(last in parent)) return parent;
    return Object.fromEntries(
      Object.entries(parent).map(([key, value]) => [key === last ? name : key, value]),
    );
  });
}
