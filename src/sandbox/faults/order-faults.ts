import { USUAL_CANCEL_TERMS } from "../market/cancellation.ts";
import { checkoutIdOf, type CheckoutAddress } from "../market/order.ts";
import { USUAL_TERMS } from "../market/payment.ts";
import { INTERNAL_ERROR, refusalAnswer } from "../http/answer.ts";
import { drawListing } from "../world/draw-listing.ts";
import type { FaultHit, FaultKind } from "./fault-kind.ts";
import { changeAt } from "./json-surgery.ts";
import type { Scene, Twists } from "./twists.ts";

/** What goes wrong once a purchase is under way: the list of orders, cancellations, the bank's confirmation. */
export const orderFaults: readonly FaultKind[] = [
  {
    kind: "orders_lag",
    variants: ["lag", "shift", "missing_page", "outside_purchase"],
    routes: ["orders"],
    onlyRoutes: ["orders"],
    defaultDelayMs: 2_000,
    twist: ordersTwist,
  },
  {
    kind: "cancel_refused",
    variants: ["at_once", "later"],
    routes: ["transaction"],
    onlyRoutes: ["transaction"],
    strikesChangesOnly: true,
    defaultDelayMs: 1_000,
    twist: ({ variant, delayMs }) =>
      variant === "later"
        ? { terms: { cancel: { verdict: "refused", decidedAfterMs: delayMs } } }
        : { instead: refusalAnswer("cancel_refused") },
  },
  {
    kind: "cancel_ambiguous",
    variants: ["after_effect", "before_effect", "error_500", "undecided"],
    routes: ["transaction"],
    onlyRoutes: ["transaction"],
    strikesChangesOnly: true,
    defaultDelayMs: 4_000,
    twist: cancelTwist,
  },
  {
    kind: "confirmation_expired",
    variants: ["dead_link", "never", "late"],
    routes: ["payment"],
    onlyRoutes: ["payment"],
    strikesChangesOnly: true,
    defaultDelayMs: 3_000,
    twist: ({ variant, delayMs }) => ({
      terms: {
        payment: {
          ...USUAL_TERMS,
          confirmation: {
            lifetimeMs: variant === "late" ? USUAL_TERMS.confirmation.lifetimeMs : delayMs,
            isLinkDead: variant === "dead_link",
            passesOnAfterMs: variant === "late" ? delayMs : 0,
          },
        },
      },
    }),
  },
];

function ordersTwist({ variant, delayMs, nowMs }: FaultHit): Partial<Twists> {
  switch (variant) {
    case "shift":
      // As when a newer order pushed the page's first onto the page before, after that one was read.
      return { rewrites: [(content) => changeAt(content, ["my_orders"], withoutFirst)] };
    case "missing_page":
      return { rewrites: [(content) => changeAt(content, ["my_orders"], () => [])] };
    case "outside_purchase":
      return { before: [buyElsewhere] };
    default:
      return { terms: { ordersUntilMs: nowMs - delayMs } };
  }
}

function withoutFirst(orders: unknown): unknown {
  return Array.isArray(orders) ? orders.slice(1) : orders;
}

function cancelTwist({ variant, delayMs }: FaultHit): Partial<Twists> {
  switch (variant) {
    case "before_effect":
      return { isWithoutEffect: true, delivery: { kind: "cut", afterMs: 0, isHalfSent: false } };
    case "error_500":
      return { disguise: () => INTERNAL_ERROR };
    case "undecided":
      return { terms: { cancel: { ...USUAL_CANCEL_TERMS, decidedAfterMs: delayMs } } };
    default:
      return { delivery: { kind: "cut", afterMs: 0, isHalfSent: false } };
  }
}

/** The seller of what the person bought elsewhere: it tells whether that has happened yet. */
const ELSEWHERE_SELLER_ID = 299_999_999;
const ELSEWHERE_PRICE_CENTS = 900;

/** The person buys something with another device: an order of theirs that nobody of ours placed. Once per account. */
function buyElsewhere({ market, authorization, nowMs }: Scene): void {
  const account = market.sessions.accountOf(authorization);
  const known = { accountId: account.id, untilMs: Number.MAX_SAFE_INTEGER };
  const orders = market.books.orders.purchasesOf(known, { offset: 0, limit: 1_000 });
  if (orders.some(({ listingId }) => market.stock.byId(listingId)?.seller.id === ELSEWHERE_SELLER_ID)) return;
  const facts = drawListing({ seed: account.id, serial: 0, publishedAtMs: nowMs });
  const [listing] = market.stock.publish([
    {
      serial: null,
      facts: {
        ...facts,
        priceCents: ELSEWHERE_PRICE_CENTS,
        seller: { id: ELSEWHERE_SELLER_ID, login: "vendu_ailleurs", hasPhoto: false },
        needsConfirmation: false,
        fate: null,
      },
    },
  ]);
  if (listing === undefined) return;
  const order = market.trade.openTransaction(account, {
    listingId: listing.id,
    sellerId: ELSEWHERE_SELLER_ID,
  });
  market.trade.build(account, order.id);
  const quoted = market.trade.update(account, checkoutIdOf(order.id), {
    components: {
      payment_method: { pay_in_method_id: 1, card_id: null },
      shipping_address: account.address === null ? ELSEWHERE_ADDRESS : wireAddress(account.address),
      shipping_pickup_options: { pickup_type: 1 },
    },
  });
  const checksum = quoted.details.checkout?.checksum ?? "";
  market.payments.pay(account, { checkoutId: checkoutIdOf(order.id), checksum }, USUAL_TERMS);
}

const ELSEWHERE_ADDRESS = {
  street: "1 place du Marché",
  city: "Lyon",
  postal_code: "69001",
  country_code: "FR",
} as const;

function wireAddress({ street, city, postalCode, countryCode }: CheckoutAddress) {
  return { street, city, postal_code: postalCode, country_code: countryCode };
}
