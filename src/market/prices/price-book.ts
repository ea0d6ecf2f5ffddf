/**
 * The usual prices of the window: where a listing stands among similar ones. Prices differ mostly by type,
 * brand and condition, so each is counted in five cells. Where the narrowest has few prices, wider ones
 * replace it, shifted to the mean expected for this brand and condition. Only the reading node keeps it.
 */
import { allCategories, categoryById } from "#catalogue/categories.ts";
import { knownBrands } from "#catalogue/brand-titles.ts";
import { MIN_SAMPLE_TO_BUY, type Standing } from "#domain/market/standing.ts";
import {
  BIN_COUNT,
  binOf,
  Cells,
  type CellsSnapshot,
  centsAt,
  MAX_PRICE_CENTS,
  MIN_PRICE_CENTS,
  placeOf,
} from "./cells.ts";

/** What a listing is compared by. */
export interface Thing {
  readonly typeId: number;
  /** 0: unknown, which counts as a brand of its own; likewise for conditions. */
  readonly brandId: number;
  readonly conditionId: number;
}

/** With fewer prices a narrow cell is not used by itself. */
const LEAST_NARROW = 5;
/** Weight of the prior, in prices. */
const PRIOR_WEIGHT = 20;
/** Upper bound of cells; beyond it no narrow cell is added. */
const MAX_CELLS = 500_000;

const placesOfTypes = new Map(allCategories.map(({ id }, index) => [id, index + 1]));
const placesOfBrands = new Map(knownBrands.map(({ id }, index) => [id, index + 1]));

/** The kinds of cells, in the lowest bits of a key. */
const KIND = { narrow: 0, brand: 1, condition: 2, type: 3, parent: 4 } as const;

/** The keys of a thing's five cells; 0: no such cell. */
interface Keys {
  readonly narrow: number;
  readonly brand: number;
  readonly condition: number;
  readonly type: number;
  readonly parent: number;
}

/** Types 12 bits, brands 14, conditions 3, kinds 3. */
function keyOf(type: number, brand: number, condition: number, kind: number): number {
  return ((type << 20) | (brand << 6) | (condition << 3) | kind) >>> 0;
}

function keysOf({ typeId, brandId, conditionId }: Thing): Keys {
  const type = placesOfTypes.get(typeId) ?? 0;
  const brand = placesOfBrands.get(brandId) ?? 0;
  const parentId = categoryById(typeId)?.parentId ?? null;
  const parent = parentId === null ? 0 : (placesOfTypes.get(parentId) ?? 0);
  return {
    narrow: keyOf(type, brand, conditionId, KIND.narrow),
    brand: keyOf(type, brand, 0, KIND.brand),
    condition: keyOf(type, 0, conditionId, KIND.condition),
    type: keyOf(type, 0, 0, KIND.type),
    parent: keyOf(parent, 0, 0, KIND.parent),
  };
}

/** A root is not a type. */
function parentTypeOf(typeId: number): number | null {
  const parentId = categoryById(typeId)?.parentId ?? null;
  return parentId === null || categoryById(parentId)?.parentId === null ? null : parentId;
}

/** Whether a price can be counted: neither a token price nor a mistyped one. */
export function isPriceCounted(cents: number): boolean {
  return cents >= MIN_PRICE_CENTS && cents <= MAX_PRICE_CENTS;
}

export class PriceBook {
  readonly #cells: Cells;
  /** Reused by each estimate. */
  readonly #mass = new Float64Array(BIN_COUNT);

  constructor(cells: Cells = new Cells()) {
    this.#cells = cells;
  }

  static from(snapshot: CellsSnapshot): PriceBook {
    return new PriceBook(Cells.from(snapshot));
  }

  snapshot(): CellsSnapshot {
    return this.#cells.snapshot();
  }

  get cellCount(): number {
    return this.#cells.size;
  }

  get bytes(): number {
    return this.#cells.bytes;
  }

  /** Cost: about 2 µs. */
  count(thing: Thing, cents: number, day: number): void {
    const place = placeOf(cents);
    const { narrow, brand, condition, type, parent } = keysOf(thing);
    for (const key of [brand, condition, type, parent]) this.#cells.add(this.#cells.take(key), place, day);
    const cell = this.#cells.find(narrow);
    if (cell >= 0) this.#cells.add(cell, place, day);
    else if (this.#cells.size < MAX_CELLS) this.#cells.add(this.#cells.take(narrow), place, day);
  }

  /** Removes a counted price whose day leaves the window; call `endDay` after the last. */
  discount(thing: Thing, cents: number): void {
    const place = placeOf(cents);
    const { narrow, brand, condition, type, parent } = keysOf(thing);
    for (const key of [narrow, brand, condition, type, parent]) {
      const cell = this.#cells.find(key);
      if (cell >= 0 && this.#cells.countOf(cell) > 0) this.#cells.remove(cell, place);
    }
  }

  endDay(day: number): void {
    this.#cells.endDay(day);
  }

  /**
   * Where a price stands among those counted so far; null: too few similar ones. A type that filters have only just
   * begun to distinguish has few prices of any kind: until then the nearest type above it, which was compared as a
   * whole, gives quartiles. Cost: about 3 µs.
   */
  standingOf(thing: Thing, cents: number): Standing | null {
    const keys = keysOf(thing);
    const narrow = this.#cells.find(keys.narrow);
    const narrowCount = narrow < 0 ? 0 : this.#cells.countOf(narrow);
    if (narrowCount >= LEAST_NARROW) return this.#ownStanding(keys, narrow, cents);
    for (let typeId: number | null = thing.typeId; typeId !== null; typeId = parentTypeOf(typeId)) {
      const keysOfType = keysOf({ ...thing, typeId });
      const standing = this.#widerStanding(keysOfType);
      if (standing !== null || this.#wellKnown(keysOfType.type) >= 0) return standing;
    }
    return null;
  }

  /** Quartiles from the prices of the brand or condition in a type. */
  #widerStanding(keys: Keys): Standing | null {
    const brand = this.#wellKnown(keys.brand);
    const wider = brand >= 0 ? brand : this.#wellKnown(keys.condition);
    if (wider < 0) return null;
    this.#mass.fill(0);
    const shift = this.#expected(keys) - this.#cells.meanOf(wider);
    this.#cells.spread(wider, this.#mass, { weight: 1, shift });
    return {
      ...this.#quartiles(),
      rank: null,
      sampleSize: this.#cells.countOf(wider),
      dayCount: this.#cells.daysOf(wider),
      basis: brand >= 0 ? "type_brand" : "type_condition",
    };
  }

  /** The narrow cell's prices, combined with a prior of the weight of twenty prices. */
  #ownStanding(keys: Keys, narrow: number, cents: number): Standing {
    const cells = this.#cells;
    this.#mass.fill(0);
    const prior = this.#prior(keys);
    const priorCount = prior < 0 ? 0 : cells.countOf(prior);
    if (priorCount > 0) {
      const shift = this.#expected(keys) - cells.meanOf(prior);
      cells.spread(prior, this.#mass, { weight: PRIOR_WEIGHT / priorCount, shift });
    }
    cells.spread(narrow, this.#mass, { weight: 1, shift: 0 });
    return {
      ...this.#quartiles(),
      rank: this.#shareAbove(cents),
      sampleSize: cells.countOf(narrow),
      dayCount: cells.daysOf(narrow),
      basis: "type_brand_condition",
    };
  }

  #wellKnown(key: number): number {
    const cell = this.#cells.find(key);
    return cell >= 0 && this.#cells.countOf(cell) >= MIN_SAMPLE_TO_BUY ? cell : -1;
  }

  #prior({ condition, type, parent }: Keys): number {
    const known = this.#wellKnown(condition);
    if (known >= 0) return known;
    const whole = this.#wellKnown(type);
    return whole >= 0 ? whole : this.#cells.find(parent);
  }

  /** The mean place expected of this brand in this condition, from the cells of each alone. */
  #expected({ brand, condition, type, parent }: Keys): number {
    const parentMean = this.#drawn(parent, 0, 0);
    const typeMean = this.#drawn(type, parentMean, PRIOR_WEIGHT);
    const brandMean = this.#drawn(brand, typeMean, PRIOR_WEIGHT);
    const conditionMean = this.#drawn(condition, typeMean, PRIOR_WEIGHT);
    return brandMean + conditionMean - typeMean;
  }

  /** A cell's mean, shrunk towards another: the fewer prices it has, the more. */
  #drawn(key: number, towards: number, weight: number): number {
    const cell = this.#cells.find(key);
    const count = cell < 0 ? 0 : this.#cells.countOf(cell);
    if (count + weight === 0) return towards;
    return (count * (cell < 0 ? 0 : this.#cells.meanOf(cell)) + weight * towards) / (count + weight);
  }

  #quartiles(): Pick<Standing, "lowCents" | "medianCents" | "highCents"> {
    const places = quantilesOf(this.#mass, [0.25, 0.5, 0.75]).map(centsAt);
    const [lowCents = 0, medianCents = 0, highCents = 0] = places;
    return { lowCents, medianCents, highCents };
  }

  /** Whole percent of the mass in bins above the price's: prices in its own bin are equal to it, not dearer. */
  #shareAbove(cents: number): number {
    const total = massFrom(this.#mass, 0);
    const above = massFrom(this.#mass, binOf(placeOf(cents)) + 1);
    return total === 0 ? 0 : Math.floor((above / total) * 100);
  }
}

function massFrom(mass: Float64Array, first: number): number {
  let sum = 0;
  for (let bin = first; bin < mass.length; bin += 1) sum += mass[bin] ?? 0;
  return sum;
}

/** The places below which these shares of the mass lie, each spread evenly over its bin. @param shares ascending */
function quantilesOf(mass: Float64Array, shares: readonly number[]): readonly number[] {
  const total = massFrom(mass, 0);
  let below = 0;
  let bin = 0;
  return shares.map((share) => {
    const wanted = share * total;
    while (bin < mass.length - 1 && below + (mass[bin] ?? 0) < wanted) {
      below += mass[bin] ?? 0;
      bin += 1;
    }
    const own = mass[bin] ?? 0;
    return bin + (own === 0 ? 0 : Math.min(1, Math.max(0, (wanted - below) / own)));
  });
}
