import type { ListingId } from "#domain/ids.ts";
import type { SearchPage } from "#marketplace/marketplace.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { MarketInMemory } from "../market-in-memory.suite.ts";
import { Scout } from "../schedule/scout.ts";
import { type SliceState, SliceStates } from "../schedule/slice-states.ts";
import { sliceOf } from "../schedule/slice.ts";
import { type News, type PageReading, ingestPage } from "./ingest.ts";
import { SeenListings } from "./seen-listings.ts";
import { PAGE_SIZE, type PassOutcome } from "./slice-pages.ts";
import { readSlice } from "./slice-pass.ts";

/** Less than a page, so that the first reading sees all of it. */
export const STOCK = 60;

const A_DAY_MS = 24 * 3_600_000;

/** One slice of a market, and everything that reading it publishes. */
export class Reading {
  readonly clock = new FakeClock();
  readonly market = new MarketInMemory(this.clock);
  readonly memory = new SeenListings({ maxEntries: 10_000, maxAgeMs: A_DAY_MS });
  readonly log = createQuietLog();
  readonly scout: Scout;
  readonly state: SliceState;
  readonly news: News[] = [];
  readonly published: PageReading[] = [];
  #change: (page: SearchPage) => SearchPage = (page) => page;
  isTurnGranted = true;
  /** Publishing waits for this. */
  publishing: Promise<unknown> = Promise.resolve();
  intervalMs = 6_000;

  /** Called between the market's answer and its arrival. */
  beforeArrival: () => Promise<void> = async () => undefined;

  constructor(slice = sliceOf([221], null, "rest")) {
    const slices = new SliceStates();
    slices.update([slice], this.clock.nowMs());
    this.state = onlyStateOf(slices);
    this.scout = new Scout({ slices, memory: this.memory, interestIn: () => 0 });
  }

  /** Transforms the market's answers from now on. */
  answerWith(change: (page: SearchPage) => SearchPage): void {
    this.#change = change;
  }

  async pass(): Promise<PassOutcome> {
    const outcome = await readSlice(this.state, {
      catalogue: {
        searchNewest: async (query) => {
          const page = await this.market.searchNewest(query);
          await this.beforeArrival();
          return this.#change({ ...page, receivedAtMs: this.clock.nowMs() });
        },
      },
      memory: this.memory,
      clock: this.clock,
      log: this.log,
      takeTurn: async () => this.isTurnGranted,
      scout: this.scout,
      loadForgotten: async () => undefined,
      publish: async (reading) => {
        this.#publish(reading);
        await this.publishing;
      },
    });
    await this.clock.advance(this.intervalMs);
    return outcome;
  }

  /** Reads another slice: the whole market. */
  async readWholeMarket(): Promise<void> {
    const slices = new SliceStates();
    slices.update([sliceOf([], null, "rest")], this.clock.nowMs());
    const page = await this.market.searchNewest({
      leafIds: [],
      marketplaceColourIds: [],
      page: 1,
      perPage: PAGE_SIZE,
    });
    ingestPage(page, onlyStateOf(slices), this.memory);
  }

  #publish(reading: PageReading): void {
    this.published.push(reading);
    this.news.push(...reading.news);
  }

  get newsIds(): readonly ListingId[] {
    return this.news.map(({ entry }) => entry.seen.listing.id);
  }

  /** Without the stock that `readOnce` found. */
  get laterIds(): readonly ListingId[] {
    return this.newsIds.slice(STOCK);
  }

  newsOf(id: ListingId): readonly News[] {
    return this.news.filter(({ entry }) => entry.seen.listing.id === id);
  }
}

/** After a first reading of some listings. */
export async function readOnce(listingCount = STOCK): Promise<Reading> {
  const reading = new Reading();
  reading.market.publishMany(listingCount);
  await reading.pass();
  return reading;
}

/** The requested page numbers, without bridges. */
export function pagesOf({ market }: Reading): readonly number[] {
  const whole = market.requests.filter(({ query }) => query.perPage === PAGE_SIZE);
  return whole.map(({ query }) => query.page);
}

export function lengthsOf({ market }: Reading): readonly number[] {
  return market.requests.map(({ query }) => query.perPage);
}

function onlyStateOf(slices: SliceStates): SliceState {
  const [state] = [...slices.states];
  if (state === undefined) throw new Error("the slices lost its slice");
  return state;
}

export function raise(): never {
  throw new Error("nothing is there");
}
