/** Realistic people and filters: mostly for one type of article among those sold often, some with a brand. */
import { knownBrands } from "#catalogue/brand-titles.ts";
import { categoryById, categoryPath, leafIds } from "#catalogue/categories.ts";
import { colours } from "#catalogue/colours.ts";
import { categoryWeight, pricePriorFor } from "#catalogue/simulation-priors.ts";
import { sizeGroups } from "#catalogue/sizes.ts";
import type { Filter } from "#domain/market/filter.ts";
import { asFilterId, asUserId } from "#domain/ids.ts";
import type { User } from "#domain/user.ts";
import { type Draws, drawsFor, weightedChoice } from "#sandbox/world/draws.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { aUser } from "#verify/testing/a-user.ts";

export interface ModelPerson {
  readonly user: User;
  readonly filters: readonly Filter[];
  /** Has an open stream. */
  readonly isWatching: boolean;
}

const FILTERS_PER_PERSON = 3;
const CATEGORY_COUNTS = [1, 1, 1, 1, 2, 3];
const BRAND_COUNTS = [0, 0, 0, 1, 1, 1, 2, 3];
const SIZE_COUNTS = [0, 0, 0, 1, 1, 2, 3];

const leafChoice = weightedChoice(leafIds.map((id) => [id, categoryWeight(id)] as const));
const brandChoice = weightedChoice(knownBrands.map(({ id, itemCount }) => [id, itemCount ?? 0] as const));

/** One in ten has Thunder, three in ten Acquire; one in four has an open stream. Deterministic by seed. */
export function modelPeople(filterCount: number, { seed, nowMs }: { seed: number; nowMs: number }) {
  const people: ModelPerson[] = [];
  for (let first = 0; first < filterCount; first += FILTERS_PER_PERSON) {
    const draws = drawsFor(seed, "person", first);
    const id = asUserId(`person-${first}`);
    const roll = draws.next();
    const plan = roll < 0.1 ? "thunder" : roll < 0.4 ? "acquire" : "seeker";
    const count = Math.min(FILTERS_PER_PERSON, filterCount - first);
    people.push({
      user: aUser({ id, providerId: id, login: id, plan }),
      filters: Array.from({ length: count }, (_, place) =>
        aFilter({
          ...drawCriteria(draws),
          id: asFilterId(`filter-${first + place}`),
          userId: id,
          isAutobuy: plan !== "seeker" && draws.chance(0.6),
          createdAtMs: nowMs,
          activatedAtMs: nowMs,
        }),
      ),
      isWatching: draws.chance(0.25),
    });
  }
  return people;
}

/** All want the same three types, with different brands and prices: every crowd needs the same slices. */
export function modelCrowd(size: number, { seed, nowMs }: { seed: number; nowMs: number }) {
  return Array.from({ length: size }, (_, place): ModelPerson => {
    const draws = drawsFor(seed, "crowd", place);
    const id = asUserId(`person-${place}`);
    const wants: readonly Partial<Filter>[] = [
      { categoryIds: [221], brandIds: [brandChoice(draws)] },
      { categoryIds: [1_242], brandIds: [brandChoice(draws)] },
      { brandIds: [brandChoice(draws)] },
    ];
    return {
      user: aUser({ id, providerId: id, login: id, plan: draws.chance(0.5) ? "thunder" : "seeker" }),
      filters: wants.map((own, number) =>
        aFilter({
          ...own,
          id: asFilterId(`filter-${place}-${number}`),
          userId: id,
          isAutobuy: draws.chance(0.5),
          priceCapEur: draws.whole(2, 80),
          createdAtMs: nowMs,
          activatedAtMs: nowMs,
        }),
      ),
      isWatching: draws.chance(0.5),
    };
  });
}

export function drawCriteria(draws: Draws): Partial<Filter> {
  const isOfBrandOnly = draws.chance(0.07);
  const leafId = leafChoice(draws);
  const categoryIds = isOfBrandOnly ? [] : drawCategories(leafId, draws);
  const medianCents = pricePriorFor(leafId)?.medianCents ?? 1_000;
  return {
    categoryIds,
    brandIds: distinct(isOfBrandOnly ? 1 : draws.pick(BRAND_COUNTS), () => brandChoice(draws)),
    sizeIds: drawSizes(leafId, draws),
    conditionIds: draws.chance(0.3) ? [6, 1, 2] : [],
    colourName: draws.chance(0.08) ? draws.pick(colours).name : null,
    priceCapEur: Math.max(2, Math.round((medianCents / 100) * (0.5 + 2 * draws.next()))),
  };
}

/** Leaves; in one of eight cases the parent of one leaf instead. */
function drawCategories(leafId: number, draws: Draws): readonly number[] {
  if (draws.chance(0.125)) return [categoryPath(leafId).at(-2)?.id ?? leafId];
  return [leafId, ...distinct(draws.pick(CATEGORY_COUNTS) - 1, () => leafChoice(draws))];
}

/** Adjacent sizes of the leaf's own group. */
function drawSizes(leafId: number, draws: Draws): readonly number[] {
  const groupId = categoryById(leafId)?.size_id;
  const sizes = sizeGroups.find(({ id }) => id === groupId)?.sizes ?? [];
  const count = Math.min(sizes.length, draws.pick(SIZE_COUNTS));
  const first = Math.floor(draws.next() * Math.max(1, sizes.length - count));
  return sizes.slice(first, first + count).map(({ id }) => id);
}

function distinct(count: number, draw: () => number): readonly number[] {
  const ids = new Set<number>();
  for (let attempt = 0; ids.size < count && attempt < 100; attempt += 1) ids.add(draw());
  return [...ids];
}
