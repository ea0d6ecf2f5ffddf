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
  /** Its seller lowers the price, which was its fate. */
  lowerPrice(id: number, priceCents: number): MarketListing | null;
  /** Raises both shipping prices. */
  addShipping(id: number, cents: number): MarketListing | null;
  /** Returns listings to the catalogue whose reservation by another buyer has ended. */
  releaseDue(): void;
  /**
   * Deletes a batch of old listings, or of any listings when there are too many.
   * @returns whether the batch was full: there may be more
   */
  forgetOld(): boolean;
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
  const reservations = createReservations();
  for (const listing of database.listings.onSale()) {
    searchIndex.put(listing);
    reservations.note(listing);
  }

  const byId = (id: number): MarketListing | null => searchIndex.byId(id) ?? database.listings.byId(id);

  const setState: Stock["setState"] = (id, state, untilMs) => {
    const listing = byId(id);
    if (listing === null) return null;
    const changed = { ...listing, state, reservedUntilMs: untilMs ?? null };
    database.listings.setState(id, state, changed.reservedUntilMs);
    database.afterWrite(() => {
      reservations.note(changed);
      if (state === "available" || state === "reserved") searchIndex.put(changed);
      else searchIndex.remove(id);
    });
    return changed;
  };

  const change = (id: number, changesOf: Change): MarketListing | null => {
    const listing = byId(id);
    if (listing === null) return null;
    const changed = { ...listing, ...changesOf(listing) };
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
    setPrice: (id, priceCents) => change(id, () => ({ priceCents })),
    lowerPrice: (id, priceCents) => change(id, () => ({ priceCents, fate: null })),
    addShipping: (id, cents) =>
      change(id, ({ homeShippingCents, pointShippingCents }) => ({
        homeShippingCents: homeShippingCents + cents,
        pointShippingCents: pointShippingCents + cents,
      })),
    releaseDue() {
      for (const id of reservations.takeEnded(clock.nowMs())) setState(id, "available");
    },
    forgetOld() {
      const tooOldMs = clock.nowMs() - WORLD_LISTING_LIFETIME_MS;
      const before = searchIndex.size > MAX_ON_SHELF ? clock.nowMs() : tooOldMs;
      const forgotten = database.listings.forgetOld(before, MAX_FORGOTTEN_AT_ONCE);
      for (const id of forgotten) searchIndex.remove(id);
      return forgotten.length === MAX_FORGOTTEN_AT_ONCE;
    },
  };
}

type Change = (listing: MarketListing) => Partial<MarketListing>;

/** The reservations by other buyers, and when they end. */
function createReservations() {
  const endsAtMs = new Map<number, number>();
  return {
    /** Must be called for every change of a listing's state. */
    note({ id, reservedUntilMs }: MarketListing): void {
      if (reservedUntilMs === null) endsAtMs.delete(id);
      else endsAtMs.set(id, reservedUntilMs);
    },
    /** Removes and returns the listings whose reservation has ended. */
    takeEnded(nowMs: number): readonly number[] {
      const ended = [...endsAtMs].filter(([, atMs]) => atMs <= nowMs).map(([id]) => id);
      for (const id of ended) endsAtMs.delete(id);
      return ended;
    },
  };
}
