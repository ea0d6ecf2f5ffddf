import type { FilterCriteria } from "#domain/market/filter.ts";
import { type Candidate, categoryIdsIn, NO_RANK, UNKNOWN_ID, unknownCandidate } from "#matching/candidate.ts";
import { compileFilter, leafIdsOf, type FilterSpec, filterHolds } from "#matching/compile-filter.ts";
import type { Block } from "../archive/block.ts";
import type { LeafSet } from "../archive/leaf-sets.ts";

/** The conditions that a version can fail, one bit each. */
export const MISSED = {
  brands: 1,
  sizes: 2,
  status: 4,
  color: 8,
  mots: 16,
  exclure: 32,
  bon_prix: 64,
  limit: 128,
} as const;

/**
 * Compiles a filter for a backtest. Unlike `compileFilter`, it accepts a limit of 0: such a filter holds no
 * listing, but the backtest counts what higher limits would find.
 * @returns null for a filter that holds no listing at any limit
 */
export function compileAtAnyLimit(criteria: FilterCriteria): FilterSpec | null {
  const { priceCapEur } = criteria;
  const spec = compileFilter({ ...criteria, priceCapEur: Math.max(1, priceCapEur) });
  return spec === null ? null : { ...spec, priceCapEur };
}

/** Whether all, some or none of a listing's possible leaves are among the filter's types. */
export type Place = "inside" | "partly" | "outside";

/** @param sellers hashes */
export function isOfSeller(sellers: ReadonlySet<number>, block: Block, index: number): boolean {
  return sellers.size > 0 && sellers.has(block.sellers()[index] ?? 0);
}

/**
 * Tests archived versions against one filter, with exactly the result of the naive match (contract §3): a
 * filter holds a listing if it holds it in each leaf that it may be in. Compares numbers first, because most
 * versions fail there.
 */
export class VersionMatcher {
  readonly #spec: FilterSpec;
  readonly #leafIds: ReadonlySet<number>;
  readonly #isTypeOpen: boolean;
  readonly #places = new Map<LeafSet, Place>();
  readonly #hasWords: boolean;
  readonly #reader = new CandidateReader();

  constructor(spec: FilterSpec) {
    this.#spec = spec;
    this.#leafIds = new Set(leafIdsOf(spec));
    this.#isTypeOpen = spec.categoryIds.length === 0;
    this.#hasWords = spec.includeWords.length > 0 || spec.excludeWords.length > 0;
  }

  placeOf(leaves: LeafSet): Place {
    if (this.#isTypeOpen) return "inside";
    const known = this.#places.get(leaves);
    if (known !== undefined) return known;
    const insideCount = leaves.leafIds.filter((id) => this.#leafIds.has(id)).length;
    const isWhole = insideCount === leaves.leafIds.length;
    const place = insideCount === 0 ? "outside" : isWhole ? "inside" : "partly";
    this.#places.set(leaves, place);
    return place;
  }

  /** Whether the filter holds the version in each of its leaves. */
  holds(block: Block, index: number): boolean {
    const leaves = block.leafSetAt(index);
    if (this.placeOf(leaves) !== "inside") return false;
    const { representativeIds } = leaves;
    this.#reader.read(block, index);
    if (representativeIds.length === 0) return filterHolds(this.#spec, this.#reader.inLeaf(null, undefined));
    const sizeIds = block.sizesAt(index);
    return representativeIds.every((leafId, place) =>
      filterHolds(this.#spec, this.#reader.inLeaf(leafId, sizeIds[place])),
    );
  }

  /**
   * The conditions that the version fails, as bits of MISSED, for a version in the filter's types.
   * @returns null for one below the lowest price
   */
  missed(block: Block, index: number): number | null {
    const spec = this.#spec;
    const cents = block.prices()[index] ?? 0;
    if (cents < spec.priceFloorEur * 100) return null;
    let missed = cents > spec.priceCapEur * 100 || spec.priceCapEur === 0 ? MISSED.limit : 0;
    if (!allows(spec.brandIds, block.brands()[index] ?? 0)) missed |= MISSED.brands;
    if (!allows(spec.conditionIds, block.conditions()[index] ?? 0)) missed |= MISSED.status;
    if (spec.minPriceRank >= 0 && (block.rankAt(index) ?? NO_RANK) < spec.minPriceRank)
      missed |= MISSED.bon_prix;
    if (spec.marketplaceColourIds.length > 0) {
      const own = block.coloursAt(index);
      if (!spec.marketplaceColourIds.every((id) => own.includes(id))) missed |= MISSED.color;
    }
    if (spec.sizeIds.length > 0) {
      const sizeIds = block.sizesAt(index);
      if (sizeIds.length === 0 || !sizeIds.every((id) => spec.sizeIds.includes(id))) missed |= MISSED.sizes;
    }
    return this.#hasWords && isAtMostOne(missed) ? missed | this.#missedWords(block, index) : missed;
  }

  #missedWords(block: Block, index: number): number {
    const title = ` ${block.titles()[index] ?? ""} `;
    const has = (word: string): boolean => title.includes(word);
    const hasAll = this.#spec.includeWords.every((group) => group.some(has));
    return (hasAll ? 0 : MISSED.mots) | (this.#spec.excludeWords.some(has) ? MISSED.exclure : 0);
  }
}

export function isAtMostOne(bits: number): boolean {
  return (bits & (bits - 1)) === 0;
}

function allows(ids: readonly number[], id: number): boolean {
  return ids.length === 0 || ids.includes(id);
}

/** Filled again for each version: an object for each would take longer than the test itself. */
type Reused = { -readonly [Key in keyof Candidate]: Candidate[Key] };

/**
 * Archived versions as matching saw them, one after the other. What is not archived is unknown, so conditions on it
 * fail.
 */
class CandidateReader {
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
    this.#candidate.categoryIds = categoryIdsIn(leafId);
    this.#candidate.sizeId = sizeId ?? UNKNOWN_ID;
    return this.#candidate;
  }
}
