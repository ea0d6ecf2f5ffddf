/** What garment.tsx can draw. */
export type GarmentName =
  | "jacket"
  | "hoodie"
  | "trench"
  | "dress"
  | "jeans"
  | "sneaker"
  | "bag"
  | "knit"
  | "puffer"
  | "shirt";
