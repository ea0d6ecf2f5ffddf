/** The model market with faults, empty answers, pages that shift, and listings out of order. */
import type { Clock } from "#domain/clock.ts";
import { MarketplaceError } from "#marketplace/errors.ts";
import type { Catalogue, SearchPage, SearchQuery } from "#marketplace/marketplace.ts";
import type { Draws } from "#sandbox/world/draws.ts";
import type { ModelListing, ModelMarket } from "./model-market.suite.ts";

/** Shares of all requests: refused with 429, answered with 5xx, cut off. */
const REFUSED_SHARE = 0.005;
const FAILED_SHARE = 0.014;
const FAULT_SHARE = 0.02;
/** Share of empty answers; more often for further pages. */
const EMPTY_SHARE = 0.005;
const FURTHER_EMPTY_SHARE = 0.05;
/** Share of pages with a promoted listing on top, or one that appears twice. */
const DISORDER_SHARE = 0.1;

export class FaultyMarket implements Catalogue {
  faultCount = 0;
  refusedCount = 0;
  emptiedCount = 0;
  requestCount = 0;
  /** True: no more faults. */
  isOver = false;
  /** Maximum number of listings that arrived between two answers to one query. */
  mostBetweenAnswers = 0;
  readonly #market: ModelMarket;
  readonly #draws: Draws;
  readonly #clock: Clock;
  readonly #answeredUpTo = new Map<string, number>();
  readonly #leaves = new WeakMap<readonly number[], ReadonlySet<number>>();

  constructor(market: ModelMarket, draws: Draws, clock: Clock) {
    this.#market = market;
    this.#draws = draws;
    this.#clock = clock;
  }

  async searchNewest(query: SearchQuery): Promise<SearchPage> {
    this.requestCount += 1;
    if (this.isOver) return await this.#market.searchNewest(query);
    const roll = this.#draws.next();
    if (query.page > 1) this.#shift();
    const page = await this.#market.searchNewest(query);
    if (roll < FAULT_SHARE) throw this.#faultOf(roll);
    const emptyShare = query.page === 1 ? EMPTY_SHARE : FURTHER_EMPTY_SHARE;
    if (roll < FAULT_SHARE + emptyShare) return this.#empty(page);
    if (query.page === 1) this.#noteAnswer(query);
    return roll < DISORDER_SHARE ? this.#disorder(page) : page;
  }

  #faultOf(roll: number): MarketplaceError {
    this.faultCount += 1;
    if (roll >= REFUSED_SHARE)
      return new MarketplaceError(roll < FAILED_SHARE ? "server_error" : "broken_connection");
    this.refusedCount += 1;
    return new MarketplaceError("rate_limited", { status: 429, retryAfterMs: 2_000 });
  }

  #empty(page: SearchPage): SearchPage {
    this.emptiedCount += 1;
    return { ...page, listings: [], totalPages: 0 };
  }

  #noteAnswer({ leafIds, marketplaceColourIds }: SearchQuery): void {
    const { published } = this.#market;
    const key = `${leafIds.join()}:${marketplaceColourIds.join()}`;
    const leaves = this.#leavesOf(leafIds);
    let count = 0;
    for (let place = this.#answeredUpTo.get(key) ?? published.length; place < published.length; place += 1) {
      const each = published[place];
      if (each !== undefined && isAskedFor(each, leaves, marketplaceColourIds)) count += 1;
    }
    this.#answeredUpTo.set(key, published.length);
    this.mostBetweenAnswers = Math.max(this.mostBetweenAnswers, count);
  }

  #leavesOf(leafIds: readonly number[]): ReadonlySet<number> {
    const known = this.#leaves.get(leafIds);
    if (known !== undefined) return known;
    const leaves = new Set(leafIds);
    this.#leaves.set(leafIds, leaves);
    return leaves;
  }

  /** Sells some of the newest listings and adds others while a reading is in progress. */
  #shift(): void {
    const { published } = this.#market;
    for (let count = this.#draws.whole(0, 6); count > 0; count -= 1) {
      const sold = published[published.length - this.#draws.whole(1, Math.min(600, published.length))];
      if (sold !== undefined) sold.isGone = true;
    }
    this.#market.grow();
    for (let count = this.#draws.whole(0, 12); count > 0; count -= 1)
      this.#market.publish(this.#clock.nowMs(), this.#draws.pick(published.slice(-50)).leafId);
  }

  /** Adds a promoted listing on top, out of order, and a duplicate. */
  #disorder(page: SearchPage): SearchPage {
    const { listings } = page;
    const [promoted, doubled] = [
      this.#draws.pick([...listings, null]),
      this.#draws.pick([...listings, null]),
    ];
    return {
      ...page,
      listings: [
        ...(promoted === null ? [] : [{ ...promoted, isPromoted: true }]),
        ...listings,
        ...(doubled === null ? [] : [doubled]),
      ],
    };
  }
}

function isAskedFor(
  { leafId, colourIds, isGone }: ModelListing,
  leaves: ReadonlySet<number>,
  wantedColourIds: readonly number[],
): boolean {
  const isOfColour = wantedColourIds.length === 0 || colourIds.some((id) => wantedColourIds.includes(id));
  return !isGone && isOfColour && (leaves.size === 0 || leaves.has(leafId));
}
