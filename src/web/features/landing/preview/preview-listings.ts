/** The invented articles of the landing page's preview: no brands, sellers or photos. */
import { formatMoney } from "../../../ui/format.ts";
import type { GarmentName } from "./garment.tsx";

/** How the preview shows it being bought; null: not bought. */
type PreviewBuyer = "click" | "acquire" | "thunder" | null;

export interface PreviewListing {
  readonly title: string;
  readonly size: string;
  readonly condition: string;
  readonly priceCents: number;
  /** The filter that found it. */
  readonly tag: string;
  readonly buyer: PreviewBuyer;
  readonly garment: GarmentName;
  /** The colours of the cloth and of the wall behind it. */
  readonly cloth: string;
  readonly wall: string;
}

export const previewListings: readonly PreviewListing[] = [
  {
    title: "Veste en jean brut",
    size: "M",
    condition: "Très bon état",
    priceCents: 2_485,
    tag: "Denim",
    buyer: null,
    garment: "jacket",
    cloth: "#3f5f8a",
    wall: "#d8cdbb",
  },
  {
    title: "Sweat à capuche gris chiné",
    size: "L",
    condition: "Bon état",
    priceCents: 1_540,
    tag: "Sweats -20\u00A0€",
    buyer: "click",
    garment: "hoodie",
    cloth: "#a9adab",
    wall: "#5d6e63",
  },
  {
    title: "Trench long beige",
    size: "38",
    condition: "Très bon état",
    priceCents: 4_375,
    tag: "Manteaux",
    buyer: null,
    garment: "trench",
    cloth: "#c9ab7c",
    wall: "#7f8b93",
  },
  {
    title: "Robe satinée rouille",
    size: "36",
    condition: "Neuf avec étiquette",
    priceCents: 1_855,
    tag: "Robes soirée",
    buyer: "thunder",
    garment: "dress",
    cloth: "#b4532f",
    wall: "#e0d2c4",
  },
  {
    title: "Baskets en cuir blanc",
    size: "42",
    condition: "Bon état",
    priceCents: 3_220,
    tag: "Baskets 42",
    buyer: null,
    garment: "sneaker",
    cloth: "#f0eee6",
    wall: "#8b5a44",
  },
  {
    title: "Pull torsadé écru",
    size: "S",
    condition: "Très bon état",
    priceCents: 2_170,
    tag: "Laine",
    buyer: null,
    garment: "knit",
    cloth: "#e9dfc8",
    wall: "#3f5148",
  },
  {
    title: "Doudoune vert sapin",
    size: "M",
    condition: "Bon état",
    priceCents: 3_745,
    tag: "Manteaux",
    buyer: "acquire",
    garment: "puffer",
    cloth: "#2f5a46",
    wall: "#d9b9a6",
  },
  {
    title: "Jean droit délavé",
    size: "W31",
    condition: "Très bon état",
    priceCents: 1_960,
    tag: "Denim",
    buyer: null,
    garment: "jeans",
    cloth: "#7f9fc4",
    wall: "#cfd3c4",
  },
  {
    title: "Sac seau en cuir cognac",
    size: "Unique",
    condition: "Très bon état",
    priceCents: 4_900,
    tag: "Cuir",
    buyer: "click",
    garment: "bag",
    cloth: "#9a5a2c",
    wall: "#b7c0c6",
  },
  {
    title: "Chemise à carreaux flanelle",
    size: "L",
    condition: "Bon état",
    priceCents: 1_225,
    tag: "Workwear",
    buyer: null,
    garment: "shirt",
    cloth: "#a33b3b",
    wall: "#2f3a44",
  },
  {
    title: "Veste de travail bleue",
    size: "M",
    condition: "Satisfaisant",
    priceCents: 1_645,
    tag: "Workwear",
    buyer: "thunder",
    garment: "jacket",
    cloth: "#2846a0",
    wall: "#d6cfc0",
  },
  {
    title: "Pull torsadé lavande",
    size: "M",
    condition: "Neuf sans étiquette",
    priceCents: 1_435,
    tag: "Laine",
    buyer: null,
    garment: "knit",
    cloth: "#a79ccf",
    wall: "#6d6048",
  },
];

/** "12,50 €" for 1250. */
export function formatCents(cents: number): string {
  return formatMoney({ amount: (cents / 100).toFixed(2), currency_code: "EUR" });
}
