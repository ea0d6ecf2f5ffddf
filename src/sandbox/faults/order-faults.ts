import { USUAL_CANCEL_TERMS } from "../market/cancellation.ts";
import { checkoutIdOf, type CheckoutAddress } from "../market/order.ts";
import { USUAL_TERMS } from "../market/payment.ts";
import { INTERNAL_ERROR, refusalAnswer } from "../http/messages.ts";
import { drawListing } from "../world/draw-listing.ts";
import { type FaultHit, type FaultKind, type RequestContext, type Injection, changeAt } from "./injection.ts";

/** Faults after a purchase: the list of orders, cancellations, 3-D Secure confirmation. */
export const orderFaults: readonly FaultKind[] = [
  {
    kind: "orders_lag",
    variants: ["lag", "shift", "missing_page", "outside_purchase"],
    routes: ["orders"],
    onlyRoutes: ["orders"],
    defaultDelayMs: 2_000,
    inject: ordersInjection,
  },
  {
    kind: "cancel_refused",
    variants: ["at_once", "later"],
    routes: ["transaction"],
    onlyRoutes: ["transaction"],
    strikesChangesOnly: true,
    defaultDelayMs: 1_000,
    inject: ({ variant, delayMs }) =>
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
    inject: cancelInjection,
  },
  {
    kind: "confirmation_expired",
    variants: ["dead_link", "never", "late"],
    routes: ["payment"],
    onlyRoutes: ["payment"],
    strikesChangesOnly: true,
    defaultDelayMs: 3_000,
    inject: ({ variant, delayMs }) => ({
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

function ordersInjection({ variant, delayMs, nowMs }: FaultHit): Partial<Injection> {
  switch (variant) {
    case "shift":
      // As if a new order had shifted the pages between two reads.
      return { contentRewrites: [(content) => changeAt(content, ["my_orders"], withoutFirst)] };
    case "missing_page":
      return { contentRewrites: [(content) => changeAt(content, ["my_orders"], () => [])] };
    case "outside_purchase":
      return { before: [buyElsewhere] };
    default:
      return { terms: { ordersUntilMs: nowMs - delayMs } };
  }
}

function withoutFirst(orders: unknown): unknown {
  return Array.isArray(orders) ? orders.slice(1) : orders;
}

function cancelInjection({ variant, delayMs }: FaultHit): Partial<Injection> {
  switch (variant) {
    case "before_effect":
      return { isSkipped: true, delivery: { kind: "cut", afterMs: 0, isHalfSent: false } };
    case "error_500":
      return { rewriteAnswer: () => INTERNAL_ERROR };
    case "undecided":
      return { terms: { cancel: { ...USUAL_CANCEL_TERMS, decidedAfterMs: delayMs } } };
    default:
      return { delivery: { kind: "cut", afterMs: 0, isHalfSent: false } };
  }
}

/** The seller of purchases made elsewhere; marks accounts that already have one. */
const ELSEWHERE_SELLER_ID = 299_999_999;
const ELSEWHERE_PRICE_CENTS = 900;

/** The person buys something outside the product, once per account. */
function buyElsewhere({ market, authorization, nowMs }: RequestContext): void {
  const account = market.sessions.accountOf(authorization);
  const known = { accountId: account.id, untilMs: Number.MAX_SAFE_INTEGER };
  const orders = market.database.orders.purchasesOf(known, { offset: 0, limit: 1_000 });
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
  const order = market.checkouts.openTransaction(account, {
    listingId: listing.id,
    sellerId: ELSEWHERE_SELLER_ID,
  });
  market.checkouts.build(account, order.id);
  const quoted = market.checkouts.update(account, checkoutIdOf(order.id), {
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
