/**
 * The fifty brands of the filter form, one page, by number of listings. Field names are the wire's. Counts
 * are from March 2022. Other brands of listings are in brand-titles.ts.
 */
import brandRows from "./data/brands.json" with { type: "json" };
import { flagIn, numberIn, textIn } from "./row-cells.ts";

export interface Brand {
  readonly id: number;
  readonly title: string;
  readonly slug: string;
  /** People who follow the brand. */
  readonly favourite_count: number;
  readonly pretty_favourite_count: string;
  readonly item_count: number;
  readonly pretty_item_count: string;
  readonly is_visible_in_listings: boolean;
  readonly requires_authenticity_check: boolean;
  readonly is_luxury: boolean;
  /** High-value fashion: observed for Nike and adidas, otherwise equal to is_luxury. */
  readonly is_hvf: boolean;
  readonly path: string;
  /** Relative to the marketplace, whose host is a setting. */
  readonly url: string;
  readonly is_favourite: boolean;
}

/** The brands of the form by item_count, descending. */
export const brands: readonly Brand[] = brandRows.map((row) => {
  const id = numberIn(row, 0);
  const slug = textIn(row, 2);
  const path = `/brand/${id}-${slug}`;
  const itemCount = numberIn(row, 6);
  const favouriteCount = numberIn(row, 7);
  return {
    id,
    title: textIn(row, 1),
    slug,
    favourite_count: favouriteCount,
    pretty_favourite_count: prettyCount(favouriteCount),
    item_count: itemCount,
    pretty_item_count: prettyCount(itemCount),
    is_visible_in_listings: true,
    requires_authenticity_check: flagIn(row, 4),
    is_luxury: flagIn(row, 3),
    is_hvf: flagIn(row, 5),
    path,
    url: path,
    is_favourite: false,
  };
});

/** A count as abbreviated by the marketplace: 950, 376K, 2.8M; at most one decimal, and no ".0". */
export function prettyCount(count: number): string {
  // 999,950 and more would round to "1000K".
  if (count >= 999_950) return `${Math.round(count / 100_000) / 10}M`;
  if (count >= 1_000) return `${Math.round(count / 100) / 10}K`;
  return String(count);
}
