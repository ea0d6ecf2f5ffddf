/** The twenty colours of a filter (specification §3, names and order) and the marketplace's own 29. */
const colourList = [
  { name: "Black", label: "Noir", hex: "#000000", hexSecondary: null, marketplaceColourIds: [1], order: 1 },
  { name: "White", label: "Blanc", hex: "#FFFFFF", hexSecondary: null, marketplaceColourIds: [12], order: 2 },
  { name: "Red", label: "Rouge", hex: "#CC3300", hexSecondary: null, marketplaceColourIds: [7], order: 3 },
  { name: "Blue", label: "Bleu", hex: "#007BC4", hexSecondary: null, marketplaceColourIds: [9], order: 4 },
  { name: "Green", label: "Vert", hex: "#369A3D", hexSecondary: null, marketplaceColourIds: [10], order: 5 },
  { name: "Yellow", label: "Jaune", hex: "#FFF200", hexSecondary: null, marketplaceColourIds: [8], order: 6 },
  { name: "Pink", label: "Rose", hex: "#FFCCCA", hexSecondary: null, marketplaceColourIds: [24], order: 7 },
  {
    name: "Purple",
    label: "Violet",
    hex: "#800080",
    hexSecondary: null,
    marketplaceColourIds: [6],
    order: 8,
  },
  {
    name: "Orange",
    label: "Orange",
    hex: "#FFA500",
    hexSecondary: null,
    marketplaceColourIds: [11],
    order: 9,
  },
  {
    name: "Brown",
    label: "Marron",
    hex: "#663300",
    hexSecondary: null,
    marketplaceColourIds: [2],
    order: 10,
  },
  { name: "Gray", label: "Gris", hex: "#919191", hexSecondary: null, marketplaceColourIds: [3], order: 11 },
  {
    name: "Navy",
    label: "Marine",
    hex: "#35358D",
    hexSecondary: null,
    marketplaceColourIds: [27],
    order: 12,
  },
  { name: "Khaki", label: "Kaki", hex: "#86814A", hexSecondary: null, marketplaceColourIds: [16], order: 13 },
  { name: "Beige", label: "Beige", hex: "#F4E0C8", hexSecondary: null, marketplaceColourIds: [4], order: 14 },
  {
    name: "Maroon",
    label: "Bordeaux",
    hex: "#AE2E3D",
    hexSecondary: null,
    marketplaceColourIds: [23],
    order: 15,
  },
  {
    name: "Olive",
    label: "Vert olive",
    hex: "#808000",
    hexSecondary: null,
    marketplaceColourIds: [16],
    order: 16,
  },
  { name: "Cyan", label: "Cyan", hex: "#00FFFF", hexSecondary: null, marketplaceColourIds: [17], order: 17 },
  {
    name: "Magenta",
    label: "Magenta",
    hex: "#FF00FF",
    hexSecondary: null,
    marketplaceColourIds: [5],
    order: 18,
  },
  {
    name: "Bred",
    label: "Noir et rouge",
    hex: "#000000",
    hexSecondary: "#CC3300",
    marketplaceColourIds: [1, 7],
    order: 19,
  },
  {
    name: "Royal",
    label: "Bleu roi",
    hex: "#4169E1",
    hexSecondary: null,
    marketplaceColourIds: [9],
    order: 20,
  },
] as const;

/** A colour as a filter stores it: the specification's English name. */
export type ColourName = (typeof colourList)[number]["name"];

export interface Colour {
  readonly name: ColourName;
  readonly label: string;
  readonly hex: string;
  /** The second half of a two-colour swatch. */
  readonly hexSecondary: string | null;
  /** The corresponding colours of the marketplace: the same colour, otherwise the nearest; Bred is black and red. */
  readonly marketplaceColourIds: readonly number[];
  readonly order: number;
}

/** A colour as the marketplace records it on a listing. */
export interface MarketplaceColour {
  readonly id: number;
  readonly code: string;
  readonly label: string;
  /** Null for VARIOUS, which has none. */
  readonly hex: string | null;
  readonly order: number;
}

/** The filter's colours in the specification's order. */
export const colours: readonly Colour[] = colourList;

const coloursByName: ReadonlyMap<string, Colour> = new Map(colours.map((colour) => [colour.name, colour]));

/** The colour of an exact English name; undefined for any other text, including "" (all colours). */
export function colourByName(name: string): Colour | undefined {
  return coloursByName.get(name);
}

/** The marketplace's colours in its own order. */
export const marketplaceColours: readonly MarketplaceColour[] = [
  { id: 1, code: "BLACK", label: "Noir", hex: "#000000", order: 1 },
  { id: 3, code: "GREY", label: "Gris", hex: "#919191", order: 2 },
  { id: 12, code: "WHITE", label: "Blanc", hex: "#FFFFFF", order: 3 },
  { id: 20, code: "CREAM", label: "Crème", hex: "#F8F8E1", order: 4 },
  { id: 4, code: "BODY", label: "Beige", hex: "#F4E0C8", order: 5 },
  { id: 21, code: "APRICOT", label: "Abricot", hex: "#FFCC98", order: 6 },
  { id: 11, code: "ORANGE", label: "Orange", hex: "#FFA500", order: 7 },
  { id: 22, code: "CORAL", label: "Corail", hex: "#FE7F5D", order: 8 },
  { id: 7, code: "RED", label: "Rouge", hex: "#CC3300", order: 9 },
  { id: 23, code: "BURGUNDY", label: "Bordeaux", hex: "#AE2E3D", order: 10 },
  { id: 5, code: "PINK", label: "Fuchsia", hex: "#FF0080", order: 11 },
  { id: 24, code: "ROSE", label: "Rose", hex: "#FFCCCA", order: 12 },
  { id: 6, code: "PURPLE", label: "Violet", hex: "#800080", order: 13 },
  { id: 25, code: "LILAC", label: "Lila", hex: "#D297D2", order: 14 },
  { id: 26, code: "LIGHT-BLUE", label: "Bleu clair", hex: "#89CFF0", order: 15 },
  { id: 9, code: "BLUE", label: "Bleu", hex: "#007BC4", order: 16 },
  { id: 27, code: "NAVY", label: "Marine", hex: "#35358D", order: 17 },
  { id: 17, code: "TURQUOISE", label: "Turquoise", hex: "#B7DEE8", order: 18 },
  { id: 30, code: "MINT", label: "Menthe", hex: "#A2FFBC", order: 19 },
  { id: 10, code: "GREEN", label: "Vert", hex: "#369A3D", order: 20 },
  { id: 28, code: "DARK-GREEN", label: "Vert foncé", hex: "#356639", order: 21 },
  { id: 16, code: "KHAKI", label: "Kaki", hex: "#86814A", order: 22 },
  { id: 2, code: "BROWN", label: "Marron", hex: "#663300", order: 23 },
  { id: 29, code: "MUSTARD", label: "Moutarde", hex: "#E5B539", order: 24 },
  { id: 8, code: "YELLOW", label: "Jaune", hex: "#FFF200", order: 25 },
  { id: 13, code: "SILVER", label: "Argenté", hex: "#DDDDDD", order: 26 },
  { id: 14, code: "GOLD", label: "Doré", hex: "#BE9927", order: 27 },
  { id: 15, code: "VARIOUS", label: "Multicolore", hex: null, order: 28 },
  { id: 32, code: "CLEAR", label: "Transparence", hex: "#F8FDFD", order: 29 },
];
