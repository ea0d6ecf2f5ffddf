import { knownBrands, type KnownBrand } from "#catalogue/brand-titles.ts";
import { categoryPath } from "#catalogue/categories.ts";
import { foldText } from "#catalogue/fold-text.ts";
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

/** The brands of each department; one without a list gets every brand but NOT_FOR_WOMEN. */
const BRANDS: Partial<Readonly<Record<DepartmentName, string>>> = {
  lingerie:
    "Etam, Undiz, DIM, H&M, Calvin Klein, Intimissimi, Calzedonia, Darjeeling, Princesse Tam Tam, Aubade, Passionata, Simone Pérèle, Triumph, Victoria´s Secret, Oysho, Tezenis, Banana Moon, Chantal Thomass, Primark, Shein, Kiabi, Le Bourget",
  sport:
    "Nike, adidas, Decathlon, Domyos, Quechua, Kalenji, Kipsta, Puma, Under Armour, Gymshark, Lululemon, Reebok, Columbia, Salomon, Asics, Champion, Nabaiji, Tribord, Wed'ze, The North Face, Patagonia, FILA, kappa",
  shoes:
    "Nike, adidas, Converse, Vans, Dr. Martens, New Balance, Puma, Tamaris, San Marina, André, Jonak, Clarks, Geox, UGG, Birkenstock, éram, Kickers, Bensimon, Timberland, Crocs, Veja, Repetto, Bocage, Zara, H&M, Mango, Minelli, Texto, Graceland, Minelli, Christian Louboutin, Steve Madden, Reebok, Asics, Palladium, Superga, La Halle, Shein",
  menShoes:
    "Nike, adidas, Converse, Vans, Jordan, New Balance, Puma, Timberland, Reebok, Asics, Dr. Martens, Lacoste, Clarks, Salomon, Geox, Kickers, Veja, Yeezy, Birkenstock, Crocs, Minelli, Celio, Hugo Boss, Paraboot, Gucci, Golden Goose, Caterpillar",
  kidsShoes:
    "Nike, adidas, Converse, Geox, Kickers, Vertbaudet, Kiabi, La Halle, Primark, H&M, Orchestra, Vans, Puma, Crocs, New Balance, Okaïdi, Decathlon, Zara, Disney, Tape à l'Oeil, Birkenstock, UGG, André",
  bags: "Longchamp, Lancel, GUESS, Michael Kors, Zara, Parfois, Mango, Eastpak, KIPLING, Louis Vuitton, Gucci, Lancaster, Shein, H&M, Sézane, Maje, Desigual, Nike, adidas, Hexagona, Vanessa Bruno, Tommy Hilfiger, Calvin Klein, Coach, Herschel, Balenciaga, Prada, Fossil, David Jones",
  jewellery:
    "Pandora, Swarovski, Agatha, histoire d'or, Thomas Sabo, Fossil, CASIO, Swatch, Ice Watch, Festina, Claire's, Cartier, Michael Kors, GUESS, Reminiscence, Lotus, Maty, Daniel Wellington, Shein, Apple",
  beauty:
    "Yves Rocher, sephora, MAC, L'Oréal, Lancome, Clarins, Guerlain, Dior, Chanel, Kiko, Maybelline, Avene, Yves Saint Laurent, Essie, OPI, Lush, Estee Lauder, Nina Ricci, Jean Paul Gaultier, Paco Rabanne, Thierry Mugler, Hugo Boss, Revlon, BaByliss",
  men: "Nike, adidas, Zara, H&M, Levi's, Ralph Lauren, Lacoste, Tommy Hilfiger, CELIO, Jules, Jack & Jones, Puma, The North Face, Carhartt, Diesel, Hugo Boss, Calvin Klein, Devred, Brice, Stone Island, Pull & Bear, Bershka, Primark, Uniqlo, superdry, Kaporal, Quiksilver, Billabong, Fred Perry, Eden Park, Champion, Ellesse, FILA, Reebok, Under Armour, Napapijri, Timberland, Scotch & Soda, Jordan, Burberry, Gucci, Dickies, Carhartt WIP, Patagonia, Columbia, Arc'teryx, C.P. Company, Kiabi, C&A, Shein, Teddy Smith, Element, Vans, Polo Ralph Lauren, Armand Thiery, G-Star, New Era, Giorgio Armani",
  kids: "Kiabi, Orchestra, H&M, Zara, Vertbaudet, Okaïdi, Petit Bateau, Disney, Tape à l'Oeil, Sergent Major, Du Pareil au Même, Catimini, IKKS, Jacadi, La Halle, Gémo, Primark, C&A, Nike, adidas, Cyrillus, Tout Compte Fait, La Redoute, Bonpoint, Noppies, Influx, Next, Mango, Shein, Lulu Castagnette, Levi's, Ralph Lauren, Tommy Hilfiger, Absorba, Monoprix, Auchan, Carrefour, Lacoste, Puma, Decathlon, Hello Kitty, Pokémon",
  toys: "Lego, Playmobil, VTech, Disney, Barbie, Pokémon, Hello Kitty, Nici, Mickey Mouse, Snoopy, Superman, Nintendo, Vertbaudet",
  babyCare:
    "Vertbaudet, Disney, Petit Bateau, IKEA, Jacadi, Orchestra, Sergent Major, Kiabi, VTech, Noppies, H&M, Decathlon",
  home: "IKEA, Maisons du Monde, H&M, Zara, Primark, La Redoute, Disney, Carrefour, Monoprix, Fait main, Vintage",
  videoGames: "Nintendo, Pokémon, Disney",
  boardGames: "Disney, Pokémon, Lego, Nintendo",
  pets: "Decathlon, IKEA, Disney, Quechua",
};

/** Brands that the catalogue does not know, as on a real marketplace. */
const UNKNOWN_BRANDS = [
  "Maison Yvette",
  "Atelier Loupiote",
  "Petite Garance",
  "Les Filles du Quai",
  "Sœur Colette",
  "Marcel & Fils",
  "Bohème Sud",
  "Linge d'Antan",
  "Nordklær",
  "Le Chat Botté",
] as const;
const UNKNOWN_MACHINES = ["Sony PlayStation", "Microsoft Xbox", "Sega", "Atari Games"] as const;
const UNKNOWN_BRAND_SHARE = 0.015;
const UNKNOWN_MACHINE_SHARE = 0.6;

/** Brands excluded from departments without a list of their own. */
const NOT_FOR_WOMEN =
  "Kiabi Kids, Orchestra, Okaïdi, Vertbaudet, Petit Bateau, Disney, Tape à l'Oeil, Sergent Major, Du Pareil au Même, Catimini, Jacadi, Playmobil, Lego, VTech, Nintendo, Pokémon, Barbie, CELIO, Jules, Devred, Brice, IKEA, Maisons du Monde, Apple, sephora, Yves Rocher, L'Oréal, MAC, Kiko, Pandora, Swarovski, Geox, Tamaris, Lulu Castagnette, Hello Kitty, Noppies, Tout Compte Fait, Bonpoint, Influx, Nabaiji, Quechua, Domyos, Kipsta, BaByliss, CASIO, Jumex, Calor, Yamaha, Kawasaki, Ferrari, moto, Sport, Fashion, cuir, Diddl, Nici, Hunter, Carrefour, Auchan, Leclerc, TinTin, Snoopy, Superman, Mickey Mouse, Cultura, Marionnaud, Jack & Jones, Stone Island, C.P. Company, Eden Park, Histoire d'Or, Avene, Clarins, Guerlain, Lancome, Maybelline, Essie, OPI, Revlon, Estee Lauder, Lush, Agatha, Thomas Sabo, Festina, Swatch, Ice Watch";

/** A weight for newer brands without a count, about that of the rarest counted ones. */
const LATE_BRAND_COUNT = 60_000;

const titlesIn = (list: string): ReadonlySet<string> => new Set(list.split(", ").map(foldText));

function brandChoice(name: DepartmentName): (draws: Draws) => KnownBrand {
  const list = BRANDS[name];
  const titles = titlesIn(list ?? NOT_FOR_WOMEN);
  const isListed = list !== undefined;
  const brands = knownBrands.filter(({ title }) => titles.has(foldText(title)) === isListed);
  return weightedChoice(brands.map((brand) => [brand, brand.itemCount ?? LATE_BRAND_COUNT] as const));
}

const choices = new Map<DepartmentName, (draws: Draws) => KnownBrand>();

/** Draws a brand for this department, or null. Unknown brands have the id 0. */
export function drawBrand({ name, brandlessShare }: Department, draws: Draws): KnownBrand | null {
  if (draws.chance(brandlessShare)) return null;
  if (draws.chance(name === "videoGames" ? UNKNOWN_MACHINE_SHARE : UNKNOWN_BRAND_SHARE)) {
    const titles = name === "videoGames" ? UNKNOWN_MACHINES : UNKNOWN_BRANDS;
    return { id: 0, title: draws.pick(titles), itemCount: null, isLuxury: false };
  }
  let choice = choices.get(name);
  if (choice === undefined) {
    choice = brandChoice(name);
    choices.set(name, choice);
  }
  return choice(draws);
}
