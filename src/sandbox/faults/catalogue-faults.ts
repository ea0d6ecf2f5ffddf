import { drawListing } from "../world/draw-listing.ts";
import { readCatalogueQuery } from "../market/search-index.ts";
import {
  type FaultKind,
  type RequestContext,
  changeAt,
  isObject,
  type FaultHit,
  type Injection,
} from "./injection.ts";
import { Refusal } from "../market/refusal.ts";
import type { Stock } from "../market/stock.ts";
import type { RouteName } from "../http/endpoint.ts";
import { USUAL_TERMS } from "../market/payment.ts";

const onCatalogue = { routes: ["catalog"], onlyRoutes: ["catalog"], defaultDelayMs: 0 } as const;

/** A catalogue that is empty, stale, overflowing or out of order. */
export const feedFaults: readonly FaultKind[] = [
  {
    ...onCatalogue,
    kind: "empty_feed",
    variants: ["empty"],
    inject: () => ({ contentRewrites: [emptied] }),
  },
  {
    ...onCatalogue,
    kind: "frozen_feed",
    variants: ["frozen"],
    inject: ({ armedAtMs }) => ({ terms: { catalogueUntilMs: armedAtMs } }),
  },
  {
    ...onCatalogue,
    kind: "page_overflow",
    variants: ["burst"],
    inject: () => ({ before: [publishMoreThanAPage] }),
  },
  {
    ...onCatalogue,
    kind: "promoted",
    variants: ["lifted"],
    inject: () => ({ contentRewrites: [(content) => changeAt(content, ["items"], withOldestPromoted)] }),
  },
];

function emptied(content: unknown): unknown {
  const withoutItems = changeAt(content, ["items"], () => []);
  return changeAt(
    changeAt(withoutItems, ["pagination", "total_entries"], () => 0),
    ["pagination", "total_pages"],
    () => 0,
  );
}

const PAGES_TOO_MANY = 1.5;

/** Publishes more listings in the requested categories than fit on a page. */
function publishMoreThanAPage({ market, query, nowMs }: RequestContext): void {
  const { leafIds, perPage } = readCatalogueQuery(query);
  const leaves = [...(leafIds ?? [])];
  const newListings = Array.from({ length: Math.ceil(perPage * PAGES_TOO_MANY) }, (_unused, index) => {
    const leafId = leaves[index % Math.max(1, leaves.length)];
    const serial = nowMs + index;
    const facts = drawListing({
      seed: 0,
      serial,
      publishedAtMs: nowMs,
      ...(leafId === undefined ? {} : { leafId }),
    });
    return { serial, facts: { ...facts, fate: null } };
  });
  market.stock.publish(newListings);
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

const PROMOTED_COUNT = 3;

/** Moves the oldest listings of the page to its top, marked as promoted. */
function withOldestPromoted(items: unknown): unknown {
  if (!isList(items)) return items;
  const promoted = items
    .slice(-PROMOTED_COUNT)
    .map((item) => (isObject(item) ? { ...item, promoted: true } : item));
  return [...promoted, ...items.slice(0, -PROMOTED_COUNT)];
}

/** The steps of a purchase, at each of which another buyer can win. */
const BUYING_ROUTES = ["conversation", "build", "checkout", "payment"] as const;

/** Other people who act first: competing buyers, and sellers who withdraw. */
export const rivalry: readonly FaultKind[] = [
  {
    kind: "sold_first",
    variants: ["sold", "reserved"],
    routes: BUYING_ROUTES,
    onlyRoutes: BUYING_ROUTES,
    strikesChangesOnly: true,
    defaultDelayMs: 3_000,
    inject: ({ variant, delayMs }) => ({
      before: [
        onAvailable((stock, { id, nowMs }) => {
          if (variant === "reserved") stock.setState(id, "reserved", nowMs + delayMs);
          else stock.setState(id, "sold");
        }),
      ],
    }),
  },
  {
    kind: "withdrawn",
    variants: ["gone_410", "gone_404", "hidden", "relisted"],
    routes: BUYING_ROUTES,
    onlyRoutes: BUYING_ROUTES,
    strikesChangesOnly: true,
    defaultDelayMs: 3_000,
    inject: ({ variant, delayMs }) => ({
      before: [
        onAvailable((stock, { id, nowMs }) => withdraw(stock, { id, variant, untilMs: nowMs + delayMs })),
      ],
    }),
  },
];

/** Applies a change to the listing of the call while it is available. */
function onAvailable(
  act: (stock: Stock, at: { id: number; nowMs: number }) => void,
): (context: RequestContext) => void {
  return ({ market, listing, nowMs }) => {
    if (listing?.state === "available") act(market.stock, { id: listing.id, nowMs });
  };
}

function withdraw(stock: Stock, how: { id: number; variant: string; untilMs: number }): void {
  const { id, variant } = how;
  if (variant === "hidden") {
    // Hidden temporarily, as sellers can do.
    stock.setState(id, "reserved", how.untilMs);
    throw new Refusal("not_found");
  }
  const withdrawn = stock.setState(id, "withdrawn");
  if (variant === "gone_404") throw new Refusal("not_found");
  if (variant === "relisted" && withdrawn !== null)
    stock.publish([{ facts: withdrawn, serial: withdrawn.serial }]);
}

const PRICE_ROUTES = ["build", "checkout", "payment"] as const;
const ADDED_SHIPPING_CENTS = 350;
const ADDED_FEE_CENTS = 130;
const MOST_CHANGE_PERCENT = 50;

/** Paths of the amounts in the answers of each route. */
const AMOUNT_PATHS: Partial<Readonly<Record<RouteName, readonly (readonly string[])[]>>> = {
  catalog: [["items", "*", "total_item_price"]],
  build: [
    ["checkout", "components", "item_presentation", "total_item_price"],
    ["checkout", "pay_button_v2", "total", "price"],
  ],
  checkout: [
    ["checkout", "components", "item_presentation", "total_item_price"],
    ["checkout", "pay_button_v2", "total", "price"],
  ],
  payment: [["payment", "total"]],
};

/** Prices that change between two calls, and malformed amounts. */
export const priceFaults: readonly FaultKind[] = [
  {
    kind: "price_changed",
    variants: ["up", "down", "shipping", "fee", "currency", "zero", "negative", "nan", "exponent", "comma"],
    routes: PRICE_ROUTES,
    onlyRoutes: ["catalog", ...PRICE_ROUTES],
    defaultDelayMs: 0,
    inject: priceInjection,
  },
];

function priceInjection(hit: FaultHit): Partial<Injection> {
  const { variant, route, draws } = hit;
  const odd = ODD_AMOUNTS[variant];
  if (odd !== undefined) return { contentRewrites: [withAmounts(route, odd)] };
  if (variant === "shipping" && route !== "catalog") return { before: [addShipping] };
  if (variant === "fee" || variant === "shipping") {
    // Quotes show it; the payment charges it without having shown it.
    if (route === "payment") return { terms: { payment: { ...USUAL_TERMS, extraCents: ADDED_FEE_CENTS } } };
    return { contentRewrites: [withAmounts(route, (amount) => added(amount, ADDED_FEE_CENTS))] };
  }
  const percent = draws.whole(1, MOST_CHANGE_PERCENT) * (variant === "down" ? -1 : 1);
  if (route === "catalog")
    return { contentRewrites: [withAmounts(route, (amount) => scaled(amount, percent))] };
  return { before: [(context) => movePrice(context, percent)] };
}

function movePrice({ market, listing }: RequestContext, percent: number): void {
  if (listing?.state !== "available") return;
  // At least one cent, so that the price really changes.
  const changeCents =
    Math.sign(percent) * Math.max(1, Math.round((listing.priceCents * Math.abs(percent)) / 100));
  market.stock.setPrice(listing.id, Math.max(1, listing.priceCents + changeCents));
}

function addShipping({ market, listing }: RequestContext): void {
  if (listing?.state === "available") market.stock.addShipping(listing.id, ADDED_SHIPPING_CENTS);
}

type ChangeAmount = (amount: unknown) => unknown;

const ODD_AMOUNTS: Readonly<Record<string, ChangeAmount>> = {
  currency: (amount) => (isObject(amount) ? { ...amount, currency_code: "USD" } : amount),
  zero: (amount) => withText(amount, "0.0"),
  negative: (amount) => withText(amount, "-5.0"),
  nan: (amount) => withText(amount, "NaN"),
  exponent: (amount) => withText(amount, "1e3"),
  comma: (amount) => withText(amount, "12,50"),
};

function withAmounts(route: RouteName, change: ChangeAmount): (content: unknown) => unknown {
  return (content) =>
    (AMOUNT_PATHS[route] ?? []).reduce((before, path) => changeAt(before, path, change), content);
}

/** Some listings have amounts as plain strings. */
function withText(amount: unknown, text: string): unknown {
  return isObject(amount) ? { ...amount, amount: text } : text;
}

function centsIn(amount: unknown): number {
  return Math.round(Number(isObject(amount) ? amount["amount"] : amount) * 100);
}

function added(amount: unknown, cents: number): unknown {
  return withText(amount, String((centsIn(amount) + cents) / 100));
}

function scaled(amount: unknown, percent: number): unknown {
  return withText(amount, String(Math.round((centsIn(amount) * (100 + percent)) / 100) / 100));
}
