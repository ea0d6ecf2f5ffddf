import { categoryWeight } from "#catalogue/category-weights.ts";
import { leafIds } from "#catalogue/categories.ts";
import { conditionById, type ConditionId } from "#catalogue/conditions.ts";
import { conditionShares, favouriteCounts, PROMOTED_SHARE } from "#catalogue/simulation-priors.ts";
import type { ListingFacts } from "../market/listing.ts";
import { aisleOf, drawBrand, type Aisle } from "./aisles.ts";
import { drawColours } from "./draw-colours.ts";
import { drawPriceCents } from "./draw-price.ts";
import { drawsFor, weightedChoice, type Draws } from "./draws.ts";
import { drawFate } from "./fates.ts";
import { kindOf, type Kind } from "./kinds.ts";
import { drawSeller } from "./sellers.ts";
import { drawSizeTitle } from "./draw-size.ts";
import { drawTitle } from "./titles.ts";

export interface ListingNumber {
  readonly seed: number;
  readonly serial: number;
  readonly publishedAtMs: number;
  /** Absent: drawn by how many listings each leaf has. */
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

/** A listing whose seller forgot the brand, although it has one. */
const FORGOTTEN_BRAND_SHARE = 0.02;
const BARE_PRICES_SHARE = 0.005;
const CONFIRMATION_SHARE = 0.03;
const MAX_PHOTO_SEED = 2 ** 31 - 1;

/** The listing of this number in the world of this seed, whole. Pure. */
export function drawListing(asked: ListingNumber): ListingFacts {
  const { seed, serial, publishedAtMs } = asked;
  const draws = drawsFor(seed, "listing", serial);
  const leafId = asked.leafId ?? leafChoice(draws);
  const aisle = aisleOf(leafId);
  const kind = kindOf(leafId);
  const brand = drawBrand(aisle, draws);
  const conditionId = conditionChoice(draws);
  const sizeTitle = drawSizeTitle(leafId, draws);
  const colourIds = coloursOf(aisle, kind, draws);
  const photoSeed = draws.whole(1, MAX_PHOTO_SEED);
  const priceCents = drawPriceCents({ leafId, brand, conditionId }, draws);
  const brandTitle = brand?.title ?? "";
  const subject = { leafId, aisle, kind, brandTitle, sizeTitle, colourIds, conditionId, photoSeed };
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
    fate: drawFate({ publishedAtMs, priceCents }, draws),
  };
}

/** Aisles whose sellers are not asked for a colour. */
const COLOURLESS = new Set<Aisle["name"]>(["books", "media", "videoGames", "boardGames", "beauty"]);

function coloursOf({ name }: Aisle, { shape }: Kind, draws: Draws): readonly number[] {
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

/** What the carriers ask for a small parcel, and for one that is not. */
function shippingOf(
  { shape }: Kind,
  draws: Draws,
): Pick<ListingFacts, "homeShippingCents" | "pointShippingCents"> {
  const pointShippingCents = BULKY.has(shape)
    ? draws.pick([579, 699, 929])
    : draws.pick([239, 288, 288, 349]);
  return { pointShippingCents, homeShippingCents: pointShippingCents + draws.pick([150, 211, 260]) };
}

/** Most have no heart yet; the others follow the observed median. */
function favouritesOf(draws: Draws): number {
  return draws.chance(0.55) ? 0 : 1 + Math.floor(draws.exponential() * favouriteCounts.median);
}
