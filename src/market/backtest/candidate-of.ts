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

/** Filled again for each version: an object for each would take longer than the test itself. */
type Reused = { -readonly [Key in keyof Candidate]: Candidate[Key] };

/**
 * Archived versions as matching saw them, one after the other. What is not archived is unknown, so conditions on it
 * fail.
 */
export class CandidateReader {
  readonly #candidate: Reused = { ...unknownCandidate };

  /** Reads what does not depend on the leaf. */
  read(block: Block, index: number): void {
    const candidate = this.#candidate;
    candidate.brandId = block.brands()[index] ?? UNKNOWN_ID;
    candidate.conditionId = block.conditions()[index] ?? UNKNOWN_ID;
    candidate.marketplaceColourIds = block.coloursAt(index);
    candidate.totalPriceCents = block.prices()[index] ?? 0;
    candidate.priceRank = block.rankAt(index) ?? NO_RANK;
    candidate.paddedTitle = ` ${block.titles()[index] ?? ""} `;
  }

  /**
   * The version that was read, in one leaf; valid until the next call.
   * @param leafId the representative leaf of one of its size groups; null: nothing is proven
   */
  inLeaf(leafId: number | null, sizeId: number | undefined): Candidate {
    this.#candidate.categoryIds = leafId === null ? [] : pathUpwards(leafId);
    this.#candidate.sizeId = sizeId ?? UNKNOWN_ID;
    return this.#candidate;
  }
}
