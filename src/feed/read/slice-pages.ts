import type { Clock } from "#domain/clock.ts";
import type { Log } from "#domain/log.ts";
import { MarketplaceError } from "#marketplace/errors.ts";
import type { Catalogue, SearchPage } from "#marketplace/marketplace.ts";
import type { PageReading } from "./ingest.ts";
import type { Scout } from "../schedule/scout.ts";
import type { SeenListings } from "./seen-listings.ts";
import type { SliceState } from "../schedule/slice-states.ts";

/** Items per page: the marketplace's most. */
export const PAGE_SIZE = 96;

/** The marketplace serves no page beyond this one. */
export const MAX_PAGES = 10;

/** What a pass over a slice's pages needs. */
export interface SlicePassParts {
  readonly catalogue: Catalogue;
  /** Waits for a turn of the budget; false: no request may leave now. */
  readonly takeTurn: () => Promise<boolean>;
  readonly memory: SeenListings;
  readonly clock: Clock;
  readonly log: Log;
  /** Completes the memory with what was written down of a page's listings. */
  readonly recall: (page: SearchPage) => Promise<void>;
  readonly scout: Pick<Scout, "takePage" | "disappoint">;
  /** Tells a page's news before it records them with the slice's mark; settles when the next page may come. */
  readonly publish: (reading: PageReading, state: SliceState) => Promise<void>;
  /** The same, beside what goes on; its failure is seen there. */
  readonly publishAside: (reading: PageReading, state: SliceState) => void;
}

/** interrupted: a pause began, or the product stops; what was read so far is told, the mark has not moved. */
export type PassOutcome = "read" | "interrupted" | "suspiciously_empty";

/** Throws what the marketplace's port throws, and for a page of which nothing could be read. */
export async function readPage(
  { slice }: SliceState,
  pageNumber: number,
  { catalogue, recall }: SlicePassParts,
  perPage = PAGE_SIZE,
): Promise<SearchPage> {
  const page = await catalogue.searchNewest({
    leafIds: slice.leafIds,
    marketplaceColourIds: slice.marketplaceColourIds,
    page: pageNumber,
    perPage,
  });
  if (page.listings.length === 0 && page.droppedCount > 0) throw new MarketplaceError("unreadable");
  if (!slice.isScout) await recall(page);
  return page;
}
