import { z } from "zod";
import { withoutControls } from "#catalogue/fold-text.ts";

/**
 * The marketplace's answers as schemas: the adapter validates with them, the sandbox serves them. Unknown keys are
 * dropped; everything that is used is checked.
 */

const amountText = z.string().max(20);
export const wireMoney = z.object({ amount: amountText, currency_code: z.string().max(8) });
export type WireMoney = z.infer<typeof wireMoney>;

export const wireId = z.number().int().positive().max(Number.MAX_SAFE_INTEGER);
/** Unix seconds before the year 2100: later ones overflow calculations. */
const unixSeconds = z.number().int().min(0).max(4_102_444_800);
const count = z.number().int().min(0).max(1_000_000_000);
/** Codes, names and parts of addresses. */
const shortText = z.string().max(200);
const degrees = z.number().min(-180).max(180);
/** Text for display only: truncated, so that a long one does not invalidate its answer. */
const shownText = z.string().transform((text) => withoutControls(text.slice(0, 500)));
/** A link that is too long counts as missing. */
const link = z
  .string()
  .nullable()
  .transform((text) => (text === null || text.length > 2_000 ? null : text));

/** GET /api/v2/catalog/items. Items are validated one by one: an invalid one must not hide the others. */
export const wireCatalogPage = z.object({
  items: z.array(z.unknown()).max(200),
  pagination: z.object({
    current_page: count,
    total_pages: count,
    total_entries: count,
    per_page: count,
    time: z.number(),
  }),
  code: z.literal(0),
});

/** POST /api/v2/conversations */
export const wireConversation = z.object({
  conversation: z.object({
    id: wireId,
    transaction: z.object({ id: wireId, item_id: wireId, status: z.number().int() }),
  }),
  code: z.literal(0),
});

export const PICKUP_HOME = 1;
export const PICKUP_POINT = 2;

/** POST …/checkout/build and PUT …/checkout: the complete checkout each time, with a new checksum. */
export const wireCheckout = z.object({
  checkout: z.object({
    /** The purchase id ({pid}) of the following calls. */
    id: wireId,
    checksum: z.string().min(1).max(200),
    components: z.object({
      item_presentation: z.object({ item_id: wireId, total_item_price: wireMoney }),
      payment_method: z.object({ pay_in_method_id: z.number().int(), card_id: z.number().int().nullable() }),
      shipping_address: z
        .object({
          street: shortText,
          city: shortText,
          postal_code: shortText,
          country_code: shortText,
          latitude: degrees,
          longitude: degrees,
        })
        .nullable(),
      shipping_pickup_options: z.object({
        shipping_order_id: wireId,
        pickup_type: z.number().int(),
        home: z.object({ rate_uuid: shortText, price: wireMoney }).nullable(),
      }),
      shipping_pickup_details: z
        .object({ rate_uuid: shortText, point_code: shortText, point_uuid: shortText })
        .nullable(),
    }),
    /** The only complete total: item, protection and shipping. */
    pay_button_v2: z.object({ total: z.object({ price: wireMoney }) }),
  }),
  code: z.literal(0),
});
export type WireCheckout = z.infer<typeof wireCheckout>["checkout"];

/** Body of PUT /api/v2/purchases/{pid}/checkout. */
export const wireCheckoutUpdate = z.object({
  components: z.object({
    payment_method: z.object({ pay_in_method_id: z.number().int(), card_id: z.number().int().nullable() }),
    shipping_address: z.object({
      street: z.string().min(1).max(200),
      city: z.string().min(1).max(100),
      postal_code: z.string().min(4).max(5),
      country_code: z.enum(["FR", "BE", "CH", "LU"]),
    }),
    shipping_pickup_options: z.object({
      pickup_type: z.union([z.literal(PICKUP_HOME), z.literal(PICKUP_POINT)]),
    }),
    shipping_pickup_details: z
      .object({ rate_uuid: shortText, point_code: shortText, point_uuid: shortText })
      .optional(),
  }),
});
export type WireCheckoutUpdate = z.infer<typeof wireCheckoutUpdate>;

const wirePickupPoint = z.object({
  point: z.object({
    uuid: shortText,
    code: shortText,
    name: shownText,
    rate_uuid: shortText,
  }),
});

/**
 * GET /api/v2/shipping_orders/{sid}/nearby_pickup_points; what a point costs is in the quote with it. An invalid point is
 * left out and hides no other.
 */
export const wirePickupPoints = z.object({
  shipping_points: z
    .array(wirePickupPoint.nullable().catch(null))
    .transform((points) => points.filter((point) => point !== null)),
  code: z.literal(0),
});

/** POST and GET /api/v2/purchases/{pid}/checkout/payment */
export const wirePayment = z.object({
  payment: z.object({
    status: z.enum(["success", "pending", "preparing", "failure"]),
    transaction_id: wireId,
    item_id: wireId,
    total: wireMoney,
    /** The reason of a failure: a key of `REFUSALS`, or "not_confirmed". */
    failure_code: z.string().max(100).nullish(),
  }),
  action: z.object({ type: shortText, parameters: z.object({ url: link }) }).nullish(),
  code: z.literal(0),
});
export type WirePayment = z.infer<typeof wirePayment>;

/** Order states of GET /api/v2/transactions/{id} and my_orders. */
export const TRANSACTION_STATUS = {
  open: 1,
  awaiting: 200,
  paid: 230,
  shipped: 300,
  cancelled: 510,
  failed: 520,
} as const;

/** GET /api/v2/transactions/{id} */
export const wireTransaction = z.object({
  transaction: z.object({
    id: wireId,
    item_id: wireId,
    status: z.number().int(),
    total: wireMoney.nullable(),
    /** Set from the buyer's request until the seller or the marketplace answers it. */
    cancellation: z.enum(["none", "requested", "refused", "granted"]),
    confirmation_url: link,
    created_at: z.number(),
  }),
  code: z.literal(0),
});
export type WireTransaction = z.infer<typeof wireTransaction>["transaction"];

/** GET /api/v2/my_orders?type=purchased&status=all&page&per_page, newest first. */
export const wireOrders = z.object({
  my_orders: z
    .array(
      z.object({
        transaction_id: wireId,
        conversation_id: wireId,
        item_id: wireId,
        title: shownText,
        price: wireMoney,
        status: z.number().int(),
        /** An invalid date makes the whole page unreadable, because it decides how far back the orders are read. */
        date: unixSeconds,
        photo: z.object({ url: z.string() }).nullish(),
      }),
    )
    .max(500),
  pagination: z.object({
    current_page: count,
    total_pages: count,
    total_entries: count,
    per_page: count,
  }),
  code: z.literal(0),
});

/** POST /web/api/auth/refresh {"refresh_token"}: rotates both tokens. */
export const wireTokens = z.object({
  access_token: z.string().min(1).max(8_192),
  refresh_token: z.string().min(1).max(4_096),
  /** In seconds. Not validated further: the pair must be kept, because the former one is invalid. */
  expires_in: z.number(),
  code: z.literal(0),
});

/** GET /api/v2/users/{id} */
export const wireSeller = z.object({
  user: z.object({
    id: wireId,
    login: z.string().max(100),
    /** A fraction of the best reputation. */
    feedback_reputation: z.number().min(0).max(1).nullish(),
    feedback_count: count.nullish(),
    country_code: z.string().max(20).nullish(),
  }),
  code: z.literal(0),
});
export type WireSeller = z.infer<typeof wireSeller>["user"];

/** Every refusal; a non-zero code is an error even with 200. */
export const wireRefusal = z.object({ code: z.number().int(), message_code: z.string().max(100) });

/** The refusals that prove that the call had no effect: `message_code`, HTTP status, `code`. */
export const REFUSALS = {
  invalid_authentication_token: { status: 401, code: 100 },
  invalid_refresh_token: { status: 401, code: 101 },
  not_found: { status: 404, code: 104 },
  access_denied: { status: 403, code: 106 },
  too_many_requests: { status: 429, code: 107 },
  item_sold: { status: 409, code: 201 },
  item_reserved: { status: 409, code: 202 },
  item_withdrawn: { status: 410, code: 203 },
  /** The checksum is not that of the last quote: price or shipping changed. */
  price_changed: { status: 409, code: 204 },
  insufficient_funds: { status: 422, code: 205 },
  address_invalid: { status: 422, code: 206 },
  payment_refused: { status: 422, code: 207 },
  cancel_refused: { status: 409, code: 208 },
  invalid_request: { status: 400, code: 99 },
} as const;
export type RefusalCode = keyof typeof REFUSALS;
