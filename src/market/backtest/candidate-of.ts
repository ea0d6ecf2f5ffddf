import { categoryPath } from "#catalogue/categories.ts";
import { type Candidate, NO_RANK, UNKNOWN_ID, unknownCandidate } from "#matching/candidate.ts";
import type { Block } from "../archive/block.ts";

const pathsUpwards = new Map<number, readonly number[]>();

function pathUpwards(leafId: number): readonly number[] {
  const known = pathsUpwards.get(leafId);
  if (known !== undefined) return known;
  const path = categoryPath(leafId)
    .map(({ id }) => id)
    .toReversed();
  pathsUpwards.set(leafId, path);
  return path;
}

/**
 * An archived version as matching saw it. What is not archived is unknown, so conditions on it fail.
 * @param leafId the representative leaf of one of its size groups; null: nothing is proven
 * @param place index of that leaf among the representatives
 */
export function candidateOf(
  block: Block,
  index: number,
  { leafId, place }: { readonly leafId: number | null; readonly place: number },
): Candidate {
  const title = block.titles()[index] ?? "";
  return {
    ...unknownCandidate,
    categoryIds: leafId === null ? [] : pathUpwards(leafId),
    brandId: block.brands()[index] ?? UNKNOWN_ID,
    conditionId: block.conditions()[index] ?? UNKNOWN_ID,
    sizeId: leafId === null ? UNKNOWN_ID : (block.sizesAt(index)[place] ?? UNKNOWN_ID),
    marketplaceColourIds: block.coloursAt(index),
    totalPriceCents: block.prices()[index] ?? 0,
    priceRank: block.rankAt(index) ?? NO_RANK,
    paddedTitle: ` ${title} `,
  };
}
