import type { Clock } from "#domain/clock.ts";
import type { Log } from "#domain/log.ts";
import { MarketplaceError } from "#marketplace/errors.ts";
import type { Catalogue, SearchPage } from "#marketplace/marketplace.ts";
import type { Scout } from "../schedule/scout.ts";
import type { SliceState } from "../schedule/slice-states.ts";
import type { PageReading } from "./ingest.ts";
import type { SeenListings } from "./seen-listings.ts";

/** Items per page: the marketplace's maximum. */
export const PAGE_SIZE = 96;

/** The marketplace serves no page beyond this one. */
export const MAX_PAGES = 10;

export interface SlicePassParts {
  readonly catalogue: Catalogue;
  /** Waits for the request budget; false: no request may be sent now. */
  readonly takeTurn: () => Promise<boolean>;
  readonly memory: SeenListings;
  readonly clock: Clock;
  readonly log: Log;
  /** Loads the listings of a page that the memory has evicted. */
  readonly loadForgotten: (page: SearchPage) => Promise<void>;
  readonly scout: Pick<Scout, "observePage" | "recordMiss">;
  /** Publishes a page's news, then records them with the mark; settles when the next page may be read. */
  readonly publish: (reading: PageReading, state: SliceState) => Promise<void>;
}

/** interrupted: a pause began or the process stops. What was read is published; the mark has not moved. */
export type PassOutcome = "read" | "interrupted" | "suspiciously_empty";

/** Throws the marketplace port's errors, and `unreadable` if no listing of the page could be parsed. */
export async function readPage(
  { slice }: SliceState,
  pageNumber: number,
  { catalogue, loadForgotten }: SlicePassParts,
  perPage = PAGE_SIZE,
): Promise<SearchPage> {
  const page = await catalogue.searchNewest({
    leafIds: slice.leafIds,
    marketplaceColourIds: slice.marketplaceColourIds,
    page: pageNumber,
    perPage,
  });
  if (page.listings.length === 0 && page.droppedCount > 0) throw new MarketplaceError("unreadable");
  if (!slice.isScout) await loadForgotten(page);
  return page;
}
