import type { Clock } from "#domain/clock.ts";
import type { MarketDatabase } from "../database/market-database.ts";
import type { ListingFacts, ListingState, MarketListing } from "./listing.ts";
import type { SearchIndex } from "./search-index.ts";

/** The listings of the market. Every change is committed before the search index shows it. */
export interface Stock {
  /** Publishes listings atomically. */
  publish(newListings: readonly NewListing[], publishedAtMs?: number): readonly MarketListing[];
  /** A listing in any state; null when unknown or deleted. */
  byId(id: number): MarketListing | null;
  /** @param reservedUntilMs when a reservation by another buyer ends */
  setState(id: number, state: ListingState, reservedUntilMs?: number): MarketListing | null;
  setPrice(id: number, priceCents: number): MarketListing | null;
  /** Raises both shipping prices. */
  addShipping(id: number, cents: number): MarketListing | null;
  /** Deletes a batch of old listings, or of any listings when there are too many. */
  forgetOld(): void;
}

export interface NewListing {
  readonly facts: ListingFacts;
  /** Its number in the generated world; null for control calls. */
  readonly serial: number | null;
  /** Overrides the publication time of the batch, for the initial stock. */
  readonly publishedAtMs?: number;
}

/** Ids start as high as on a long-established marketplace. */
const FIRST_LISTING_ID = 5_000_000_000;
const WORLD_LISTING_LIFETIME_MS = 24 * 3_600_000;
/** Bounds memory when the pace stays high. */
const MAX_ON_SHELF = 200_000;
const MAX_FORGOTTEN_AT_ONCE = 500;

export function createStock(database: MarketDatabase, searchIndex: SearchIndex, clock: Clock): Stock {
  let lastId = Math.max(database.listings.lastId(), FIRST_LISTING_ID);
  for (const listing of database.listings.onSale()) searchIndex.put(listing);

  const byId = (id: number): MarketListing | null => {
    const listing = searchIndex.byId(id) ?? database.listings.byId(id);
    if (listing?.state !== "reserved" || listing.reservedUntilMs === null) return listing;
    return listing.reservedUntilMs > clock.nowMs() ? listing : setState(id, "available");
  };

  function setState(id: number, state: ListingState, reservedUntilMs?: number): MarketListing | null {
    const listing = searchIndex.byId(id) ?? database.listings.byId(id);
    if (listing === null) return null;
    const changed = { ...listing, state, reservedUntilMs: reservedUntilMs ?? null };
    database.listings.setState(id, state, changed.reservedUntilMs);
    database.afterWrite(() => {
      if (state === "available" || state === "reserved") searchIndex.put(changed);
      else searchIndex.remove(id);
    });
    return changed;
  }

  const change = (id: number, changes: Partial<MarketListing>): MarketListing | null => {
    const listing = byId(id);
    if (listing === null) return null;
    const changed = { ...listing, ...changes };
    database.listings.setCosts(changed);
    database.afterWrite(() => {
      if (searchIndex.byId(id) !== null) searchIndex.put(changed);
    });
    return changed;
  };

  return {
    byId,
    setState,
    publish(newListings, publishedAtMs = clock.nowMs()) {
      const listings = newListings.map((listing, index): MarketListing => ({
        ...listing.facts,
        id: lastId + index + 1,
        serial: listing.serial,
        publishedAtMs: listing.publishedAtMs ?? publishedAtMs,
        state: "available",
        reservedUntilMs: null,
      }));
      database.write(() => {
        for (const listing of listings) database.listings.insert(listing);
      });
      lastId += listings.length;
      database.afterWrite(() => {
        for (const listing of listings) searchIndex.put(listing);
      });
      return listings;
    },
    setPrice: (id, priceCents) => change(id, { priceCents }),
    addShipping(id, cents) {
      const listing = byId(id);
      if (listing === null) return null;
      const { homeShippingCents, pointShippingCents } = listing;
      return change(id, {
        homeShippingCents: homeShippingCents + cents,
        pointShippingCents: pointShippingCents + cents,
      });
    },
    forgetOld() {
      const tooOldMs = clock.nowMs() - WORLD_LISTING_LIFETIME_MS;
      const before = searchIndex.size > MAX_ON_SHELF ? clock.nowMs() : tooOldMs;
      const forgotten = database.listings.forgetOld(before, MAX_FORGOTTEN_AT_ONCE);
      for (const id of forgotten) searchIndex.remove(id);
    },
  };
}
