import { categoryWeight } from "#catalogue/category-weights.ts";
import { categoryById, leafIds } from "#catalogue/categories.ts";
import type { ListingFacts } from "../market/listing.ts";
import { drawsFor, weightedChoice } from "./draws.ts";

const leafChoice = weightedChoice(leafIds.map((id) => [id, categoryWeight(id)] as const));

/** The listing of this number in the world of this seed. Pure. */
export function drawListing(asked: ListingNumber): ListingFacts {
  const draws = drawsFor(asked.seed, "listing", asked.serial);
  const leafId = asked.leafId ?? leafChoice(draws);
  return {
    title: categoryById(leafId)?.label ?? "",
    brandTitle: "Zara",
    sizeTitle: "M",
    conditionLabel: "Très bon état",
    leafId,
    colourIds: [1],
    priceCents: draws.whole(2, 40) * 100,
    homeShippingCents: 499,
    pointShippingCents: 299,
    seller: { id: 100_000_000 + draws.whole(1, 3000), login: "lilou", hasPhoto: true },
    photoSeed: draws.whole(1, 1_000_000),
    favouriteCount: 0,
    isPromoted: draws.chance(0.006),
    hasBarePrices: false,
    needsConfirmation: false,
    fate: null,
  };
}

export interface ListingNumber {
  readonly seed: number;
  readonly serial: number;
  readonly publishedAtMs: number;
  /** Absent: drawn by how many listings each leaf has. */
  readonly leafId?: number;
}
