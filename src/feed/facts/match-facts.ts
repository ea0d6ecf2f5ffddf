import type { Clock } from "#domain/clock.ts";
import type { EventBus } from "#domain/events.ts";
import type { ListingId } from "#domain/ids.ts";
import type { SeenListing } from "#domain/market/listing.ts";
import type { Log } from "#domain/log.ts";
import type { HeldMatch } from "#domain/market/match.ts";
import type { SellerFacts } from "#domain/market/seller.ts";
import type { SellerPages } from "#marketplace/marketplace.ts";
import type { RequestBudget } from "#marketplace/request-budget.ts";
import type { HeldMatchStore, RelistStore, SellerFactStore } from "#store/market-store.ts";
import type { FanOutResult } from "../feed-queue.ts";
import { HeldMatches, type HeldMatchesParts } from "./held-matches.ts";
import { RelistBook } from "./relist-book.ts";
import { SellerLookUps } from "./seller-look-ups.ts";

/** How facts that catalogue pages lack are established. */
export interface MatchFactsOptions {
  readonly pages: SellerPages;
  /** Key of the hash that stands for a seller; the same on all nodes. */
  readonly sellerSecret: Uint8Array;
  /** Listings of one article first seen within this time of each other do not count as relists. */
  readonly relistApartMs: number;
  readonly looksUpSellers: boolean;
  /** Other processes hold matches in the same store. */
  readonly isShared: boolean;
}

export interface FactsStore {
  readonly held: HeldMatchStore;
  readonly sellerFacts: SellerFactStore;
  readonly relists: RelistStore;
}

interface MatchFactsParts extends Pick<
  HeldMatchesParts,
  "filters" | "holds" | "batchOf" | "publish" | "record" | "listings"
> {
  readonly options: MatchFactsOptions;
  readonly store: FactsStore;
  readonly budget: RequestBudget;
  readonly events: EventBus;
  readonly isMarketPaused: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** Establishes facts that catalogue pages lack (sellers, relists), for listings that matched a filter. */
export class MatchFacts {
  readonly #parts: MatchFactsParts;
  readonly #relists: RelistBook;
  readonly #lookUps: SellerLookUps;
  readonly #held: HeldMatches;
  #unsubscribe: () => void = () => undefined;

  constructor(parts: MatchFactsParts) {
    const { options, store, events, clock, log } = parts;
    this.#parts = parts;
    this.#relists = new RelistBook({
      store: store.relists,
      secret: options.sellerSecret,
      apartMs: options.relistApartMs,
      clock,
      log,
    });
    this.#lookUps = new SellerLookUps({
      ...parts,
      pages: options.pages,
      store: store.sellerFacts,
      isOn: options.looksUpSellers,
      isShared: options.isShared,
      onKnown: (sellerId, seller) => void events.publish({ kind: "seller_known", sellerId, seller }),
    });
    this.#held = new HeldMatches({
      ...parts,
      isShared: options.isShared,
      store: store.held,
      relists: this.#relists,
      lookUps: this.#lookUps,
    });
  }

  /** Call it once the filters are loaded. */
  async start(): Promise<void> {
    this.#unsubscribe = this.#parts.events.subscribe((event) => {
      if (event.kind === "seller_known") this.#lookUps.learn(event.sellerId, event.seller);
      else if (event.kind === "price_rose") this.#held.priceRose(event);
    });
    await this.#held.start();
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    this.#lookUps.stop();
    await this.#held.stop();
  }

  /** A seller's facts if they are cached; sends no request. */
  sellerOf(sellerId: number): SellerFacts | null {
    return this.#lookUps.remembered(sellerId);
  }

  /** Records listings that matched a filter as articles, and announces relists among the published ones. */
  note({ matches, held }: Pick<FanOutResult, "matches" | "held">): void {
    const published = new Map<ListingId, SeenListing>(
      matches.map(({ listing }) => [listing.listing.id, listing]),
    );
    const others = held.filter(({ listing }) => !published.has(listing.listing.id));
    for (const { listing } of others) void this.#relists.of(listing);
    for (const listing of published.values()) void this.#announceRelist(listing);
  }

  /** Makes matches durable, then publishes each once its facts allow it. Rejects if they cannot be stored. */
  async hold(held: readonly HeldMatch[]): Promise<void> {
    await this.#held.hold(held);
  }

  async #announceRelist(seen: SeenListing): Promise<void> {
    const relist = await this.#relists.of(seen);
    if (relist === null) return;
    await this.#parts.events.publish({ kind: "relist_known", listingId: seen.listing.id, relist });
  }
}
