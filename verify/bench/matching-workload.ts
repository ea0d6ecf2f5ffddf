// Realistic filters and listings: a thousand categories and five thousand brands of very unequal popularity,
// prices around 15 EUR, one filter in seven a copy of a popular one, one in twenty nearly unrestricted.
import { type Candidate, NO_RANK } from "#matching/candidate.ts";
import type { FilterSpec } from "#matching/compile-filter.ts";
import type { MatchClass } from "#matching/filter-index.ts";

export interface WorkloadFilter {
  readonly spec: FilterSpec;
  readonly matchClass: MatchClass;
}

export const SIZES_PER_GROUP = 15;
const SIZE_GROUPS = 20;
const TEMPLATES = 2_000;
const CONDITION_IDS = [6, 1, 2, 3, 4];
/** The share of each condition among listings, in the same order. */
const CONDITION_SHARES = [0.08, 0.13, 0.57, 0.19, 0.03];

/** The number of values per filter: most people choose few. */
const CATEGORY_COUNTS = [1, 1, 1, 2, 2, 3];
const BRAND_COUNTS = [0, 0, 0, 1, 1, 1, 2, 3, 4, 5];
const SIZE_COUNTS = [0, 0, 0, 1, 1, 2, 2, 3, 4];

/** Ids start at 1; size n belongs to group ⌊(n − 1) / 15⌋, and each category uses one group. */
export class Workload {
  readonly #random: () => number;
  readonly #category: () => number;
  readonly #brand: () => number;
  readonly #template: () => number;
  readonly #templates: readonly WorkloadFilter[];

  constructor(seed: number) {
    this.#random = createRandom(seed);
    this.#category = this.#zipf(1_000, 0.9);
    this.#brand = this.#zipf(5_000, 1);
    this.#template = this.#zipf(TEMPLATES, 1);
    this.#templates = Array.from({ length: TEMPLATES }, () => this.#ownFilter());
  }

  filter(): WorkloadFilter {
    const template = this.#random() < 0.15 ? this.#templates[this.#template() - 1] : undefined;
    return template === undefined
      ? this.#ownFilter()
      : { spec: template.spec, matchClass: this.#matchClass() };
  }

  listing(): Candidate {
    const category = this.#category();
    const brandId = this.#random() < 0.1 ? 0 : this.#brand();
    return {
      categoryIds: [category],
      brandId,
      sizeId: this.#random() < 0.08 ? 0 : this.#sizeOf(category),
      conditionId: this.#condition(),
      marketplaceColourIds: this.#random() < 0.3 ? [1 + this.#below(20)] : [],
      totalPriceCents: Math.round(1_500 * Math.exp(0.75 * this.#normal())),
      priceRank: NO_RANK,
      paddedTitle: "  ",
      titleWords: [],
    };
  }

  below(limit: number): number {
    return this.#below(limit);
  }

  #ownFilter(): WorkloadFilter {
    const isBroad = this.#random() < 0.05;
    return { spec: isBroad ? this.#broadSpec() : this.#narrowSpec(), matchClass: this.#matchClass() };
  }

  #narrowSpec(): FilterSpec {
    const categoryIds = this.#distinct(this.#oneOf(CATEGORY_COUNTS), this.#category);
    const [firstCategory = 1] = categoryIds;
    return {
      ...OPEN,
      categoryIds,
      brandIds: this.#distinct(this.#oneOf(BRAND_COUNTS), this.#brand),
      sizeIds: this.#adjacentSizes(firstCategory, this.#oneOf(SIZE_COUNTS)),
      conditionIds: this.#distinct(this.#below(4), () => CONDITION_IDS[this.#below(5)] ?? 2),
      marketplaceColourIds: this.#random() < 0.08 ? [1 + this.#below(20)] : [],
      priceCapEur: this.#cap(),
    };
  }

  /** Only a brand, only a category, or rarely only a price. */
  #broadSpec(): FilterSpec {
    const kind = this.#random();
    if (kind < 0.02) return { ...OPEN, priceCapEur: this.#cap() };
    return kind < 0.51
      ? { ...OPEN, brandIds: [this.#brand()], priceCapEur: this.#cap() }
      : { ...OPEN, categoryIds: [this.#category()], priceCapEur: this.#cap() };
  }

  #matchClass(): MatchClass {
    if (this.#random() >= 0.25) return "shown";
    return this.#random() < 0.35 ? "thunder" : "acquire";
  }

  #cap(): number {
    return this.#random() < 0.2 ? 100 : 5 + Math.floor(195 * this.#random() ** 2);
  }

  #condition(): number {
    let left = this.#random();
    const place = CONDITION_SHARES.findIndex((share) => (left -= share) < 0);
    return CONDITION_IDS[place] ?? 2;
  }

  #sizeOf(category: number): number {
    const middle = Math.round(7 + 2.5 * this.#normal());
    return (
      1 + (category % SIZE_GROUPS) * SIZES_PER_GROUP + Math.min(SIZES_PER_GROUP - 1, Math.max(0, middle))
    );
  }

  #adjacentSizes(category: number, count: number): readonly number[] {
    if (count === 0) return [];
    const lastFirst = (category % SIZE_GROUPS) * SIZES_PER_GROUP + SIZES_PER_GROUP - count + 1;
    const first = Math.min(this.#sizeOf(category), lastFirst);
    return Array.from({ length: count }, (_, index) => first + index);
  }

  #distinct(count: number, draw: () => number): readonly number[] {
    const ids = new Set<number>();
    while (ids.size < count) ids.add(draw());
    return [...ids].toSorted((one, other) => one - other);
  }

  #oneOf(counts: readonly number[]): number {
    return counts[this.#below(counts.length)] ?? 1;
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.#random())) * Math.cos(2 * Math.PI * this.#random());
  }

  /** Draws 1 to `count` with weight 1 / n^exponent. */
  #zipf(count: number, exponent: number): () => number {
    const upTo = new Float64Array(count);
    let total = 0;
    for (let rank = 1; rank <= count; rank += 1) {
      total += rank ** -exponent;
      upTo[rank - 1] = total;
    }
    return () => {
      const wanted = this.#random() * total;
      let low = 0;
      let high = count - 1;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((upTo[middle] ?? 0) < wanted) low = middle + 1;
        else high = middle;
      }
      return low + 1;
    };
  }
}

const TITLE_WORDS = 3_000;

/**
 * Adds a price floor to a tenth of the filters, keywords with three alternatives to a twentieth, and titles
 * to the listings. Drawn from a separate sequence, so that everything else is unchanged.
 */
export function withWords(
  filters: readonly WorkloadFilter[],
  listings: readonly Candidate[],
): { readonly filters: readonly WorkloadFilter[]; readonly listings: readonly Candidate[] } {
  const random = createRandom(2);
  const words = (count: number): readonly string[] =>
    Array.from({ length: count }, () => `mot${Math.floor(random() * TITLE_WORDS)}`);
  return {
    filters: filters.map(({ spec, matchClass }) => {
      const priceFloorEur = random() < 0.1 ? Math.floor(spec.priceCapEur * random()) : 0;
      const includeWords = random() < 0.05 ? [words(3).map((word) => ` ${word} `)] : [];
      return { spec: { ...spec, priceFloorEur, includeWords }, matchClass };
    }),
    listings: listings.map((listing) => {
      const titleWords = [...new Set(words(6))];
      return { ...listing, titleWords, paddedTitle: ` ${titleWords.join(" ")} ` };
    }),
  };
}

const OPEN: FilterSpec = {
  categoryIds: [],
  brandIds: [],
  sizeIds: [],
  conditionIds: [],
  marketplaceColourIds: [],
  priceCapEur: 100,
  priceFloorEur: 0,
  minPriceRank: NO_RANK,
  includeWords: [],
  excludeWords: [],
};

function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e37_79b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0_aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a_2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}
