import { categoryById, isLeaf } from "#catalogue/categories.ts";
import { colourByName } from "#catalogue/colours.ts";
import { z } from "zod";
import type { SellerTable } from "../database/seller-table.ts";
import { describeIssue } from "../faults/faults.ts";
import type { MarketSeller, SellerProfile } from "../market/listing.ts";
import type { NewListing } from "../market/stock.ts";
import { hashOf } from "../world/draws.ts";

/** A control call that cannot be carried out; its message says why, in English. */
export class ControlError extends Error {
  override readonly name = "ControlError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const DEFAULT_LEAF_ID = 221;
const MAX_LISTINGS = 1_000;
/** The largest amount that the product accepts. */
const MAX_EUR = 99_999;

const amount = z.number().min(0).max(MAX_EUR);
const seller = z.union([
  z.string().min(1).max(100),
  z.object({
    login: z.string().min(1).max(100),
    id: z.number().int().positive().max(1e12).nullish(),
    /** Null for a seller without ratings. */
    rating: z.number().min(0).max(5).nullable().optional(),
    reviews: z.number().int().min(0).max(1_000_000).optional(),
    country: z
      .string()
      .regex(/^[A-Z]{2}$/)
      .optional(),
  }),
]);

const listingBody = z.object({
  title: z.string().min(1).max(500),
  price: amount,
  brand_title: z.string().max(200).nullish(),
  size_title: z.string().max(100).nullable().default("M"),
  status: z.string().max(100).nullable().default("Très bon état"),
  catalog_id: z.number().int().default(DEFAULT_LEAF_ID),
  color: z.string().nullish(),
  shipping: amount.default(0),
  seller: seller.nullish(),
  secure: z.boolean().default(false),
});
type ListingBody = z.infer<typeof listingBody>;

/** A new listing with its seller's profile; absent profile fields keep their stored values. */
interface NamedListing extends NewListing {
  readonly sellerProfile: Partial<SellerProfile>;
}

/**
 * Parses the body of POST /control/listings: one listing or a list.
 * @param knownSellers the ids of sellers named earlier
 * @throws ControlError naming the first invalid field
 */
export function readNewListings(
  body: unknown,
  knownSellers: Pick<SellerTable, "idOf">,
  most = MAX_LISTINGS,
): readonly NamedListing[] {
  const bodies: readonly unknown[] = Array.isArray(body) ? body : [body];
  if (bodies.length > most) throw new ControlError(400, `at most ${most} listings at a time`);
  const sellerOf = createSellerReader(knownSellers);
  return bodies.map((entry, index) => {
    const parsed = listingBody.safeParse(entry);
    const where = Array.isArray(body) ? `listing ${index}: ` : "";
    if (!parsed.success) throw new ControlError(400, `${where}${describeIssue(parsed.error)}`);
    const facts = { ...toFacts(parsed.data, where, index), seller: sellerOf(parsed.data.seller) };
    return { serial: null, facts, sellerProfile: profileOf(parsed.data.seller ?? "") };
  });
}

function toFacts(body: ListingBody, where: string, index: number): Omit<NewListing["facts"], "seller"> {
  const shippingCents = toCents(body.shipping);
  return {
    title: body.title,
    brandTitle: body.brand_title ?? "",
    sizeTitle: body.size_title ?? "",
    conditionLabel: body.status ?? "",
    leafId: leafIdOf(body.catalog_id, where),
    colourIds: colourIdsOf(body.color ?? "", where),
    priceCents: toCents(body.price),
    homeShippingCents: shippingCents,
    pointShippingCents: shippingCents,
    photoSeed: hashOf(`${body.title} ${index}`),
    favouriteCount: 0,
    isPromoted: false,
    hasBarePrices: false,
    needsConfirmation: body.secure,
    fate: null,
  };
}

function leafIdOf(categoryId: number, where: string): number {
  const category = categoryById(categoryId);
  if (category === undefined)
    throw new ControlError(400, `${where}catalog_id: no category has the id ${categoryId}`);
  if (!isLeaf(category)) {
    throw new ControlError(
      400,
      `${where}catalog_id: ${categoryId} is a branch; listings are filed under leaves`,
    );
  }
  return categoryId;
}

function colourIdsOf(name: string, where: string): readonly number[] {
  if (name === "") return [];
  const colour = colourByName(name);
  if (colour === undefined)
    throw new ControlError(400, `${where}color: "${name}" is no colour of the specification`);
  return colour.marketplaceColourIds;
}

/** Sellers named in control calls get ids outside the range of generated sellers. */
const FIRST_HAND_SELLER_ID = 200_000_000;

const USUAL_SELLER = "vestiaire_de_lea";

/** A seller keeps the id that was given last, in an earlier call or in this one. */
function createSellerReader(
  known: Pick<SellerTable, "idOf">,
): (given: ListingBody["seller"]) => MarketSeller {
  const ids = new Map<string, number>();
  return (given) => {
    const { login, id: givenId } =
      typeof given === "object" && given !== null ? given : { login: given ?? USUAL_SELLER, id: null };
    const id = givenId ?? ids.get(login) ?? known.idOf(login) ?? firstIdOf(login);
    ids.set(login, id);
    return { id, login, hasPhoto: true };
  };
}

function firstIdOf(login: string): number {
  return FIRST_HAND_SELLER_ID + (hashOf(login) % 100_000_000);
}

function profileOf(given: z.infer<typeof seller>): Partial<SellerProfile> {
  if (typeof given === "string") return {};
  const { rating, reviews, country } = given;
  return {
    ...(rating === undefined ? {} : { rating }),
    // Without a rating there are no reviews, unless both are given.
    ...(reviews === undefined ? (rating === null ? { reviews: 0 } : {}) : { reviews }),
    ...(country === undefined ? {} : { country }),
  };
}

function toCents(euros: number): number {
  return Math.round(euros * 100);
}
