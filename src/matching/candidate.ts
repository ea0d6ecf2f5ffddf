/**
 * A listing as matching sees it: every text turned into the catalogue's ids, once per listing.
 * Knows nothing of filters, and nothing of how a category was established.
 */
import { brandIdForTitle } from "#catalogue/brand-titles.ts";
import { allCategories, categoryById, categoryPath, isLeaf } from "#catalogue/categories.ts";
import { conditionIdForLabel } from "#catalogue/conditions.ts";
import { foldText } from "#catalogue/fold-text.ts";
import { sizeIdForTitle } from "#catalogue/sizes.ts";
import type { Listing } from "#domain/market/listing.ts";

/** The id of what could not be established: it satisfies only an empty selection (contract §3). */
export const UNKNOWN_ID = 0;

/** The price rank of a listing of which too few similar ones are known. */
export const NO_RANK = -1;

export interface Candidate {
  /** The listing's leaf, then the branches above it up to the root; empty while nothing proves a category. */
  readonly categoryIds: readonly number[];
  readonly brandId: number;
  /** Unknown without a category: one title stands for different sizes in different size groups. */
  readonly sizeId: number;
  readonly conditionId: number;
  /** The marketplace's colours that are proven; empty: none is. */
  readonly marketplaceColourIds: readonly number[];
  readonly totalPriceCents: number;
  /** How many percent of similar listings are dearer, or NO_RANK. */
  readonly priceRank: number;
  /** The folded title with a space on either side, so that a whole word is found as " word ". */
  readonly paddedTitle: string;
  /** The title's words, each once. */
  readonly titleWords: readonly string[];
}

/** A listing of which nothing is known. */
export const unknownCandidate: Candidate = {
  categoryIds: [],
  brandId: UNKNOWN_ID,
  sizeId: UNKNOWN_ID,
  conditionId: UNKNOWN_ID,
  marketplaceColourIds: [],
  totalPriceCents: 0,
  priceRank: NO_RANK,
  paddedTitle: "  ",
  titleWords: [],
};

/** The part of a candidate that follows from the listing's own texts, for any category. */
export type ListingReading = Omit<Candidate, "categoryIds" | "sizeId" | "marketplaceColourIds"> & {
  readonly sizeTitle: string;
};

const pathsUpwards: ReadonlyMap<number, readonly number[]> = new Map(
  allCategories.filter(isLeaf).map(({ id }) => [
    id,
    categoryPath(id)
      .map((category) => category.id)
      .toReversed(),
  ]),
);

/** Cost: a few microseconds, nearly all of it folding texts. @param priceRank absent: not known */
export function readListing(listing: Listing, priceRank = NO_RANK): ListingReading {
  const title = foldText(listing.title);
  return {
    brandId: brandIdForTitle(listing.brandTitle) ?? UNKNOWN_ID,
    conditionId: conditionIdForLabel(listing.conditionLabel) ?? UNKNOWN_ID,
    totalPriceCents: listing.totalPriceCents,
    priceRank,
    paddedTitle: ` ${title} `,
    titleWords: title === "" ? [] : [...new Set(title.split(" "))],
    sizeTitle: listing.sizeTitle,
  };
}

/**
 * The listing as a member of this leaf; null, or an id that is no leaf: of no known category.
 * @param marketplaceColourIds those that a request proved
 */
export function candidateIn(
  reading: ListingReading,
  leafId: number | null,
  marketplaceColourIds: readonly number[],
): Candidate {
  const { sizeTitle, ...texts } = reading;
  const sizeGroupId = leafId === null ? null : (categoryById(leafId)?.size_id ?? null);
  return {
    ...texts,
    categoryIds: leafId === null ? [] : (pathsUpwards.get(leafId) ?? []),
    sizeId: sizeGroupId === null ? UNKNOWN_ID : (sizeIdForTitle(sizeTitle, sizeGroupId) ?? UNKNOWN_ID),
    marketplaceColourIds,
  };
}
