// Filters and listings, drawn from one seeded sequence, so that every run is the same and the driver can
// compute which page must receive which listing.
import { brands } from "#catalogue/brands.ts";
import { leafIds } from "#catalogue/categories.ts";
import type { NewListing } from "#verify/testing/sandbox-client.ts";

export interface WatchedCriteria {
  readonly leafId: number;
  readonly brandIds: readonly number[];
  readonly limitEur: number;
}

/** A keyword unique to this buying filter. */
export function buyingWord(index: number): string {
  return `lot${index}`;
}

export type Draw = () => number;

/** A realistic number of categories; each is a slice of the feed. */
const LEAVES = leafIds.slice(0, 24);
const BRANDS = brands.slice(0, 50);

export function drawCriteria(draw: Draw): WatchedCriteria {
  const first = Math.floor(draw() * BRANDS.length);
  const wanted = draw() < 0.5 ? [first] : [first, (first + 7) % BRANDS.length];
  return {
    leafId: pick(LEAVES, draw),
    brandIds: wanted.map((index) => BRANDS[index]?.id ?? 0),
    limitEur: 20 + Math.floor(draw() * 80),
  };
}

/** A listing that ordinary filters may match. */
export function drawListing(draw: Draw, serial: number): NewListing {
  const { title } = pick(BRANDS, draw);
  return {
    title: `${title} pièce ${serial}`,
    price: 5 + Math.floor(draw() * 60),
    brand_title: title,
    catalog_id: pick(LEAVES, draw),
  };
}

/** A listing that matches exactly one buying filter. */
export function buyableListing(serial: number, buyingIndex: number): NewListing {
  return {
    title: `Veste ${buyingWord(buyingIndex)} pièce ${serial}`,
    price: 8,
    catalog_id: pick(LEAVES, () => 0),
  };
}

const brandIdByTitle = new Map(brands.map(({ id, title }) => [title, id]));

/** The product's matching rule, as defined by the contract. */
export function accepts(criteria: WatchedCriteria, listing: NewListing, totalEur: number): boolean {
  return (
    criteria.leafId === listing.catalog_id &&
    criteria.brandIds.includes(brandIdByTitle.get(listing.brand_title ?? "") ?? -1) &&
    totalEur <= criteria.limitEur
  );
}

function pick<T>(among: readonly T[], draw: Draw): T {
  const picked = among[Math.floor(draw() * among.length)];
  if (picked === undefined) throw new Error("there is nothing to pick from");
  return picked;
}
