/** A fake marketplace: listings newest first, at most ten pages per query, faults on demand. */
import type { Clock } from "#domain/clock.ts";
import type { ListingId } from "#domain/ids.ts";
import type { Listing } from "#domain/market/listing.ts";
import type { SellerFacts } from "#domain/market/seller.ts";
import { MarketplaceError } from "#marketplace/errors.ts";
import type { Catalogue, SearchPage, SearchQuery, SellerPages } from "#marketplace/marketplace.ts";
import type { MatchFactsOptions } from "./facts/match-facts.ts";
import { aListing } from "#verify/testing/a-listing.ts";

export interface NewListing extends Partial<Omit<Listing, "id">> {
  /** Default: the market's next id. */
  readonly id?: number;
  readonly leafId?: number;
  readonly colourIds?: readonly number[];
}

interface ForSale {
  listing: Listing;
  readonly leafId: number;
  readonly colourIds: readonly number[];
}

const MAX_PAGES = 10;
const FIRST_ID = 1_000;

/** For a feed under test: sellers are looked up, every further listing of an article is a relist. */
export function factsFrom(pages: SellerPages): MatchFactsOptions {
  return {
    pages,
    sellerSecret: Buffer.from("secret"),
    relistApartMs: 0,
    looksUpSellers: true,
    isShared: false,
  };
}

export class MarketInMemory implements Catalogue, SellerPages {
  /** Sellers with a profile; all others are not found. */
  readonly sellers = new Map<number, SellerFacts>();
  /** Every seller request, in order. */
  readonly asked: { readonly sellerId: number; readonly atMs: number }[] = [];
  /** Called before a seller request is answered: may throw or delay. */
  beforeSeller: (sellerId: number) => Promise<void> = async () => undefined;
  /** Every request, in order. */
  readonly requests: { readonly query: SearchQuery; readonly atMs: number }[] = [];
  /** Called before a search is answered, to change the market while the request is in flight. */
  beforeAnswer: (query: SearchQuery) => void = () => undefined;
  readonly #clock: Clock;
  readonly #forSale = new Map<ListingId, ForSale>();
  #failures: MarketplaceError[] = [];
  #nextId = FIRST_ID;
  /** Answers with nothing but promoted listings, as some marketplaces do to a blocked client. */
  isEmptied = false;
  /** The number of pages that an empty answer then claims. */
  pagesWhenEmpty = 0;
  /** Marked as promoted: on top of the first page and again in its regular position. */
  promoted: ListingId | null = null;
  isPromotedOnEveryPage = false;
  readonly #hidden = new Set<ListingId>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  publish(attributes: NewListing = {}): ListingId {
    const { leafId = 221, colourIds = [], id = this.#nextId, ...traits } = attributes;
    if (attributes.id === undefined) this.#nextId += 1;
    const photoTakenAtUnixS = Math.floor(this.#clock.nowMs() / 1_000);
    const listing = aListing({ id, photoTakenAtUnixS, ...traits });
    this.#forSale.set(listing.id, { listing, leafId, colourIds });
    return listing.id;
  }

  publishMany(count: number, attributes: NewListing = {}): readonly ListingId[] {
    return Array.from({ length: count }, () => this.publish(attributes));
  }

  sell(id: ListingId): void {
    this.#forSale.delete(id);
  }

  /** On sale, but not found by searches. */
  hide(id: ListingId): void {
    this.#hidden.add(id);
  }

  show(id: ListingId): void {
    this.#hidden.delete(id);
  }

  edit(id: ListingId, traits: Partial<Listing>): void {
    const found = this.#forSale.get(id);
    if (found !== undefined) found.listing = { ...found.listing, ...traits };
  }

  /** Each of the next requests fails with one of these. */
  failNext(...failures: readonly MarketplaceError[]): void {
    this.#failures.push(...failures);
  }

  get ids(): readonly ListingId[] {
    return [...this.#forSale.keys()];
  }

  async seller(sellerId: number): Promise<SellerFacts> {
    this.asked.push({ sellerId, atMs: this.#clock.nowMs() });
    await this.beforeSeller(sellerId);
    const facts = this.sellers.get(sellerId);
    if (facts === undefined) throw new MarketplaceError("not_found");
    return facts;
  }

  async searchNewest(query: SearchQuery): Promise<SearchPage> {
    this.requests.push({ query, atMs: this.#clock.nowMs() });
    // An answer never arrives in the same tick.
    await Promise.resolve();
    this.beforeAnswer(query);
    const failure = this.#failures.shift();
    if (failure !== undefined) throw failure;
    const found = this.isEmptied ? this.#promotedOf(query) : this.#find(query);
    const start = (query.page - 1) * query.perPage;
    const listings = found.slice(start, start + query.perPage);
    const promoted = this.isPromotedOnEveryPage && start > 0 ? found.slice(0, 1) : [];
    return {
      listings: [...promoted, ...listings],
      droppedCount: 0,
      totalPages: this.isEmptied
        ? this.pagesWhenEmpty
        : Math.min(MAX_PAGES, Math.ceil(found.length / query.perPage)),
      receivedAtMs: this.#clock.nowMs(),
    };
  }

  #promotedOf(query: SearchQuery): readonly Listing[] {
    return this.isPromotedOnEveryPage ? this.#find(query).slice(0, 1) : [];
  }

  #find({ leafIds, marketplaceColourIds }: SearchQuery): readonly Listing[] {
    const leaves = new Set(leafIds);
    const found = [...this.#forSale.values()]
      .filter(({ listing }) => !this.#hidden.has(listing.id))
      .filter(({ leafId }) => leaves.size === 0 || leaves.has(leafId))
      .filter(
        ({ colourIds }) =>
          marketplaceColourIds.length === 0 || colourIds.some((id) => marketplaceColourIds.includes(id)),
      )
      .map(({ listing }) => listing)
      .map((listing) => (listing.id === this.promoted ? { ...listing, isPromoted: true } : listing))
      .toSorted((one, other) => other.id - one.id);
    const promoted = found.filter(({ isPromoted }) => isPromoted);
    return [...promoted, ...found];
  }
}
