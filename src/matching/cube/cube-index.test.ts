import { expect, test } from "vitest";
import { conditions } from "#catalogue/conditions.ts";
import { createFakeRandom } from "#verify/testing/fake-random.ts";
import { type FilterSpec, filterHolds } from "../compile-filter.ts";
import { NO_RANK } from "../candidate.ts";
import { MATCH_CLASSES, type FilterIndex, type MatchClass } from "../filter-index.ts";
import { createCubeIndex, type CubeIndex } from "./cube-index.ts";
import { FilterLottery, piled, profiles, type Profile } from "./random-filters.suite.ts";

const OPEN: FilterSpec = {
  categoryIds: [],
  brandIds: [],
  sizeIds: [],
  conditionIds: [],
  marketplaceColourIds: [],
  priceCapEur: 1,
  priceFloorEur: 0,
  minPriceRank: NO_RANK,
  includeWords: [],
  excludeWords: [],
};

interface Held {
  readonly spec: FilterSpec;
  readonly matchClass: MatchClass;
}

/** The index and the oracle, with the same edits. */
class Pair {
  readonly index: CubeIndex = createCubeIndex();
  readonly held = new Map<number, Held>();
  readonly #lottery: FilterLottery;
  comparisons = 0;

  constructor(lottery: FilterLottery) {
    this.#lottery = lottery;
  }

  insert(filterNumber: number): void {
    const filter = { spec: this.#lottery.spec(), matchClass: this.#lottery.matchClass() };
    this.held.set(filterNumber, filter);
    this.index.insert(filterNumber, filter.spec, filter.matchClass);
  }

  remove(filterNumber: number): void {
    const wasThere = this.held.delete(filterNumber);
    if (this.index.remove(filterNumber) !== wasThere) throw new Error(`removing ${filterNumber} went wrong`);
  }

  /** Throws a readable difference; `expect` for each of so many comparisons would take minutes. */
  compare(count: number): void {
    for (let each = 0; each < count; each += 1) {
      const candidate = this.#lottery.candidate();
      const expected = MATCH_CLASSES.flatMap((matchClass) =>
        [...this.held]
          .filter(([, filter]) => filter.matchClass === matchClass && filterHolds(filter.spec, candidate))
          .map(([filterNumber]) => filterNumber)
          .toSorted((one, other) => one - other),
      );
      const found = numbersOf(this.index, candidate);
      const byClass = MATCH_CLASSES.flatMap((matchClass) =>
        found
          .filter((filterNumber) => this.held.get(filterNumber)?.matchClass === matchClass)
          .toSorted((one, other) => one - other),
      );
      const isInClassOrder = found.every(
        (filterNumber, place) => this.#rank(filterNumber) >= this.#rank(found[place - 1] ?? filterNumber),
      );
      this.comparisons += 1;
      if (byClass.join() === expected.join() && found.length === expected.length && isInClassOrder) continue;
      throw new Error(
        `candidate ${JSON.stringify(candidate)} found ${found.join()} instead of ${expected.join()}`,
      );
    }
  }

  #rank(filterNumber: number): number {
    return MATCH_CLASSES.indexOf(this.held.get(filterNumber)?.matchClass ?? "shown");
  }
}

function numbersOf(index: FilterIndex, candidate: Parameters<FilterIndex["match"]>[0]): readonly number[] {
  const { numbers, start, length } = index.match(candidate);
  return [...numbers.subarray(start, start + length)];
}

/** Grows, edits at random, shrinks to nothing and grows again, with comparisons throughout. */
function walk(profile: Profile, settings: { seed: number; filters: number; comparisons: number }): Pair {
  const lottery = new FilterLottery(createFakeRandom(settings.seed), profile);
  const pair = new Pair(lottery);
  const steps = settings.filters * 4;
  const perStep = settings.comparisons / steps;
  for (let step = 0; step < steps; step += 1) {
    const isShrinking = step >= settings.filters * 2 && step < settings.filters * 3;
    const filterNumber = lottery.below(settings.filters);
    if (pair.held.has(filterNumber)) {
      pair.remove(filterNumber);
      if (!isShrinking) pair.insert(filterNumber);
    } else if (!isShrinking) pair.insert(filterNumber);
    if (Math.floor((step + 1) * perStep) > Math.floor(step * perStep)) {
      pair.compare(Math.floor((step + 1) * perStep) - Math.floor(step * perStep));
    }
  }
  for (const filterNumber of pair.held.keys()) pair.remove(filterNumber);
  pair.compare(20);
  return pair;
}

test.each(profiles)("the index finds what the oracle finds through any edits: $name", (profile) => {
  let comparisons = 0;
  for (let seed = 1; seed <= 5; seed += 1) {
    const pair = walk(profile, { seed, filters: 120, comparisons: 3_200 });
    comparisons += pair.comparisons;
    expect(pair.index.size).toBe(0);
  }
  expect(comparisons).toBeGreaterThanOrEqual(16_000);
});

test.each(profiles.filter(({ name }) => ["crowded", "skewed", "all open"].includes(name)))(
  "large cells turn into strata, split, shrink and turn back: $name",
  (profile) => {
    const pair = walk(profile, { seed: 7, filters: 6_000, comparisons: 600 });
    expect(pair.comparisons).toBeGreaterThanOrEqual(600);
    expect(pair.index.size).toBe(0);
  },
);

test("thousands of filters under one key are found through run splits, and removed again", () => {
  const lottery = new FilterLottery(createFakeRandom(11), piled);
  const pair = new Pair(lottery);
  for (let filterNumber = 0; filterNumber < 30_000; filterNumber += 1) pair.insert(filterNumber);
  pair.compare(40);
  for (let filterNumber = 0; filterNumber < 30_000; filterNumber += 3) pair.remove(filterNumber);
  for (let filterNumber = 0; filterNumber < 30_000; filterNumber += 6) pair.insert(filterNumber);
  pair.compare(20);
  for (const filterNumber of pair.held.keys()) pair.remove(filterNumber);
  pair.compare(5);
  expect(pair.index.size).toBe(0);
});

test("a directory with more rows than one scan step is scanned completely", () => {
  const lottery = new FilterLottery(createFakeRandom(13), piled);
  const open = { ...OPEN, categoryIds: [1], brandIds: [1], sizeIds: [1], priceCapEur: 20 };
  const colours = Array.from({ length: 31 }, (_, place) => place + 1);
  const conditionSets = Array.from({ length: 2 ** conditions.length - 2 }, (_, place) =>
    conditions.filter((_condition, bit) => (((place + 1) >>> bit) & 1) === 1).map(({ id }) => id),
  );
  const specs: readonly FilterSpec[] = [
    ...Array.from({ length: 5_000 }, (_, place) => ({ ...open, priceCapEur: 1 + (place % 100) })),
    ...conditionSets.map((conditionIds) => ({ ...open, conditionIds })),
    ...colours.map((colour) => ({ ...open, marketplaceColourIds: [colour] })),
  ];
  const index = createCubeIndex();
  for (const [filterNumber, spec] of specs.entries()) index.insert(filterNumber, spec, "shown");
  for (const colour of colours) {
    const candidate = {
      ...lottery.candidate(),
      categoryIds: [1],
      brandId: 1,
      sizeId: 1,
      marketplaceColourIds: [colour],
      totalPriceCents: 100,
    };
    const expected = [...specs.keys()].filter((each) => filterHolds(specs[each] ?? open, candidate));
    expect(numbersOf(index, candidate).toSorted((one, other) => one - other)).toEqual(expected);
    expect(expected).toContain(specs.length - colours.length + colour - 1);
  }
});

test("a run that is split is found completely", () => {
  const lottery = new FilterLottery(createFakeRandom(17), piled);
  const candidate = { ...lottery.candidate(), totalPriceCents: 5_000 };
  const open = { ...OPEN, categoryIds: candidate.categoryIds.slice(0, 1) };
  const index = createCubeIndex();
  let held = 0;
  for (let filterNumber = 0; filterNumber < 7_000; filterNumber += 1) {
    const priceCapEur = 1 + ((filterNumber * 37) % 100);
    index.insert(filterNumber, { ...open, priceCapEur }, "shown");
    if (priceCapEur >= 50) held += 1;
    const { length } = index.match(candidate);
    if (length !== held) throw new Error(`${length} instead of ${held} after ${filterNumber + 1}`);
  }
  expect(held).toBeGreaterThan(3_000);
});

test("a filter of words alone is found once, whichever of its alternatives a title holds", () => {
  const lottery = new FilterLottery(createFakeRandom(23), profiles[0] ?? raise());
  const groups = [[" tech fleece ", " techfleece ", " fleece tech "], [" nike "]];
  const titled = (titleWords: readonly string[]) => ({
    ...lottery.candidate(),
    totalPriceCents: 100,
    paddedTitle: ` ${titleWords.join(" ")} `,
    titleWords,
  });
  // Nine filters with "nike" make that group the more used one, so the three alternatives become the keys.
  const others = Array.from({ length: 9 }, () => ({ ...OPEN, includeWords: [[" nike "]] }));
  const index = createCubeIndex();
  for (const [place, spec] of others.entries()) index.insert(100 + place, spec, "acquire");
  index.insert(1, { ...OPEN, includeWords: groups }, "shown");
  index.insert(2, { ...OPEN, includeWords: groups, excludeWords: [" lot "] }, "thunder");
  const found = (...words: string[]): readonly number[] =>
    numbersOf(index, titled(words)).filter((filterNumber) => filterNumber < 100);
  expect(found("veste", "nike", "tech", "fleece", "techfleece")).toEqual([2, 1]);
  expect(found("techfleece", "fleece", "tech", "nike", "lot")).toEqual([1]);
  expect(found("nike", "techfleece")).toEqual([2, 1]);
  expect(found("nike", "tech", "veste", "fleece")).toEqual([]);
  expect(found("tech", "fleece")).toEqual([]);
  for (const filterNumber of [1, 2]) index.remove(filterNumber);
  expect(found("nike", "techfleece")).toEqual([]);
  for (const place of others.keys()) index.remove(100 + place);
  expect(index.size).toBe(0);
});

test("words whose ids collide in keys do not match each other", () => {
  const lottery = new FilterLottery(createFakeRandom(29), profiles[0] ?? raise());
  const index = createCubeIndex();
  const wordCount = 0x1_0002;
  for (let word = 1; word <= wordCount; word += 1)
    index.insert(word, { ...OPEN, includeWords: [[` mot${word} `]] }, "shown");
  const [one, other] = ["mot1", `mot${wordCount - 1}`];
  index.insert(0, { ...OPEN, brandIds: [7], includeWords: [[` ${other} `, ` ${one} `]] }, "acquire");
  const found = (...titleWords: string[]): readonly number[] => {
    const candidate = { ...lottery.candidate(), brandId: 7, totalPriceCents: 100 };
    return numbersOf(index, { ...candidate, titleWords, paddedTitle: ` ${titleWords.join(" ")} ` });
  };
  expect(found(other)).toEqual([0, wordCount - 1]);
  expect(found(one)).toEqual([0, 1]);
  expect(found(other, "robe", one).toSorted((low, high) => low - high)).toEqual([0, 1, wordCount - 1]);
  expect(found("robe")).toEqual([]);
  for (let word = 0; word <= wordCount; word += 1) index.remove(word);
  expect(found(one, other)).toEqual([]);
});

test.each([...profiles, piled])("removals free all memory: $name", (profile) => {
  const lottery = new FilterLottery(createFakeRandom(3), profile);
  const filters = Array.from({ length: 3_000 }, () => [lottery.spec(), lottery.matchClass()] as const);
  const index = createCubeIndex();
  const fillAndDrain = (): number => {
    for (const [filterNumber, [spec, matchClass]] of filters.entries()) {
      index.insert(filterNumber, spec, matchClass);
    }
    for (const filterNumber of filters.keys()) index.remove(filterNumber);
    return index.usedBytes;
  };
  // After the first round only the tables' segments and the room for the answer remain.
  const usedBytes = fillAndDrain();
  for (let round = 0; round < 3; round += 1) expect(fillAndDrain()).toBe(usedBytes);
});

test("matching order is the same for the same history", () => {
  const lottery = new FilterLottery(createFakeRandom(5), profiles[2] ?? raise());
  const specs = Array.from({ length: 2_000 }, () => [lottery.spec(), lottery.matchClass()] as const);
  const candidates = Array.from({ length: 50 }, () => lottery.candidate());
  const answers = [createCubeIndex(), createCubeIndex()].map((index) => {
    for (const [filterNumber, [spec, matchClass]] of specs.entries())
      index.insert(filterNumber, spec, matchClass);
    return candidates.map((candidate) => numbersOf(index, candidate).join());
  });
  expect(answers[0]).toEqual(answers[1]);
});

test("a number in use is rejected, an unknown one cannot be removed", () => {
  const lottery = new FilterLottery(createFakeRandom(1), profiles[0] ?? raise());
  const index = createCubeIndex();
  index.insert(4, lottery.spec(), "shown");
  expect(() => index.insert(4, lottery.spec(), "thunder")).toThrow(RangeError);
  expect(index.remove(5)).toBe(false);
  expect(index.remove(4)).toBe(true);
  expect(index.remove(4)).toBe(false);
  expect(index.size).toBe(0);
});

function raise(): never {
  throw new Error("the profile is missing");
}
