/**
 * A listing as matching sees it: every text resolved to the catalogue's ids, once per listing. Does not
 * depend on filters, nor on how a category was proven.
 */
import { brandIdForTitle } from "#catalogue/brand-titles.ts";
import { allCategories, categoryById, categoryPath, isLeaf } from "#catalogue/categories.ts";
import { conditionIdForLabel } from "#catalogue/conditions.ts";
import { foldText } from "#catalogue/fold-text.ts";
import { sizeIdForTitle } from "#catalogue/sizes.ts";
import type { Listing } from "#domain/market/listing.ts";

/** The id of an unknown value: it satisfies only an open dimension (contract §3). */
export const UNKNOWN_ID = 0;

/** The price rank if too few similar listings are known. */
export const NO_RANK = -1;

export interface Candidate {
  /** The listing's leaf, then the branches above it up to the root; empty while nothing proves a category. */
  readonly categoryIds: readonly number[];
  readonly brandId: number;
  /** Unknown without a category: the same title stands for different sizes in different size groups. */
  readonly sizeId: number;
  readonly conditionId: number;
  /** The marketplace's colours that are proven; may be empty. */
  readonly marketplaceColourIds: readonly number[];
  readonly totalPriceCents: number;
  /** How many percent of similar listings are dearer, or NO_RANK. */
  readonly priceRank: number;
  /** The folded title with a space on either side, so that " word " finds whole words only. */
  readonly paddedTitle: string;
  /** The title's words, each once. */
  readonly titleWords: readonly string[];
}

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

/** The part of a candidate that depends only on the listing's texts, not on its category. */
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

/** Cost: a few microseconds, nearly all for folding texts. */
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
 * The candidate if the listing is in this leaf. Null, or an id that is no leaf: no category is known.
 * @param marketplaceColourIds those that a reading proved
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
    categoryIds: categoryIdsIn(leafId),
    sizeId: sizeGroupId === null ? UNKNOWN_ID : (sizeIdForTitle(sizeTitle, sizeGroupId) ?? UNKNOWN_ID),
    marketplaceColourIds,
  };
}

/** A candidate's categories: the leaf and the branches above it. Null, or an id that is no leaf: none. */
export function categoryIdsIn(leafId: number | null): readonly number[] {
  return leafId === null ? [] : (pathsUpwards.get(leafId) ?? []);
}
