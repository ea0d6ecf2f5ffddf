import { knownBrands, type KnownBrand } from "#catalogue/brand-titles.ts";
import { categoryPath } from "#catalogue/categories.ts";
import { foldText } from "#catalogue/fold-text.ts";
import data from "./data/department-brands.json" with { type: "json" };
import { weightedChoice, type Draws } from "./draws.ts";

/** A department of the shop, with its own brands and words in titles. */
export interface Department {
  readonly name: DepartmentName;
  /** The share of listings that name no brand. */
  readonly brandlessShare: number;
  /** Sometimes added to the title. */
  readonly forWhom: string;
  /** Titles mention colour, pattern and cut. */
  readonly isClothing: boolean;
}

type DepartmentName =
  | "women"
  | "lingerie"
  | "sport"
  | "shoes"
  | "bags"
  | "jewellery"
  | "beauty"
  | "men"
  | "menShoes"
  | "kids"
  | "kidsShoes"
  | "toys"
  | "babyCare"
  | "home"
  | "videoGames"
  | "boardGames"
  | "media"
  | "books"
  | "pets";

const department = (
  name: DepartmentName,
  brandlessShare: number,
  forWhom = "",
  isClothing = false,
): Department => ({
  name,
  brandlessShare,
  forWhom,
  isClothing,
});

const DEPARTMENT_OF_BRANCH: ReadonlyMap<number, Department> = new Map([
  [1904, department("women", 0.1, "femme", true)],
  [29, department("lingerie", 0.15, "femme", true)],
  [73, department("sport", 0.08, "femme", true)],
  [16, department("shoes", 0.12, "femme", true)],
  [19, department("bags", 0.25, "femme")],
  [21, department("jewellery", 0.6, "femme")],
  [22, department("jewellery", 0.25, "femme")],
  [1187, department("women", 0.3, "femme")],
  [146, department("beauty", 0.1)],
  [5, department("men", 0.06, "homme", true)],
  [30, department("sport", 0.05, "homme", true)],
  [1231, department("menShoes", 0.08, "homme", true)],
  [82, department("men", 0.25, "homme")],
  [94, department("bags", 0.25, "homme")],
  [95, department("jewellery", 0.6, "homme")],
  [97, department("jewellery", 0.2, "homme")],
  [139, department("beauty", 0.1, "homme")],
  [1195, department("kids", 0.07, "fille", true)],
  [1194, department("kids", 0.07, "garçon", true)],
  [1255, department("kidsShoes", 0.12, "fille", true)],
  [1256, department("kidsShoes", 0.12, "garçon", true)],
  [1193, department("babyCare", 0.4, "bébé")],
  [1499, department("toys", 0.4, "enfant")],
  [1918, department("home", 0.65)],
  [2309, department("videoGames", 0.45)],
  [2311, department("boardGames", 0.95)],
  [2310, department("media", 1)],
  [2312, department("books", 1)],
  [2093, department("pets", 0.85)],
]);

const WHOLE_SHOP = department("women", 0.1, "femme", true);

export function departmentOf(leafId: number): Department {
  const branch = categoryPath(leafId).findLast(({ id }) => DEPARTMENT_OF_BRANCH.has(id));
  return (branch === undefined ? undefined : DEPARTMENT_OF_BRANCH.get(branch.id)) ?? WHOLE_SHOP;
}

/** The brands of each department; one without a list gets every brand but `notForWomen`. */
const brandLists: Partial<Readonly<Record<DepartmentName, readonly string[]>>> = data.brands;

/** Shares of brands that the catalogue does not know, as on a real marketplace. */
const UNKNOWN_BRAND_SHARE = 0.015;
const UNKNOWN_MACHINE_SHARE = 0.6;

/** A weight for newer brands without a count, about that of the rarest counted ones. */
const LATE_BRAND_COUNT = 60_000;

const titlesIn = (list: readonly string[]): ReadonlySet<string> => new Set(list.map(foldText));

function brandChoice(name: DepartmentName): (draws: Draws) => KnownBrand {
  const list = brandLists[name];
  const titles = titlesIn(list ?? data.notForWomen);
  const isListed = list !== undefined;
  const brands = knownBrands.filter(({ title }) => titles.has(foldText(title)) === isListed);
  return weightedChoice(brands.map((brand) => [brand, brand.itemCount ?? LATE_BRAND_COUNT] as const));
}

const choices = new Map<DepartmentName, (draws: Draws) => KnownBrand>();

/** Draws a brand for this department, or null. Unknown brands have the id 0. */
export function drawBrand({ name, brandlessShare }: Department, draws: Draws): KnownBrand | null {
  if (draws.chance(brandlessShare)) return null;
  if (draws.chance(name === "videoGames" ? UNKNOWN_MACHINE_SHARE : UNKNOWN_BRAND_SHARE)) {
    const titles = name === "videoGames" ? data.unknownMachines : data.unknownBrands;
    return { id: 0, title: draws.pick(titles), itemCount: null, isLuxury: false };
  }
  let choice = choices.get(name);
  if (choice === undefined) {
    choice = brandChoice(name);
    choices.set(name, choice);
  }
  return choice(draws);
}
