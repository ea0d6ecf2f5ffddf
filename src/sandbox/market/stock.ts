import type { Clock } from "#domain/clock.ts";
import type { Books } from "../books/books.ts";
import type { ListingFacts, ListingState, MarketListing } from "./listing.ts";
import type { Shelf } from "./shelf.ts";

/** The listings of the market: every change is in the books before the shelf shows it. */
export interface Stock {
  /** Publishes together: all of them are found from the same moment on. */
  publish(wares: readonly Ware[], publishedAtMs?: number): readonly MarketListing[];
  /** For sale or not; null when there never was one, or it is long forgotten. */
  byId(id: number): MarketListing | null;
  /** @param reservedUntilMs with "reserved" by somebody else: until when */
  setState(id: number, state: ListingState, reservedUntilMs?: number): MarketListing | null;
  setPrice(id: number, priceCents: number): MarketListing | null;
  /** The parcel costs this much more from now on, wherever it goes. */
  addShipping(id: number, cents: number): MarketListing | null;
  /** Forgets what is too old, or too much, at most a few hundred at a time. */
  forgetOld(): void;
}

export interface Ware {
  readonly facts: ListingFacts;
  /** Its number in the seeded world; null: by hand. */
  readonly serial: number | null;
  /** Its own moment, for a starting stock; absent: that of the whole batch. */
  readonly publishedAtMs?: number;
}

/** Listing ids begin where those of a market of this age would. */
const FIRST_LISTING_ID = 5_000_000_000;
const WORLD_LISTING_LIFETIME_MS = 24 * 3_600_000;
/** Keeps memory bounded when the pace is high for long. */
const MAX_ON_SHELF = 200_000;
const MAX_FORGOTTEN_AT_ONCE = 500;

export function createStock(books: Books, shelf: Shelf, clock: Clock): Stock {
  let lastId = Math.max(books.listings.lastId(), FIRST_LISTING_ID);
  for (const listing of books.listings.onSale()) shelf.put(listing);

  const byId = (id: number): MarketListing | null => {
    const listing = shelf.byId(id) ?? books.listings.byId(id);
    if (listing?.state !== "reserved" || listing.reservedUntilMs === null) return listing;
    return listing.reservedUntilMs > clock.nowMs() ? listing : setState(id, "available");
  };

  function setState(id: number, state: ListingState, reservedUntilMs?: number): MarketListing | null {
    const listing = shelf.byId(id) ?? books.listings.byId(id);
    if (listing === null) return null;
    const changed = { ...listing, state, reservedUntilMs: reservedUntilMs ?? null };
    books.listings.setState(id, state, changed.reservedUntilMs);
    books.afterWrite(() => {
      if (state === "available" || state === "reserved") shelf.put(changed);
      else shelf.remove(id);
    });
    return changed;
  }

  const change = (id: number, changes: Partial<MarketListing>): MarketListing | null => {
    const listing = byId(id);
    if (listing === null) return null;
    const changed = { ...listing, ...changes };
    books.listings.setCosts(changed);
    books.afterWrite(() => {
      if (shelf.byId(id) !== null) shelf.put(changed);
    });
    return changed;
  };

  return {
    byId,
    setState,
    publish(wares, publishedAtMs = clock.nowMs()) {
      const listings = wares.map((ware, index): MarketListing => ({
        ...ware.facts,
        id: lastId + index + 1,
        serial: ware.serial,
        publishedAtMs: ware.publishedAtMs ?? publishedAtMs,
        state: "available",
        reservedUntilMs: null,
      }));
      books.write(() => {
        for (const listing of listings) books.listings.insert(listing);
      });
      lastId += listings.length;
      books.afterWrite(() => {
        for (const listing of listings) shelf.put(listing);
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
      const before = shelf.size > MAX_ON_SHELF ? clock.nowMs() : tooOldMs;
      const forgotten = books.listings.forgetOld(before, MAX_FORGOTTEN_AT_ONCE);
      for (const id of forgotten) shelf.remove(id);
    },
  };
}
