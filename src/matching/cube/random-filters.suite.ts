/** Random filters and candidates to compare an index with the oracle; each profile stresses another part. */
import { conditions } from "#catalogue/conditions.ts";
import type { Random } from "#domain/clock.ts";
import { type Candidate, NO_RANK } from "../candidate.ts";
import type { FilterSpec } from "../compile-filter.ts";
import { MATCH_CLASSES, type MatchClass } from "../filter-index.ts";

export interface Profile {
  readonly name: string;
  readonly brands: number;
  readonly leaves: number;
  readonly sizes: number;
  /** Maximum number of values in each dimension. */
  readonly mostValues: number;
  /** Probability that a filter leaves a dimension open. */
  readonly openShare: number;
  /** Probability of the one brand and the one leaf that everybody wants. */
  readonly crowdShare: number;
  readonly caps: readonly number[];
  readonly pricesCents: readonly number[];
  readonly wordShare: number;
  readonly floorShare: number;
  readonly floors: readonly number[];
  readonly bargainShare: number;
  readonly colourShare: number;
  /** The colours that a filter may select. */
  readonly colourSets: readonly (readonly number[])[];
  /** Maximum number of conditions; half of the filters select none. */
  readonly mostConditions: number;
}

const COLOUR_SETS: readonly (readonly number[])[] = [[1], [7], [9], [1, 7], [32], [40, 41]];

const plain: Profile = {
  name: "random",
  brands: 12,
  leaves: 12,
  sizes: 8,
  mostValues: 3,
  openShare: 0.35,
  crowdShare: 0,
  caps: [1, 2, 5, 10, 19, 20, 21, 50, 100, 200],
  pricesCents: [0, 1, 99, 100, 101, 1_900, 2_000, 2_001, 5_050, 20_000, 20_001],
  wordShare: 0,
  floorShare: 0,
  floors: [1, 2, 5, 10, 19, 20, 21, 50, 100, 200],
  bargainShare: 0,
  colourShare: 0.15,
  colourSets: COLOUR_SETS,
  mostConditions: 3,
};

export const profiles: readonly Profile[] = [
  plain,
  { ...plain, name: "skewed", brands: 400, leaves: 60, crowdShare: 0.6, openShare: 0.2 },
  { ...plain, name: "crowded", crowdShare: 1, openShare: 0.05, mostValues: 1, colourShare: 0.05 },
  { ...plain, name: "all open", openShare: 1 },
  {
    ...plain,
    name: "huge caps",
    caps: [16_382, 16_383, 16_384, 32_768, 40_000, 65_535, 65_536, 99_999, 100_000],
    pricesCents: [
      1_638_200, 1_638_201, 1_638_300, 1_638_301, 3_276_801, 4_000_000, 4_000_001, 9_999_900, 10_000_001,
    ],
  },
  { ...plain, name: "many values", brands: 120, leaves: 90, sizes: 40, mostValues: 110, openShare: 0.2 },
  { ...plain, name: "words", wordShare: 0.8, floorShare: 0.8, bargainShare: 0.8, openShare: 0.7 },
  {
    ...plain,
    name: "words beside many values",
    wordShare: 0.6,
    mostValues: 12,
    openShare: 0.3,
    floorShare: 0.2,
  },
  {
    ...plain,
    name: "floors and good prices",
    caps: [20, 21, 221, 222, 1_000, 40_000],
    floors: [1, 2, 20, 21, 220, 221, 222, 1_000, 17_000, 40_000],
    pricesCents: [
      0, 99, 100, 199, 200, 1_999, 2_000, 2_099, 2_100, 21_999, 22_000, 22_099, 22_100, 22_199, 22_200,
      99_999, 100_000, 4_000_000,
    ],
    floorShare: 0.5,
    bargainShare: 0.4,
    colourShare: 0.3,
  },
];

/**
 * Thousands of filters under one key: strata of several runs, and with every trait and set of conditions more
 * rows than a match examines in one batch. Small walks do not reach this.
 */
export const piled: Profile = {
  ...plain,
  name: "piled",
  crowdShare: 1,
  openShare: 0,
  mostValues: 1,
  floorShare: 0.2,
  bargainShare: 0.2,
  colourShare: 0.2,
  colourSets: Array.from({ length: 31 }, (_, place) => [place + 1]),
  mostConditions: 8,
};

const WORDS = ["robe", "noir", "noire", "jean", "zara", "vintage", "l oreal", "sac a main", "a", "501"];

/** Leaves are numbers from 1, the branch above leaf n is 1000 + n modulo 5, the root above all is 2000. */
function pathOf(leaf: number): readonly number[] {
  return [leaf, 1_000 + (leaf % 5), 2_000];
}

export class FilterLottery {
  readonly #random: Random;
  readonly #profile: Profile;

  constructor(random: Random, profile: Profile) {
    this.#random = random;
    this.#profile = profile;
  }

  spec(): FilterSpec {
    const { brands, sizes, caps, floors } = this.#profile;
    const { wordShare, floorShare, bargainShare, colourShare, colourSets } = this.#profile;
    return {
      categoryIds: this.#categories(),
      brandIds: this.#values(brands),
      sizeIds: this.#values(sizes),
      conditionIds: this.#conditions(),
      marketplaceColourIds: this.#happens(colourShare) ? this.oneOf(colourSets) : [],
      priceCapEur: this.oneOf(caps),
      priceFloorEur: this.#happens(floorShare) ? this.oneOf(floors) : 0,
      minPriceRank: this.#happens(bargainShare) ? this.oneOf([75, 90, 95, 80]) : NO_RANK,
      includeWords: this.#happens(wordShare) ? this.#groups() : [],
      excludeWords: this.#happens(wordShare / 2) ? this.#words(2) : [],
    };
  }

  matchClass(): MatchClass {
    return this.oneOf(MATCH_CLASSES);
  }

  candidate(): Candidate {
    const { brands, sizes, leaves, pricesCents } = this.#profile;
    const hasCategory = !this.#happens(0.15);
    const titleWords = [
      ...new Set(
        Array.from({ length: this.below(7) }, () => this.oneOf(WORDS))
          .join(" ")
          .split(" "),
      ),
    ];
    return {
      categoryIds: hasCategory ? pathOf(this.#value(leaves + 2)) : [],
      brandId: this.#happens(0.15) ? 0 : this.#value(brands + 2),
      sizeId: !hasCategory || this.#happens(0.15) ? 0 : this.#value(sizes + 2),
      conditionId: this.oneOf([0, 1, 2, 3, 4, 6, 6, 99]),
      marketplaceColourIds: this.#happens(0.5) ? [] : [...this.oneOf(COLOUR_SETS), this.below(33)],
      totalPriceCents: this.oneOf(pricesCents),
      priceRank: this.#happens(0.3) ? NO_RANK : this.oneOf([0, 74, 75, 89, 90, 94, 95, 100]),
      paddedTitle: ` ${titleWords.join(" ")} `,
      titleWords: titleWords.filter((word) => word !== ""),
    };
  }

  below(limit: number): number {
    return Math.floor(this.#random.next() * limit);
  }

  oneOf<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("nothing to choose from");
    return item;
  }

  #happens(share: number): boolean {
    return this.#random.next() < share;
  }

  #value(count: number): number {
    return this.#happens(this.#profile.crowdShare) ? 1 : 1 + this.below(count);
  }

  #values(count: number): readonly number[] {
    const { openShare, mostValues } = this.#profile;
    if (this.#happens(openShare)) return [];
    return distinct(Array.from({ length: 1 + this.below(mostValues) }, () => this.#value(count)));
  }

  /** Leaves, sometimes with a branch that contains none of them. */
  #categories(): readonly number[] {
    const leaves = this.#values(this.#profile.leaves);
    if (leaves.length === 0 || !this.#happens(0.3)) return leaves;
    if (this.#happens(0.2)) return [2_000];
    const branch = 1_000 + this.below(5);
    return distinct([...leaves.filter((leaf) => !pathOf(leaf).includes(branch)), branch]);
  }

  #conditions(): readonly number[] {
    if (this.#happens(0.5)) return [];
    if (this.#happens(0.05)) return [99];
    return distinct(
      Array.from({ length: 1 + this.below(this.#profile.mostConditions) }, () => this.oneOf(conditions).id),
    );
  }

  #groups(): readonly (readonly string[])[] {
    return Array.from({ length: 1 + this.below(2) }, () => this.#words(this.#happens(0.5) ? 1 : 4));
  }

  /** Padded like those of a compiled filter. */
  #words(most: number): readonly string[] {
    const words = new Set(Array.from({ length: 1 + this.below(most) }, () => this.oneOf(WORDS)));
    return [...words].map((word) => ` ${word} `);
  }
}

function distinct(ids: readonly number[]): readonly number[] {
  return [...new Set(ids)].toSorted((one, other) => one - other);
}
