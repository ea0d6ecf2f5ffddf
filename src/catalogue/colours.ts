/** The twenty colours of a filter (specification §3, names and order) and the marketplace's own 29. */
const colourList = [
  { name: "Black", label: "Noir", hex: "#000000", hexSecondary: null, marketplaceColourIds: [1] },
  { name: "White", label: "Blanc", hex: "#FFFFFF", hexSecondary: null, marketplaceColourIds: [12] },
  { name: "Red", label: "Rouge", hex: "#CC3300", hexSecondary: null, marketplaceColourIds: [7] },
  { name: "Blue", label: "Bleu", hex: "#007BC4", hexSecondary: null, marketplaceColourIds: [9] },
  { name: "Green", label: "Vert", hex: "#369A3D", hexSecondary: null, marketplaceColourIds: [10] },
  { name: "Yellow", label: "Jaune", hex: "#FFF200", hexSecondary: null, marketplaceColourIds: [8] },
  { name: "Pink", label: "Rose", hex: "#FFCCCA", hexSecondary: null, marketplaceColourIds: [24] },
  { name: "Purple", label: "Violet", hex: "#800080", hexSecondary: null, marketplaceColourIds: [6] },
  { name: "Orange", label: "Orange", hex: "#FFA500", hexSecondary: null, marketplaceColourIds: [11] },
  { name: "Brown", label: "Marron", hex: "#663300", hexSecondary: null, marketplaceColourIds: [2] },
  { name: "Gray", label: "Gris", hex: "#919191", hexSecondary: null, marketplaceColourIds: [3] },
  { name: "Navy", label: "Marine", hex: "#35358D", hexSecondary: null, marketplaceColourIds: [27] },
  { name: "Khaki", label: "Kaki", hex: "#86814A", hexSecondary: null, marketplaceColourIds: [16] },
  { name: "Beige", label: "Beige", hex: "#F4E0C8", hexSecondary: null, marketplaceColourIds: [4] },
  { name: "Maroon", label: "Bordeaux", hex: "#AE2E3D", hexSecondary: null, marketplaceColourIds: [23] },
  { name: "Olive", label: "Vert olive", hex: "#808000", hexSecondary: null, marketplaceColourIds: [16] },
  { name: "Cyan", label: "Cyan", hex: "#00FFFF", hexSecondary: null, marketplaceColourIds: [17] },
  { name: "Magenta", label: "Magenta", hex: "#FF00FF", hexSecondary: null, marketplaceColourIds: [5] },
  {
    name: "Bred",
    label: "Noir et rouge",
    hex: "#000000",
    hexSecondary: "#CC3300",
    marketplaceColourIds: [1, 7],
  },
  { name: "Royal", label: "Bleu roi", hex: "#4169E1", hexSecondary: null, marketplaceColourIds: [9] },
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
}

/** A colour as the marketplace records it on a listing. */
export interface MarketplaceColour {
  readonly id: number;
  readonly code: string;
  readonly label: string;
  /** Null for VARIOUS, which has none. */
  readonly hex: string | null;
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
  { id: 1, code: "BLACK", label: "Noir", hex: "#000000" },
  { id: 3, code: "GREY", label: "Gris", hex: "#919191" },
  { id: 12, code: "WHITE", label: "Blanc", hex: "#FFFFFF" },
  { id: 20, code: "CREAM", label: "Crème", hex: "#F8F8E1" },
  { id: 4, code: "BODY", label: "Beige", hex: "#F4E0C8" },
  { id: 21, code: "APRICOT", label: "Abricot", hex: "#FFCC98" },
  { id: 11, code: "ORANGE", label: "Orange", hex: "#FFA500" },
  { id: 22, code: "CORAL", label: "Corail", hex: "#FE7F5D" },
  { id: 7, code: "RED", label: "Rouge", hex: "#CC3300" },
  { id: 23, code: "BURGUNDY", label: "Bordeaux", hex: "#AE2E3D" },
  { id: 5, code: "PINK", label: "Fuchsia", hex: "#FF0080" },
  { id: 24, code: "ROSE", label: "Rose", hex: "#FFCCCA" },
  { id: 6, code: "PURPLE", label: "Violet", hex: "#800080" },
  { id: 25, code: "LILAC", label: "Lila", hex: "#D297D2" },
  { id: 26, code: "LIGHT-BLUE", label: "Bleu clair", hex: "#89CFF0" },
  { id: 9, code: "BLUE", label: "Bleu", hex: "#007BC4" },
  { id: 27, code: "NAVY", label: "Marine", hex: "#35358D" },
  { id: 17, code: "TURQUOISE", label: "Turquoise", hex: "#B7DEE8" },
  { id: 30, code: "MINT", label: "Menthe", hex: "#A2FFBC" },
  { id: 10, code: "GREEN", label: "Vert", hex: "#369A3D" },
  { id: 28, code: "DARK-GREEN", label: "Vert foncé", hex: "#356639" },
  { id: 16, code: "KHAKI", label: "Kaki", hex: "#86814A" },
  { id: 2, code: "BROWN", label: "Marron", hex: "#663300" },
  { id: 29, code: "MUSTARD", label: "Moutarde", hex: "#E5B539" },
  { id: 8, code: "YELLOW", label: "Jaune", hex: "#FFF200" },
  { id: 13, code: "SILVER", label: "Argenté", hex: "#DDDDDD" },
  { id: 14, code: "GOLD", label: "Doré", hex: "#BE9927" },
  { id: 15, code: "VARIOUS", label: "Multicolore", hex: null },
  { id: 32, code: "CLEAR", label: "Transparence", hex: "#F8FDFD" },
];
