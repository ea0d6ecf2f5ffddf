/**
 * A generated market in simulated time: listings arrive by the weight of each leaf and the hour of the day,
 * with the prices, brands, sizes and colours of the catalogue's priors. Deterministic by seed.
 */
import { hourSharesUtc, protectionFeeCents } from "#catalogue/simulation-priors.ts";
import { type Clock, sleep } from "#domain/clock.ts";
import { asListingId } from "#domain/ids.ts";
import type { Listing } from "#domain/market/listing.ts";
import type { Catalogue, SearchPage, SearchQuery } from "#marketplace/marketplace.ts";
import { arrivalsIn, firstPosition, type StreamPosition } from "#sandbox/world/world.ts";
import { drawListing } from "#sandbox/world/draw-listing.ts";
import { aListing } from "#verify/testing/a-listing.ts";

/** A listing with facts that its search result does not show. */
export interface ModelListing {
  listing: Listing;
  readonly leafId: number;
  readonly colourIds: readonly number[];
  readonly publishedAtMs: number;
  isGone: boolean;
}

export interface ModelMarketOptions {
  readonly clock: Clock;
  readonly seed: number;
  /** Mean over a day. */
  readonly listingsPerSecond: number;
  /** From a request to its answer. */
  readonly answerMs: number;
  /** Number of listings on sale at the start. */
  readonly stock: number;
  /** Changes a new listing before it is published. */
  readonly alter?: (listing: Listing, publishedAtMs: number) => Listing;
}

const MAX_PAGES = 10;
const FIRST_ID = 5_000_000_000;
/** Up to this many leaves are merged from per-leaf lists; for more, the whole market is scanned. */
const FEW_LEAVES = 12;
const PHOTO_AGE_MS = 90_000;

export class ModelMarket implements Catalogue {
  /** Everything ever published, the oldest first. */
  readonly published: ModelListing[] = [];
  requestCount = 0;
  readonly #options: ModelMarketOptions;
  readonly #byLeaf = new Map<number, ModelListing[]>();
  #grownUntilMs: number;
  #position: StreamPosition;

  constructor(options: ModelMarketOptions) {
    this.#options = options;
    this.#position = firstPosition(options.seed);
    this.#grownUntilMs = options.clock.nowMs();
    for (let count = options.stock; count > 0; count -= 1)
      this.publish(this.#grownUntilMs - (count * 1_000) / Math.max(options.listingsPerSecond, 1e-3));
  }

  async searchNewest(query: SearchQuery): Promise<SearchPage> {
    const { clock, answerMs } = this.#options;
    this.requestCount += 1;
    await sleep(clock, answerMs / 2);
    this.grow();
    const page = this.#page(query);
    await sleep(clock, answerMs / 2);
    return { ...page, receivedAtMs: clock.nowMs() };
  }

  /** Publishes everything that is due by now. */
  grow(): void {
    const { clock, seed, listingsPerSecond } = this.#options;
    const nowMs = clock.nowMs();
    while (this.#grownUntilMs < nowMs) {
      const fromMs = this.#grownUntilMs;
      const toMs = Math.min(nowMs, nextHourMs(fromMs));
      this.#grownUntilMs = toMs;
      const perSecond = listingsPerSecond * 24 * (hourSharesUtc[new Date(fromMs).getUTCHours()] ?? 0);
      if (perSecond <= 0) continue;
      const { position, arrivals } = arrivalsIn(this.#position, { seed, fromMs, toMs, perSecond });
      this.#position = position;
      for (const { atMs } of arrivals) this.publish(atMs);
    }
  }

  /** @param leafId absent: drawn by the leaves' weights */
  publish(publishedAtMs: number, leafId?: number): ModelListing {
    const serial = this.published.length + 1;
    const { seed } = this.#options;
    const facts = drawListing({ seed, serial, publishedAtMs, ...(leafId === undefined ? {} : { leafId }) });
    const drawn = aListing({
      id: asListingId(FIRST_ID + serial),
      title: facts.title,
      brandTitle: facts.brandTitle,
      sizeTitle: facts.sizeTitle,
      conditionLabel: facts.conditionLabel,
      itemPriceCents: facts.priceCents,
      totalPriceCents: facts.priceCents + protectionFeeCents(facts.priceCents),
      photoTakenAtUnixS: Math.floor((publishedAtMs - PHOTO_AGE_MS) / 1_000),
    });
    const listing = this.#options.alter?.(drawn, publishedAtMs) ?? drawn;
    const { colourIds } = facts;
    const made: ModelListing = { listing, leafId: facts.leafId, colourIds, publishedAtMs, isGone: false };
    this.published.push(made);
    const ofLeaf = this.#byLeaf.get(facts.leafId);
    if (ofLeaf === undefined) this.#byLeaf.set(facts.leafId, [made]);
    else ofLeaf.push(made);
    return made;
  }

  #page({ leafIds, marketplaceColourIds, page, perPage }: SearchQuery): Omit<SearchPage, "receivedAtMs"> {
    const wanted = page * perPage;
    const found =
      leafIds.length > 0 && leafIds.length <= FEW_LEAVES
        ? this.#mergeLeaves(leafIds, marketplaceColourIds, wanted + 1)
        : this.#lookThrough(leafIds, marketplaceColourIds, wanted + 1);
    return {
      listings: page > MAX_PAGES ? [] : found.slice(wanted - perPage, wanted).map(({ listing }) => listing),
      droppedCount: 0,
      totalPages: Math.min(MAX_PAGES, found.length > wanted ? page + 1 : page),
    };
  }

  #mergeLeaves(
    leafIds: readonly number[],
    colourIds: readonly number[],
    count: number,
  ): readonly ModelListing[] {
    return leafIds
      .flatMap((leafId) => lastOf(this.#byLeaf.get(leafId) ?? [], count, (each) => isIn(each, colourIds)))
      .toSorted((one, other) => other.listing.id - one.listing.id)
      .slice(0, count);
  }

  #lookThrough(
    leafIds: readonly number[],
    colourIds: readonly number[],
    count: number,
  ): readonly ModelListing[] {
    const leaves = new Set(leafIds);
    return lastOf(
      this.published,
      count,
      (each) => (leaves.size === 0 || leaves.has(each.leafId)) && isIn(each, colourIds),
    );
  }
}

function isIn(each: ModelListing, colourIds: readonly number[]): boolean {
  return colourIds.length === 0 || colourIds.some((id) => each.colourIds.includes(id));
}

/** The newest first. */
function lastOf(
  listings: readonly ModelListing[],
  count: number,
  holds: (each: ModelListing) => boolean,
): readonly ModelListing[] {
  const found: ModelListing[] = [];
  for (let place = listings.length - 1; place >= 0 && found.length < count; place -= 1) {
    const each = listings[place];
    if (each !== undefined && !each.isGone && holds(each)) found.push(each);
  }
  return found;
}

function nextHourMs(atMs: number): number {
  return (Math.floor(atMs / 3_600_000) + 1) * 3_600_000;
}
