import type { z } from "zod";
import type { CancelTerms } from "../market/cancellation.ts";
import type { Market } from "../market/market.ts";
import type { PaymentTerms } from "../market/payment.ts";
import { Refusal } from "../market/refusal.ts";
import { foldText } from "#catalogue/fold-text.ts";
import type { MarketListing, MarketSeller } from "../market/listing.ts";

/** Route names used by faults and counters. */
export const ROUTE_NAMES = [
  "catalog",
  "conversation",
  "build",
  "checkout",
  "points",
  "payment",
  "orders",
  "transaction",
  "user",
  "refresh",
] as const;
export type RouteName = (typeof ROUTE_NAMES)[number];

/** Requests per route since the last reset. */
export interface RequestCounters {
  note(route: RouteName): void;
  reset(): void;
  read(): { readonly total: number; readonly by_route: Readonly<Record<string, number>> };
}

export function createRequestCounters(): RequestCounters {
  const counts = new Map<RouteName, number>();
  const countOf = (route: RouteName): number => counts.get(route) ?? 0;
  return {
    note: (route) => void counts.set(route, countOf(route) + 1),
    reset: () => counts.clear(),
    read: () => ({
      total: ROUTE_NAMES.reduce((sum, route) => sum + countOf(route), 0),
      by_route: Object.fromEntries(ROUTE_NAMES.map((route) => [route, countOf(route)])),
    }),
  };
}

/**
 * A route of the marketplace API. `run` returns the JSON of a 200, or throws a Refusal without any side
 * effect.
 */
export interface Endpoint {
  readonly method: "GET" | "POST" | "PUT";
  /** Matches the whole path; its group, if any, is the resource id. */
  readonly pattern: RegExp;
  readonly route: RouteName;
  readonly run: (call: MarketCall) => unknown;
}

interface MarketCall {
  /** 0 when the path has no id. */
  readonly id: number;
  readonly query: URLSearchParams;
  /** Undefined when the body is not JSON. */
  readonly body: unknown;
  readonly authorization: string | undefined;
  readonly terms: CallTerms;
  /** Registers an action to run after the answer was delivered. */
  readonly onDelivered: (action: () => void) => void;
}

/** How the market treats this call; only armed faults deviate from the defaults. */
export interface CallTerms {
  readonly payment: PaymentTerms;
  readonly cancel: CancelTerms;
  /** The catalogue hides listings published later. */
  readonly catalogueUntilMs: number;
  /** The orders list hides purchases made later. */
  readonly ordersUntilMs: number;
}

export interface EndpointParts {
  readonly market: Market;
  readonly links: Links;
  readonly nowMs: () => number;
}

/** Parses the body with a schema. @throws Refusal `invalid_request` */
export function valid<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw new Refusal("invalid_request");
  return parsed.data;
}

/** The public URLs of items, pictures and confirmation pages. */
export interface Links {
  itemPath(listing: Pick<MarketListing, "id" | "title">): string;
  itemUrl(listing: Pick<MarketListing, "id" | "title">): string;
  photoUrl(listing: Pick<MarketListing, "photoSeed" | "leafId" | "colourIds">): string;
  avatarUrl(seller: MarketSeller): string;
  confirmationUrl(token: string): string;
}

export function createLinks(publicUrl: string): Links {
  // Cached because each listing appears in many answers.
  const paths = new WeakMap<object, string>();
  const itemPath: Links["itemPath"] = (listing) => {
    const known = paths.get(listing);
    if (known !== undefined) return known;
    const path = `/items/${listing.id}${slugOf(listing.title)}`;
    paths.set(listing, path);
    return path;
  };
  return {
    itemPath,
    itemUrl: (listing) => `${publicUrl}${itemPath(listing)}`,
    // The URL holds everything the picture depends on, so it outlives the listing.
    photoUrl: ({ photoSeed, leafId, colourIds }) =>
      `${publicUrl}/photos/${[photoSeed, leafId, ...colourIds].join("-")}.svg`,
    avatarUrl: ({ id }) => `${publicUrl}/avatars/${id}.svg`,
    confirmationUrl: (token) => `${publicUrl}/3ds/${token}`,
  };
}

const MAX_SLUG_LENGTH = 80;

function slugOf(title: string): string {
  const slug = foldText(title)
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, MAX_SLUG_LENGTH);
  return slug === "" ? "" : `-${slug}`;
}
