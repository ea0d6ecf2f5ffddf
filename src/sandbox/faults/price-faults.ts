import type { RouteName } from "../http/routes.ts";
import { USUAL_TERMS } from "../market/payment.ts";
import type { FaultHit, FaultKind } from "./fault-kind.ts";
import { changeAt, isObject } from "./json-surgery.ts";
import type { Scene, Twists } from "./twists.ts";

const PRICE_ROUTES = ["build", "checkout", "payment"] as const;
const ADDED_SHIPPING_CENTS = 350;
const ADDED_FEE_CENTS = 130;
const MOST_CHANGE_PERCENT = 50;

/** Where an answer of each route says what is to be paid. */
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

/** Prices that move between two calls, and amounts that no honest marketplace writes. */
export const priceFaults: readonly FaultKind[] = [
  {
    kind: "price_changed",
    variants: ["up", "down", "shipping", "fee", "currency", "zero", "negative", "nan", "exponent", "comma"],
    routes: PRICE_ROUTES,
    onlyRoutes: ["catalog", ...PRICE_ROUTES],
    defaultDelayMs: 0,
    twist: priceTwist,
  },
];

function priceTwist(hit: FaultHit): Partial<Twists> {
  const { variant, route, draws } = hit;
  const odd = ODD_AMOUNTS[variant];
  if (odd !== undefined) return { rewrites: [withAmounts(route, odd)] };
  if (variant === "shipping" && route !== "catalog") return { before: [addShipping] };
  if (variant === "fee" || variant === "shipping") {
    // Quotes print it; at the payment it is simply taken, as only a lying marketplace does.
    if (route === "payment") return { terms: { payment: { ...USUAL_TERMS, extraCents: ADDED_FEE_CENTS } } };
    return { rewrites: [withAmounts(route, (amount) => added(amount, ADDED_FEE_CENTS))] };
  }
  const percent = draws.whole(1, MOST_CHANGE_PERCENT) * (variant === "down" ? -1 : 1);
  if (route === "catalog") return { rewrites: [withAmounts(route, (amount) => scaled(amount, percent))] };
  return { before: [(scene) => movePrice(scene, percent)] };
}

function movePrice({ market, listing }: Scene, percent: number): void {
  if (listing?.state !== "available") return;
  // At least a cent, so that the change can be seen.
  const changeCents =
    Math.sign(percent) * Math.max(1, Math.round((listing.priceCents * Math.abs(percent)) / 100));
  market.stock.setPrice(listing.id, Math.max(1, listing.priceCents + changeCents));
}

function addShipping({ market, listing }: Scene): void {
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

/** Amounts are bare texts on some listings. */
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
