import type { Standing } from "#domain/market/standing.ts";
import { asListingId } from "#domain/ids.ts";
import type { Listing, SeenListing } from "#domain/market/listing.ts";
import { A_MOMENT_MS } from "./fake-clock.ts";

/** A Zara dress, size M, in very good condition, for 10 EUR plus 1.20 EUR of buyer protection. */
export function aListing(traits: Partial<Omit<Listing, "id">> & { readonly id?: number } = {}): Listing {
  const { id = 5_000_000_001, ...others } = traits;
  return {
    id: asListingId(id),
    title: "Robe d'été",
    brandTitle: "Zara",
    sizeTitle: "M",
    conditionLabel: "Très bon état",
    itemPriceCents: 1_000,
    totalPriceCents: 1_120,
    path: `/items/${id}-robe-d-ete`,
    photoUrl: null,
    photoDominantColour: null,
    photoTakenAtUnixS: A_MOMENT_MS / 1_000,
    seller: { id: 7, login: "vendeuse", photoUrl: null },
    isPromoted: false,
    ...others,
  };
}

/** The same as the feed stores it: seen now, known to be in leaf 221. */
export function aSeenListing(
  traits: Partial<Omit<SeenListing, "listing">> & { readonly listing?: Listing } = {},
): SeenListing {
  return {
    listing: aListing(),
    facts: { leafIds: [221], marketplaceColourIds: [] },
    firstSeenAtMs: A_MOMENT_MS,
    seenAtMs: A_MOMENT_MS,
    ...traits,
  };
}

/** A price that is good by any filter. */
export function aStanding(traits: Partial<Standing> = {}): Standing {
  return {
    lowCents: 1_500,
    medianCents: 2_000,
    highCents: 2_500,
    rank: 95,
    sampleSize: 40,
    dayCount: 10,
    basis: "type_brand_condition",
    ...traits,
  };
}
