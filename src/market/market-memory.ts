/**
 * The market's memory: an archive of versions, the usual prices derived from it, and queries on it. Every
 * node with pages may query; the one node that reads the market also writes.
 */
import type { MarketPrices } from "#domain/market/standing.ts";
import type { FilterCriteria } from "#domain/market/filter.ts";
import type { Replay } from "#domain/market/replay.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#domain/clock.ts";
import { leafIdsOf } from "#matching/compile-filter.ts";
import type { ArchivePiece, DroppedListing } from "#store/market-store.ts";
import { ArchiveReader } from "./archive/archive-reader.ts";
import { encodeBlock } from "./archive/block.ts";
import { coverageOf, type FilterCoverage } from "./archive/coverage.ts";
import type { Version } from "./archive/version.ts";
import type { MarketCount, MarketSurvey, PopularPair } from "./backtest/market-views.ts";
import type { Buyer } from "./backtest/replay-purchases.ts";
import { compileAtAnyLimit } from "./backtest/version-matcher.ts";
import { createDayCounter, dayOfNumber, parisDayOf, startOfParisDay } from "./paris-days.ts";
import { MarketReading, type MarketReadingDeps } from "./market-reading.ts";
import type { Appraisal, Sighting } from "./prices/appraiser.ts";
import { sellerHash } from "./prices/relist-keys.ts";

export interface MarketMemoryDeps extends Omit<MarketReadingDeps, "reader" | "secret"> {
  /** Listings of one article first seen within this time were posted together and are not relists. */
  readonly relistApartMs: number;
}

/** What the market's reader needs of the archive. */
export interface MarketArchivist {
  /** Gives news their standing, in the order of arrival, and counts their prices. */
  appraise(sightings: readonly Sighting[]): readonly Appraisal[];
  /** The archive's piece of appraised news, to be recorded with them; null if there are none. */
  pieceOf(versions: readonly Version[]): ArchivePiece | null;
  /** Notes that a part of the market was read; no leaves: all of it. */
  covered(leafIds: readonly number[], colourIds: readonly number[], atMs: number): void;
  end(): Promise<void>;
}

export interface ReplayQuestion {
  readonly criteria: FilterCriteria;
  /** Start of the period, which ends now. */
  readonly sinceMs: number;
  readonly blockedSellerIds: readonly number[];
  readonly buyer: Buyer | null;
}

export interface ReplayAnswer {
  readonly replay: Replay;
  readonly untilMs: number;
  readonly coverage: FilterCoverage;
}

export interface ArchiveFacts {
  readonly isReady: boolean;
  readonly sinceMs: number | null;
  readonly days: number;
  readonly versions: number;
  /** Listings whose first version is in the archive. */
  readonly listings: number;
  readonly bytes: number;
  readonly bytesPerVersion: number;
  /** Null on a node that does not read the market. */
  readonly cells: number | null;
  readonly bookBytes: number | null;
  readonly exampleVersions: number;
  readonly damagedBlocks: readonly string[];
}

const LIST_AGE_MS = 2_000;
/** After this time a read rejects with the reason of `AbortSignal.timeout`. */
const READ_MS = 10_000;

export class MarketMemory {
  readonly #deps: MarketMemoryDeps;
  readonly #reader: ArchiveReader;
  #reading: MarketReading | null = null;
  #survey: { readonly atMs: number; readonly key: string; readonly answer: Promise<MarketSurvey> } | null =
    null;

  constructor(deps: MarketMemoryDeps) {
    this.#deps = deps;
    this.#reader = new ArchiveReader(deps);
  }

  async stop(): Promise<void> {
    await this.#reader.stop();
  }

  /** Begins reading the market; settles when the usual prices are known, at the latest after 10 s. */
  async beginReading(): Promise<MarketArchivist> {
    const secret = await this.#deps.archive.secret();
    const reading = new MarketReading({ ...this.#deps, reader: this.#reader, secret });
    this.#reading = reading;
    await reading.begin();
    return {
      appraise: (sightings) => reading.appraise(sightings),
      pieceOf: (versions) => reading.pieceOf(versions),
      covered: (leafIds, colourIds, atMs) => reading.keeper.covered(leafIds, colourIds, atMs),
      end: async () => {
        if (this.#reading === reading) this.#reading = null;
        await reading.end();
      },
    };
  }

  async replay(question: ReplayQuestion, signal: AbortSignal): Promise<ReplayAnswer> {
    const { criteria, sinceMs, buyer } = question;
    const { clock, relistApartMs } = this.#deps;
    const untilMs = clock.nowMs();
    const blockedSellers = await this.#hashesOf(question.blockedSellerIds);
    const input = { criteria, sinceMs, untilMs, blockedSellers, relistApartMs, buyer };
    // Whether an edit is news depends on the version before it, which may be as old as the archive.
    const range = { fromMs: 0, toMs: untilMs, leafIds: leavesOf(criteria) };
    const { answer, fullFromDay } = await this.#reader.run("replay", input, { range, signal });
    const coverage = await this.coverageSince(criteria, laterDay(parisDayOf(sinceMs), fullFromDay));
    return { replay: answer, untilMs, coverage };
  }

  async #hashesOf(sellerIds: readonly number[]): Promise<readonly number[]> {
    if (sellerIds.length === 0) return [];
    const secret = await this.#deps.archive.secret();
    return sellerIds.map((sellerId) => sellerHash(secret, sellerId));
  }

  async coverageSince(criteria: FilterCriteria, day: string): Promise<FilterCoverage> {
    return coverageOf(compileAtAnyLimit(criteria), await this.#deps.archive.coverage(day));
  }

  /**
   * How many listings of the last day a draft filter would have found. The answer's `sinceMs` is a day ago, or the
   * moment since which one of its types was read.
   */
  async count(
    criteria: FilterCriteria,
    blockedSellerIds: readonly number[],
  ): Promise<MarketCount & { readonly sinceMs: number }> {
    const toMs = this.#deps.clock.nowMs();
    const dayAgoMs = toMs - DAY_MS;
    const range = { fromMs: dayAgoMs, toMs, leafIds: leavesOf(criteria) };
    const signal = AbortSignal.timeout(READ_MS);
    const blockedSellers = await this.#hashesOf(blockedSellerIds);
    const [{ answer }, readSinceMs] = await Promise.all([
      this.#reader.run("count", { criteria, sinceMs: dayAgoMs, blockedSellers }, { range, signal }),
      this.#readSince(criteria, dayAgoMs),
    ]);
    const firstMs = Math.min(readSinceMs ?? Infinity, answer.firstMs ?? Infinity);
    return { ...answer, sinceMs: firstMs === Infinity ? dayAgoMs : Math.max(firstMs, dayAgoMs) };
  }

  /** Since when all leaves were read, of what was still read in the period; null: never. */
  async #readSince(criteria: FilterCriteria, sinceMs: number): Promise<number | null> {
    const days = await this.#deps.archive.coverage(parisDayOf(sinceMs));
    const inPeriod = days.map(({ day, coverage }) => ({
      day,
      coverage: coverage.filter(({ lastMinute }) => lastMinute * MINUTE_MS >= sinceMs),
    }));
    return coverageOf(compileAtAnyLimit(criteria), inPeriod).sinceMs;
  }

  /** How many listings of the last hour the filters hold, and which searches would find many of them. */
  async surveyLastHour(filters: readonly FilterCriteria[], maxFrequent: number): Promise<MarketSurvey> {
    const toMs = this.#deps.clock.nowMs();
    const key = JSON.stringify([filters, maxFrequent]);
    const known = this.#survey;
    if (known !== null && known.key === key && toMs - known.atMs < LIST_AGE_MS) return await known.answer;
    const sinceMs = toMs - HOUR_MS;
    const range = { fromMs: sinceMs, toMs, leafIds: null };
    const signal = AbortSignal.timeout(READ_MS);
    const answer = this.#reader
      .run("survey", { filters, sinceMs, maxFrequent }, { range, signal })
      .then((result) => result.answer);
    const survey = { atMs: toMs, key, answer };
    this.#survey = survey;
    try {
      return await answer;
    } catch (error) {
      if (this.#survey === survey) this.#survey = null;
      throw error;
    }
  }

  /** The counted prices of a type, or of one brand in it, in the window of the price page. */
  async prices(
    typeId: number,
    brandId: number | null,
    criteria: FilterCriteria,
  ): Promise<{ readonly prices: MarketPrices; readonly coverage: FilterCoverage }> {
    const untilMs = this.#deps.clock.nowMs();
    const sinceMs = this.windowStart(PRICE_DAYS);
    const range = { fromMs: sinceMs, toMs: untilMs, leafIds: leavesOf(criteria) };
    const input = { typeId, brandId, sinceMs, untilMs };
    const signal = AbortSignal.timeout(READ_MS);
    const { answer, fullFromDay } = await this.#reader.run("prices", input, { range, signal });
    const coverage = await this.coverageSince(criteria, laterDay(parisDayOf(sinceMs), fullFromDay));
    return { prices: answer, coverage };
  }

  async popular(): Promise<readonly PopularPair[]> {
    const sinceMs = this.windowStart(PRICE_DAYS);
    const range = { fromMs: sinceMs, toMs: this.#deps.clock.nowMs(), leafIds: null };
    const signal = AbortSignal.timeout(READ_MS);
    return (await this.#reader.run("popular", { sinceMs }, { range, signal })).answer;
  }

  /** The start of a window of days in Paris that includes today. */
  windowStart(days: number): number {
    const today = createDayCounter()(this.#deps.clock.nowMs());
    return startOfParisDay(dayOfNumber(today - days + 1));
  }

  async facts(): Promise<ArchiveFacts> {
    const { archive } = this.#deps;
    const totals = await archive.totals();
    const parts = await this.#reader.runInParts("content", null);
    const firstMs = Math.min(...parts.map((part) => part.firstMs ?? Infinity));
    const days = await archive.coverage("");
    return {
      isReady: this.#reading?.isReady ?? true,
      sinceMs: firstMs === Infinity ? null : firstMs,
      days: days.length,
      versions: totals.versions,
      listings: parts.reduce((sum, part) => sum + part.listings, 0),
      bytes: totals.diskBytes,
      bytesPerVersion: totals.versions === 0 ? 0 : totals.dataBytes / totals.versions,
      cells: this.#reading?.appraiser.book.cellCount ?? null,
      bookBytes: this.#reading?.appraiser.bytes ?? null,
      exampleVersions: totals.exampleVersions,
      damagedBlocks: await this.#reader.damaged(),
    };
  }

  /** Deletes the archive and the usual prices. */
  async erase(): Promise<void> {
    await this.#deps.archive.erase();
    await this.forget();
  }

  /** Call it after this or another node erased the archive. */
  async forget(): Promise<void> {
    this.#reader.forgetDamaged();
    await this.#reading?.forget();
  }
}

function laterDay(day: string, other: string | null): string {
  return other !== null && other > day ? other : day;
}

/** Days shown on the price page. */
const PRICE_DAYS = 30;

/** The archive's closing versions of listings that are no longer seen. */
export function closingPiece(dropped: readonly DroppedListing[]): ArchivePiece {
  const versions = dropped.map(({ id, leafIds, firstSeenAtMs, seenAtMs }): Version => ({
    ...NO_FACTS,
    listingId: id,
    leafIds,
    firstSeenAtMs,
    seenAtMs,
  }));
  return { versions: versions.length, data: encodeBlock(versions) };
}

const NO_FACTS: Omit<Version, "listingId" | "leafIds" | "firstSeenAtMs" | "seenAtMs"> = {
  kind: "closing",
  newSinceMs: null,
  marketplaceColourIds: [],
  brandId: 0,
  conditionId: 0,
  sizeIds: [],
  totalPriceCents: 0,
  foldedTitle: "",
  sellerHash: 0,
  standing: null,
  isCounted: false,
  isRelist: false,
};

/** @returns null: listings of any leaf may match */
function leavesOf(criteria: FilterCriteria): readonly number[] | null {
  const spec = compileAtAnyLimit(criteria);
  return spec === null || spec.categoryIds.length === 0 ? null : leafIdsOf(spec);
}
