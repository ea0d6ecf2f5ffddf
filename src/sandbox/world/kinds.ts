import { categoryPath } from "#catalogue/categories.ts";
import rows from "./data/kinds.json" with { type: "json" };
import shapes from "./data/shapes.json" with { type: "json" };

/** The nouns and the picture of a category. A leaf without an entry uses its nearest ancestor's. */
export interface Kind {
  readonly shape: Shape;
  readonly nouns: readonly Noun[];
}

export interface Noun {
  readonly text: string;
  readonly gender: "m" | "f";
  readonly isPlural: boolean;
}

/** The motif of a photo: one of `data/shapes.json`, each with its templates in `pictures/shapes`. */
export type Shape = string;
export const SHAPES: readonly Shape[] = shapes.all;

/** `data/kinds.json`: nouns such as "robe f" or "baskets fp", separated by "|"; ids of branches or leaves. */
const kindsById: ReadonlyMap<number, Kind> = new Map(
  rows.flatMap(({ shape, nouns, ids }) => {
    const kind = { shape: toShape(shape), nouns: nouns.split("|").map(readNoun) };
    return ids.map((id) => [id, kind] as const);
  }),
);

function toShape(text: string): Shape {
  if (!SHAPES.includes(text)) throw new Error(`kinds.json has the unknown shape ${text}`);
  return text;
}

const FALLBACK: Kind = { shape: "tshirt", nouns: [{ text: "article", gender: "m", isPlural: false }] };

/** The kind of a leaf, or of its nearest ancestor with one. Total, because every root has one. */
export function kindOf(leafId: number): Kind {
  const known = categoryPath(leafId).findLast(({ id }) => kindsById.has(id));
  return (known === undefined ? undefined : kindsById.get(known.id)) ?? FALLBACK;
}

/** "robe longue f" is a noun and its gender; "fp" and "mp" are plurals. */
function readNoun(text: string): Noun {
  const form = text.slice(text.lastIndexOf(" ") + 1);
  return {
    text: text.slice(0, text.lastIndexOf(" ")),
    gender: form.startsWith("f") ? "f" : "m",
    isPlural: form.endsWith("p"),
  };
}

/** The pattern of a fabric, used by both picture and title. */
export type Pattern = "plain" | "knit" | "flowers" | "stripes" | "dots" | "checks" | "leopard" | "print";

// Indexed by photo seed modulo 16; half are plain.
const PLACES: readonly Pattern[] = [
  ...Array<Pattern>(8).fill("plain"),
  ...(["knit", "knit", "flowers", "stripes", "dots", "checks", "leopard", "print"] as const),
];

const PRINTABLE: ReadonlySet<Shape> = new Set(shapes.printable);

/** The pattern for a photo seed; "plain" for shapes that are never printed. */
export function patternOf(photoSeed: number, shape: Shape): Pattern {
  return PRINTABLE.has(shape) ? (PLACES[photoSeed % PLACES.length] ?? "plain") : "plain";
}
