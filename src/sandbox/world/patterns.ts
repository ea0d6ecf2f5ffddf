import type { Shape } from "./kinds.ts";

/** What is printed on a fabric. The picture and the title speak of the same one. */
export type Pattern = "plain" | "knit" | "flowers" | "stripes" | "dots" | "checks" | "leopard" | "print";

// Sixteen places: plain is what most things are.
const PLACES: readonly Pattern[] = [
  "plain",
  "plain",
  "plain",
  "plain",
  "plain",
  "plain",
  "plain",
  "plain",
  "knit",
  "knit",
  "flowers",
  "stripes",
  "dots",
  "checks",
  "leopard",
  "print",
];

const PRINTABLE: ReadonlySet<Shape> = new Set([
  "dress",
  "longDress",
  "skirt",
  "tshirt",
  "tank",
  "shirt",
  "sweater",
  "cardigan",
  "leggings",
  "shorts",
  "jumpsuit",
  "swimsuit",
  "bikini",
  "briefs",
  "socks",
  "scarf",
  "babygrow",
  "cushion",
  "bedding",
  "towel",
  "rug",
  "pouch",
  "backpack",
  "umbrella",
  "tie",
]);

/** The pattern that belongs to a photo's seed, on a thing of this shape; hard and plain things have none. */
export function patternOf(photoSeed: number, shape: Shape): Pattern {
  return PRINTABLE.has(shape) ? (PLACES[photoSeed % PLACES.length] ?? "plain") : "plain";
}
