import { leafIds } from "#catalogue/categories.ts";
import { conditionById, type ConditionId } from "#catalogue/conditions.ts";
import {
  categoryWeight,
  conditionShares,
  MEDIAN_FAVOURITES,
  PROMOTED_SHARE,
} from "#catalogue/simulation-priors.ts";
import { HOUR_MS, MINUTE_MS } from "#domain/clock.ts";
import type { ListingFacts, Fate, MarketSeller, SellerProfile } from "../market/listing.ts";
import {
  departmentOf,
  drawBrand,
  type Department,
  drawColours,
  drawPriceCents,
  drawSizeTitle,
} from "./draw-attributes.ts";
import { drawsFor, weightedChoice, type Draws } from "./draws.ts";
import { kindOf, type Kind } from "./kinds.ts";
import { drawTitle } from "./titles.ts";
import names from "./data/seller-names.json" with { type: "json" };

interface ListingNumber {
  readonly seed: number;
  readonly serial: number;
  readonly publishedAtMs: number;
  /** Drawn by category weight by default. */
  readonly leafId?: number;
}

const leafChoice = weightedChoice(leafIds.map((id) => [id, categoryWeight(id)] as const));
const conditionChoice = weightedChoice<ConditionId>([
  [6, conditionShares[6]],
  [1, conditionShares[1]],
  [2, conditionShares[2]],
  [3, conditionShares[3]],
  [4, conditionShares[4]],
]);

/** Listings whose seller left the brand field empty although the item has one. */
const FORGOTTEN_BRAND_SHARE = 0.02;
const BARE_PRICES_SHARE = 0.005;
const CONFIRMATION_SHARE = 0.03;
const MAX_PHOTO_SEED = 2 ** 31 - 1;

/** Generates the listing with this number from the seed. Pure. */
export function drawListing(asked: ListingNumber): ListingFacts {
  const { seed, serial, publishedAtMs } = asked;
  const draws = drawsFor(seed, "listing", serial);
  const leafId = asked.leafId ?? leafChoice(draws);
  const department = departmentOf(leafId);
  const kind = kindOf(leafId);
  const brand = drawBrand(department, draws);
  const conditionId = conditionChoice(draws);
  const sizeTitle = drawSizeTitle(leafId, draws);
  const colourIds = coloursOf(department, kind, draws);
  const photoSeed = draws.whole(1, MAX_PHOTO_SEED);
  const priceCents = drawPriceCents({ leafId, brand, conditionId }, draws);
  const brandTitle = brand?.title ?? "";
  const subject = { leafId, department, kind, brandTitle, sizeTitle, colourIds, conditionId, photoSeed };
  return {
    title: drawTitle(subject, draws),
    brandTitle: draws.chance(FORGOTTEN_BRAND_SHARE) ? "" : brandTitle,
    sizeTitle,
    conditionLabel: conditionById(conditionId)?.label ?? "",
    leafId,
    colourIds,
    priceCents,
    ...shippingOf(kind, draws),
    seller: drawSeller(seed, draws),
    photoSeed,
    favouriteCount: favouritesOf(draws),
    isPromoted: draws.chance(PROMOTED_SHARE),
    hasBarePrices: draws.chance(BARE_PRICES_SHARE),
    needsConfirmation: draws.chance(CONFIRMATION_SHARE),
    fate: relistedInstead(drawFate({ publishedAtMs, priceCents }, draws), asked, priceCents),
  };
}

/** Departments without a colour field. */
const COLOURLESS = new Set<Department["name"]>(["books", "media", "videoGames", "boardGames", "beauty"]);

function coloursOf({ name }: Department, { shape }: Kind, draws: Draws): readonly number[] {
  return COLOURLESS.has(name) ? [] : drawColours(shape, draws);
}

const BULKY = new Set<Kind["shape"]>([
  "stroller",
  "furniture",
  "rug",
  "suitcase",
  "bike",
  "toyCar",
  "tankAquarium",
  "bedding",
]);

/** Shipping prices of small and bulky parcels. */
function shippingOf(
  { shape }: Kind,
  draws: Draws,
): Pick<ListingFacts, "homeShippingCents" | "pointShippingCents"> {
  const pointShippingCents = BULKY.has(shape)
    ? draws.pick([579, 699, 929])
    : draws.pick([239, 288, 288, 349]);
  return { pointShippingCents, homeShippingCents: pointShippingCents + draws.pick([150, 211, 260]) };
}

/** Most listings have no favourites yet; the others follow the observed median. */
function favouritesOf(draws: Draws): number {
  return draws.chance(0.55) ? 0 : 1 + Math.floor(draws.exponential() * MEDIAN_FAVOURITES);
}

/** Bought by a competitor between discovery and purchase. */
const SNIPED_SHARE = 0.03;
const RIVAL_SHARE = 0.5;
const WITHDRAWAL_SHARE = 0.07;
const PRICE_SHARE = 0.1;
/** Mean time until a competitor buys; shorter for cheap items. */
const RIVAL_MEAN_MS = 6 * HOUR_MS;

/** Draws what happens to a listing unless an account of the sandbox buys it first. */
function drawFate(
  item: { readonly publishedAtMs: number; readonly priceCents: number },
  draws: Draws,
): Fate | null {
  const { publishedAtMs, priceCents } = item;
  const at = (afterMs: number): number => publishedAtMs + Math.round(afterMs);
  if (draws.chance(SNIPED_SHARE)) return { kind: "rival", atMs: at(draws.whole(5_000, 40_000)), priceCents };
  const roll = draws.next();
  if (roll < RIVAL_SHARE) {
    const delayFactor = priceCents < 500 ? 0.5 : 1;
    return {
      kind: "rival",
      atMs: at(2 * MINUTE_MS + draws.exponential() * RIVAL_MEAN_MS * delayFactor),
      priceCents,
    };
  }
  if (roll < RIVAL_SHARE + WITHDRAWAL_SHARE) {
    return { kind: "withdrawal", atMs: at(draws.exponential() * 3 * HOUR_MS + MINUTE_MS), priceCents };
  }
  if (roll < RIVAL_SHARE + WITHDRAWAL_SHARE + PRICE_SHARE && priceCents >= 400) {
    const loweredCents = Math.max(100, Math.round((priceCents * draws.whole(70, 92)) / 10_000) * 100);
    return {
      kind: "price",
      atMs: at(draws.exponential() * HOUR_MS + 3 * MINUTE_MS),
      priceCents: loweredCents,
    };
  }
  return null;
}

/** The share of listings not bought by a competitor that their seller withdraws and lists again. */
const RELIST_SHARE = 0.06;
const RELISTED_AGAIN_SHARE = 0.5;
const RELIST_MEAN_MS = 15 * MINUTE_MS;

function relistedInstead(
  fate: Fate | null,
  { seed, serial, publishedAtMs }: ListingNumber,
  priceCents: number,
): Fate | null {
  // A separate generator, so that the other properties of a listing do not depend on this share.
  const draws = drawsFor(seed, "relist", serial);
  if (fate?.kind === "rival" || !draws.chance(RELIST_SHARE)) return fate;
  return relistFate({ publishedAtMs, priceCents }, draws);
}

/** What happens to a listing that is already a relist: half of them are listed once more. */
export function drawFateOfRelist(asked: {
  readonly seed: number;
  /** The id of the listing that it replaces. */
  readonly id: number;
  readonly publishedAtMs: number;
  readonly priceCents: number;
}): Fate | null {
  const draws = drawsFor(asked.seed, "relist again", asked.id);
  return draws.chance(RELISTED_AGAIN_SHARE) ? relistFate(asked, draws) : null;
}

/** Most sellers lower the price. */
function relistFate(
  { publishedAtMs, priceCents }: { readonly publishedAtMs: number; readonly priceCents: number },
  draws: Draws,
): Fate {
  const atMs = publishedAtMs + Math.round(MINUTE_MS + draws.exponential() * RELIST_MEAN_MS);
  const percent = draws.chance(0.7) ? draws.whole(75, 95) : 100;
  return {
    kind: "relist",
    atMs,
    priceCents: Math.max(100, Math.round((priceCents * percent) / 10_000) * 100),
  };
}

/** Most past listings are in a few categories, so that enough prices are known for those. */
const COMMON_SHARE = 0.7;
const COMMON_TYPES = 24;
/** The first serial of past listings, above any serial that a market publishes. */
const FIRST_SERIAL = 1_000_000_000;

const common = leafIds
  .toSorted((one, other) => categoryWeight(other) - categoryWeight(one))
  .slice(0, COMMON_TYPES);
const commonChoice = weightedChoice(common.map((id) => [id, categoryWeight(id)] as const));

/** Generates the past listing with this number from the seed. Pure. */
export function drawPastListing(of: {
  readonly seed: number;
  readonly number: number;
  readonly atMs: number;
}): ListingFacts {
  const { seed, number, atMs } = of;
  const draws = drawsFor(seed, "past", number);
  const serial = FIRST_SERIAL + number;
  const leafId = draws.chance(COMMON_SHARE) ? { leafId: commonChoice(draws) } : {};
  return { ...drawListing({ seed, serial, publishedAtMs: atMs, ...leafId }), fate: null };
}

const SELLERS = 4_000;
const FIRST_SELLER_ID = 100_000_000;
const WITH_PHOTO_SHARE = 0.72;

/** Draws a seller; some sell far more than others. */
function drawSeller(seed: number, draws: Draws): MarketSeller {
  // Squaring favours low numbers: a tenth of the sellers has about a third of the listings.
  const place = Math.floor(draws.next() ** 2 * SELLERS);
  const own = drawsFor(seed, "seller", place);
  return { id: FIRST_SELLER_ID + place, login: loginOf(own), hasPhoto: own.chance(WITH_PHOTO_SHARE) };
}

/** A user name such as people choose. */
function loginOf(draws: Draws): string {
  const name = draws.pick(names.firstNames);
  const number = draws.pick([draws.whole(1, 99), draws.whole(1960, 2006), draws.whole(100, 9_999)]);
  switch (draws.whole(0, 6)) {
    case 0:
      return `${name}${number}`;
    case 1:
      return `${name}_${draws.pick(LETTERS)}${draws.whole(1, 99)}`;
    case 2:
      return `${name}.${draws.pick(names.firstNames)}`;
    case 3:
      return `${draws.pick(names.wardrobes)}_${name}`;
    case 4:
      return `${name}${draws.pick(LETTERS)}${number}`;
    case 5:
      return `${draws.pick(names.petNames)}${number}`;
    default:
      return `${name}_${draws.pick(names.wardrobes)}`;
  }
}

const LETTERS = "abcdefghjklmnprstv".split("");

const UNRATED_SHARE = 0.08;
const MEAN_REVIEWS = 80;

const countryChoice = weightedChoice([
  ["FR", 78],
  ["BE", 7],
  ["IT", 5],
  ["ES", 5],
  ["NL", 3],
  ["LU", 2],
] as const);

/** Generates the profile of a seller. Pure. */
export function drawSellerProfile(seed: number, id: number): SellerProfile {
  const draws = drawsFor(seed, "seller profile", id);
  const country = countryChoice(draws);
  if (draws.chance(UNRATED_SHARE)) return { rating: null, reviews: 0, country };
  const rating = Math.round((5 - draws.exponential() * 0.25) * 10) / 10;
  return {
    rating: Math.min(5, Math.max(1, rating)),
    reviews: 1 + Math.floor(draws.exponential() * MEAN_REVIEWS),
    country,
  };
}
