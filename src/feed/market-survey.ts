/** Suggestions for a person without filters, from the listings first seen in the last hour. Pure. */
import { categoryPath } from "#catalogue/categories.ts";
import { UNKNOWN_ID } from "#matching/candidate.ts";
import type { EntryTest, MarketEntry } from "./market-entry.ts";

/** A brand that many of the listings have, within one category where the readings prove one. */
export interface FrequentSearch {
  readonly brandId: number;
  /** Null if only the brand is known. */
  readonly categoryId: number | null;
  /** Three quarters of them cost at most this, rounded up to a multiple of 5 EUR. */
  readonly priceCapEur: number;
  /** How many of them cost at most the cap. */
  readonly found: number;
}

export interface MarketSurvey {
  /** Number of listings per given filter, in the same order. */
  readonly found: readonly number[];
  /** The most frequent first, each brand once. */
  readonly frequent: readonly FrequentSearch[];
}

/** With fewer listings nothing is considered frequent. */
export const MIN_FREQUENT = 3;
const CAP_STEP_EUR = 5;
const CAP_SHARE = 0.75;
const CENTS = 100;

interface Pair {
  readonly brandId: number;
  readonly categoryId: number | null;
  readonly pricesCents: number[];
}

/** Collects a survey in one pass over the entries. */
export class Surveyor {
  readonly #tests: readonly (EntryTest | null)[];
  readonly #found: number[];
  readonly #pairs = new Map<string, Pair>();
  readonly #categories = new WeakMap<MarketEntry["leaves"], { readonly id: number | null }>();

  /** @param tests one per filter; null for a filter that can match nothing */
  constructor(tests: readonly (EntryTest | null)[]) {
    this.#tests = tests;
    this.#found = tests.map(() => 0);
  }

  add(entry: MarketEntry): void {
    for (const [index, test] of this.#tests.entries()) {
      if (test?.holds(entry) === true) this.#found[index] = (this.#found[index] ?? 0) + 1;
    }
    const { brandId, totalPriceCents } = entry.reading;
    if (brandId === UNKNOWN_ID) return;
    const categoryId = this.#categoryOf(entry.leaves);
    const key = `${brandId} ${categoryId}`;
    const pair = this.#pairs.get(key);
    if (pair === undefined) this.#pairs.set(key, { brandId, categoryId, pricesCents: [totalPriceCents] });
    else pair.pricesCents.push(totalPriceCents);
  }

  result(maxFrequent: number): MarketSurvey {
    const pairs = [...this.#pairs.values()]
      .filter(({ pricesCents }) => pricesCents.length >= MIN_FREQUENT)
      // A pair is more specific than a brand alone.
      .toSorted(
        (one, other) =>
          Number(other.categoryId !== null) - Number(one.categoryId !== null) ||
          other.pricesCents.length - one.pricesCents.length ||
          one.brandId - other.brandId,
      );
    const byBrand = new Map<number, Pair>();
    for (const pair of pairs) if (!byBrand.has(pair.brandId)) byBrand.set(pair.brandId, pair);
    return { found: this.#found, frequent: [...byBrand.values()].slice(0, maxFrequent).map(searchOf) };
  }

  #categoryOf(leaves: MarketEntry["leaves"]): number | null {
    let category = this.#categories.get(leaves);
    if (category === undefined) {
      category = { id: commonCategory(leaves.leafIds) };
      this.#categories.set(leaves, category);
    }
    return category.id;
  }
}

function searchOf({ brandId, categoryId, pricesCents }: Pair): FrequentSearch {
  const sorted = pricesCents.toSorted((one, other) => one - other);
  const upper = sorted[Math.ceil(sorted.length * CAP_SHARE) - 1] ?? 0;
  const priceCapEur = Math.ceil(upper / (CAP_STEP_EUR * CENTS)) * CAP_STEP_EUR;
  const found = sorted.filter((cents) => cents <= priceCapEur * CENTS).length;
  return { brandId, categoryId, priceCapEur, found };
}

/** The narrowest category that contains all of the leaves; null without leaves, or if they have no common root. */
function commonCategory(leafIds: readonly number[]): number | null {
  const [first, ...others] = leafIds.map((id) => categoryPath(id).map((category) => category.id));
  if (first === undefined) return null;
  return first.findLast((id) => others.every((path) => path.includes(id))) ?? null;
}
