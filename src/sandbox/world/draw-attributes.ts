import { type KnownBrand, knownBrands } from "#catalogue/brand-titles.ts";
import { categoryById, categoryPath } from "#catalogue/categories.ts";
import type { ConditionId } from "#catalogue/conditions.ts";
import { foldText } from "#catalogue/fold-text.ts";
import {
  conditionPriceFactors,
  midRangeBrandIds,
  pricePriorFor,
  WHOLE_EURO_SHARE,
  womenSizeShares,
  firstColourShares,
  TWO_COLOURS_SHARE,
} from "#catalogue/simulation-priors.ts";
import { sizeGroups, type SizeGroup } from "#catalogue/sizes.ts";
import data from "./data/department-brands.json" with { type: "json" };
import shapes from "./data/shapes.json" with { type: "json" };
import { type Draws, weightedChoice } from "./draws.ts";
import type { Shape } from "./kinds.ts";

/** The interquartile range of a normal distribution in standard deviations. */
const QUARTILE_SPAN = 1.349;
const ODD_CENTS: readonly number[] = [-50, -1, 50];
/** Prices from 22 EUR on that are multiples of 5 EUR. */
const ROUND_SHARE = 0.7;
const LEAST_CENTS = 100;
const MOST_CENTS = 250_000;
/** Converts the prior, which covers all conditions, to 'Très bon état'. */
const PRIOR_TO_GOOD = 0.95;

/**
 * Draws the item price: log-normal around the category median adjusted for brand and condition, mostly in
 * whole euros.
 */
export function drawPriceCents(item: PricedItem, draws: Draws): number {
  const { medianCents, sigma } = priceTerms(item);
  const drawnCents = medianCents * Math.exp(sigma * draws.normal());
  return asked(Math.min(MOST_CENTS, drawnCents), draws);
}

interface PricedItem {
  readonly leafId: number;
  readonly brand: KnownBrand | null;
  readonly conditionId: ConditionId;
}

/** The log-normal distribution of prices before people round them. */
export function priceTerms(item: PricedItem): { readonly medianCents: number; readonly sigma: number } {
  const prior = pricePriorFor(item.leafId);
  const medianCents = (prior?.medianCents ?? 1_000) * PRIOR_TO_GOOD;
  const spread = prior === undefined ? 1 : Math.log(prior.upperQuartileCents / prior.lowerQuartileCents);
  const sigma = Math.min(0.75, Math.max(0.4, (spread / QUARTILE_SPAN) * 0.8));
  const factor = brandFactor(item.brand) * conditionPriceFactors[item.conditionId];
  return { medianCents: medianCents * factor, sigma };
}

/** Rounds like people do: whole euros, and multiples of 5 or 10 for higher prices. */
function asked(cents: number, draws: Draws): number {
  const euros = Math.max(LEAST_CENTS / 100, Math.round(cents / 100));
  if (!draws.chance(WHOLE_EURO_SHARE)) return euros * 100 + draws.pick(ODD_CENTS) + 50;
  if (euros > 100) return Math.round(euros / 10) * 1_000;
  if (euros > 22 && draws.chance(ROUND_SHARE)) return Math.round(euros / 5) * 500;
  return euros * 100;
}

/** The prices that people ask for something of this worth, with their shares: what `asked` draws from. */
export function askedPrices(
  worthCents: number,
): readonly { readonly cents: number; readonly share: number }[] {
  const euros = Math.max(LEAST_CENTS / 100, Math.round(Math.min(MOST_CENTS, worthCents) / 100));
  const odd = (1 - WHOLE_EURO_SHARE) / ODD_CENTS.length;
  const oddOnes = ODD_CENTS.map((cents) => ({ cents: euros * 100 + cents + 50, share: odd }));
  const whole = { cents: euros * 100, share: WHOLE_EURO_SHARE };
  if (euros > 100) return [...oddOnes, { ...whole, cents: Math.round(euros / 10) * 1_000 }];
  if (euros <= 22) return [...oddOnes, whole];
  return [
    ...oddOnes,
    { cents: Math.round(euros / 5) * 500, share: WHOLE_EURO_SHARE * ROUND_SHARE },
    { ...whole, share: WHOLE_EURO_SHARE * (1 - ROUND_SHARE) },
  ];
}

const titles = (list: string): ReadonlySet<string> => new Set(list.split(", ").map(foldText));

const GREAT_HOUSES = titles(
  "Louis Vuitton, Gucci, Chanel, Hermès, Dior, Prada, Balenciaga, Saint Laurent, Yves Saint Laurent, Burberry, Moncler, Cartier, Fendi, Céline, Christian Louboutin, Off-White, Rick Owens, Canada Goose, Hublot, Yeezy",
);
const CHEAP = titles(
  "Shein, Primark, Kiabi, H&M, Atmosphere, Jennyfer, Pimkie, boohoo, La Halle, Gémo, C&A, Esmara, F&F, Tissaia, Lefties, Auchan, Carrefour, ZANZEA, Romwe, bonprix",
);

function brandFactor(brand: KnownBrand | null): number {
  if (brand === null) return 0.75;
  const title = foldText(brand.title);
  if (GREAT_HOUSES.has(title)) return 7;
  if (midRangeBrandIds.has(brand.id)) return 2.6;
  if (CHEAP.has(title)) return 0.75;
  return brand.isLuxury ? 1.5 : 1;
}

/** The share of listings without a size although the category has sizes. */
const SIZELESS_SHARE = 0.03;
const ODD_SIZE_WEIGHT = 0.02;

const groupsById = new Map(sizeGroups.map((group) => [group.id, group]));
const choices = new Map<number, (draws: Draws) => string>();

/** Draws a size title from the size group of the category; empty for none. */
export function drawSizeTitle(leafId: number, draws: Draws): string {
  const leaf = categoryById(leafId);
  const groupId = leaf?.sizeGroupIds[0];
  if (leaf === undefined || groupId === undefined || !leaf.hasSizeField) return "";
  if (draws.chance(SIZELESS_SHARE)) return "";
  let choice = choices.get(groupId);
  if (choice === undefined) {
    choice = weightedChoice(weights(groupsById.get(groupId)));
    choices.set(groupId, choice);
  }
  return choice(draws);
}

/** Observed shares where known, otherwise a bell curve over the group. */
function weights(group: SizeGroup | undefined): readonly (readonly [string, number])[] {
  if (group === undefined) return [["", 1]];
  const regular = group.sizes.filter(isRegular).length;
  return group.sizes.map((size, index) => {
    if (!isRegular(size)) return [size.title, ODD_SIZE_WEIGHT];
    const letter = /^(?:[SML]|XL)\b/.exec(size.title)?.[0];
    const share = group.id === WOMEN && letter !== undefined ? womenSizeShares[letter] : undefined;
    return [size.title, share ?? (group.id === WOMEN ? rareShare(size.title) : bell(index / regular))];
  });
}

const WOMEN = 4;

function rareShare(title: string): number {
  return title.startsWith("XS ") ? 0.16 : 0.015;
}

function isRegular({ title, is_other }: SizeGroup["sizes"][number]): boolean {
  return !is_other && title !== "Taille unique" && title !== "Ajustable";
}

function bell(place: number): number {
  return 0.05 + Math.exp(-(((place - 0.42) / 0.2) ** 2));
}

/** The observed shares are of women's coats; this exponent flattens them for brighter items. */
const LIFT_EXPONENT = 0.55;
/** Gold and silver are common on coats only; reduced for everything else. */
const METALLIC = new Set([13, 14]);
const METALLIC_SHARE = 0.25;

const DARK_SHAPES: ReadonlySet<Shape> = new Set(shapes.dark);

const coatColour = weightedChoice(
  firstColourShares.map(({ marketplaceColourId, share }) => [marketplaceColourId, share]),
);
const anyColour = weightedChoice(
  firstColourShares.map(({ marketplaceColourId, share }) => [
    marketplaceColourId,
    share ** LIFT_EXPONENT * (METALLIC.has(marketplaceColourId) ? METALLIC_SHARE : 1),
  ]),
);

/** Marketplace colour ids of jeans with their weights. */
const denimColour = weightedChoice<number>([
  [9, 40],
  [27, 16],
  [1, 18],
  [26, 12],
  [3, 6],
  [12, 4],
  [4, 2],
  [2, 1],
]);

/** Draws one or two marketplace colours. */
export function drawColours(shape: Shape, draws: Draws): readonly number[] {
  if (shape === "jeans") return [denimColour(draws)];
  const first = DARK_SHAPES.has(shape) ? coatColour(draws) : anyColour(draws);
  if (!draws.chance(TWO_COLOURS_SHARE)) return [first];
  const second = anyColour(draws);
  return second === first ? [first] : [first, second];
}

/** A department of the shop, with its own brands and words in titles. */
export interface Department {
  readonly name: string;
  /** The share of listings that name no brand. */
  readonly brandlessShare: number;
  /** Sometimes added to the title. */
  readonly forWhom: string;
  /** Titles mention colour, pattern and cut. */
  readonly isClothing: boolean;
}

const departments: ReadonlyMap<number, Department> = new Map(
  Object.entries(data.branches).map(([branchId, department]) => [Number(branchId), department]),
);

const WHOLE_SHOP: Department = { name: "women", brandlessShare: 0.1, forWhom: "femme", isClothing: true };

export function departmentOf(leafId: number): Department {
  const branch = categoryPath(leafId).findLast(({ id }) => departments.has(id));
  return (branch === undefined ? undefined : departments.get(branch.id)) ?? WHOLE_SHOP;
}

/** The brands of each department; one without a list gets every brand but `notForWomen`. */
const brandLists: Partial<Readonly<Record<string, readonly string[]>>> = data.brands;

/** Shares of brands that the catalogue does not know, as on a real marketplace. */
const UNKNOWN_BRAND_SHARE = 0.015;
const UNKNOWN_MACHINE_SHARE = 0.6;

/** A weight for newer brands without a count, about that of the rarest counted ones. */
const LATE_BRAND_COUNT = 60_000;

const titlesIn = (list: readonly string[]): ReadonlySet<string> => new Set(list.map(foldText));

function brandChoice(name: string): (draws: Draws) => KnownBrand {
  const list = brandLists[name];
  const titles = titlesIn(list ?? data.notForWomen);
  const isListed = list !== undefined;
  const brands = knownBrands.filter(({ title }) => titles.has(foldText(title)) === isListed);
  return weightedChoice(brands.map((brand) => [brand, brand.itemCount ?? LATE_BRAND_COUNT] as const));
}

const brandChoices = new Map<string, (draws: Draws) => KnownBrand>();

/** Draws a brand for this department, or null. Unknown brands have the id 0. */
export function drawBrand({ name, brandlessShare }: Department, draws: Draws): KnownBrand | null {
  if (draws.chance(brandlessShare)) return null;
  if (draws.chance(name === "videoGames" ? UNKNOWN_MACHINE_SHARE : UNKNOWN_BRAND_SHARE)) {
    const titles = name === "videoGames" ? data.unknownMachines : data.unknownBrands;
    return { id: 0, title: draws.pick(titles), itemCount: null, isLuxury: false, isAuthenticated: false };
  }
  let choice = brandChoices.get(name);
  if (choice === undefined) {
    choice = brandChoice(name);
    brandChoices.set(name, choice);
  }
  return choice(draws);
}
