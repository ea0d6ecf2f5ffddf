/**
 * The market's memory: an archive of facts, the usual prices made of it, and the questions that it answers. Every node
 * with pages may ask; the one node that reads the market also writes.
 */
import type { MarketPrices } from "#domain/standing.ts";
import { setImmediate as otherWork } from "node:timers/promises";
import { type Clock, sleep } from "#domain/clock.ts";
import type { FilterCriteria } from "#domain/market/filter.ts";
import type { MarketHistory, PastListing } from "#domain/market/history.ts";
import { describeError, type Log } from "#domain/log.ts";
import type { Replay } from "#domain/market/replay.ts";
import { compileFilter, leafIdsOf } from "#matching/compile-filter.ts";
import type { ArchivePiece, ArchiveStore, DroppedListing } from "#store/store.ts";
import { ArchiveKeeper } from "./archive/archive-keeper.ts";
import { ArchiveReader } from "./archive/archive-reader.ts";
import { encodeBlock } from "./archive/block.ts";
import { coverageOf, type FilterCoverage, mergeCoverage } from "./archive/coverage.ts";
import { packVersions } from "./archive/pack.ts";
import type { Version } from "./archive/version.ts";
import type { MarketCount, MarketSurvey, PopularPair } from "./backtest/market-views.ts";
import type { Buyer } from "./backtest/replay-purchases.ts";
import { createDayCounter, dayOfNumber, parisDayOf, startOfParisDay } from "./paris-days.ts";
import { Appraiser, type Appraisal, type Sighting } from "./prices/appraiser.ts";
import { sellerHash } from "./prices/relist-keys.ts";
import { appraiserStateOf, LEAVING_FIELDS, type LeavingPrices } from "./prices/rebuild.ts";

export interface MarketMemoryDeps {
  readonly archive: ArchiveStore;
  readonly clock: Clock;
  readonly log: Log;
  /** ARCHIVE_DAYS. */
  readonly windowDays: number;
  /** ARCHIVE_MAX_MB, in bytes. */
  readonly maxBytes: number;
  /** Null: the marketplace has no history. */
  readonly history: MarketHistory | null;
}

/** What the reading of the market needs of its memory, between its beginning and its end. */
export interface MarketArchivist {
  /** Gives news their standing, in the order of arrival, and counts their prices. */
  appraise(sightings: readonly Sighting[]): readonly Appraisal[];
  /** The archive's piece of appraised news, to be recorded with them; null for none. */
  pieceOf(versions: readonly Version[]): ArchivePiece | null;
  /** A part of the market was read; no leaves: all of it. */
  covered(leafIds: readonly number[], colourIds: readonly number[], atMs: number): void;
  end(): Promise<void>;
}

export interface ReplayQuestion {
  readonly criteria: FilterCriteria;
  /** The first moment of the period; it ends now. */
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
  /** Those of which the archive has the first sight. */
  readonly listings: number;
  readonly bytes: number;
  readonly bytesPerVersion: number;
  /** Null on a node that does not read the market. */
  readonly cells: number | null;
  readonly bookBytes: number | null;
  readonly exampleVersions: number;
  readonly damagedBlocks: readonly string[];
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Reading the market waits so long for the usual prices. */
const REBUILD_WAIT_MS = 10_000;
const HISTORY_EVERY_MS = 1_000;
/** Past listings that are appraised between two turns of the event loop: below 25 ms. */
const HISTORY_CHUNK = 250;
const LIST_AGE_MS = 2_000;

export class MarketMemory {
  readonly #deps: MarketMemoryDeps;
  readonly #reader: ArchiveReader;
  #reading: Reading | null = null;
  #survey: { readonly atMs: number; readonly key: string; readonly answer: Promise<MarketSurvey> } | null =
    null;

  constructor(deps: MarketMemoryDeps) {
    this.#deps = deps;
    this.#reader = new ArchiveReader(deps);
  }

  /** How many questions wait for their turn. */
  get waitingCount(): number {
    return this.#reader.waitingCount;
  }

  async stop(): Promise<void> {
    await this.#reader.stop();
  }

  /** This node begins to read the market; settles when it knows the usual prices, at the latest after ten seconds. */
  async beginReading(): Promise<MarketArchivist> {
    const secret = await this.#deps.archive.secret();
    const reading = new Reading({ ...this.#deps, reader: this.#reader, secret });
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

  /** @param signal ends it early */
  async replay(question: ReplayQuestion, signal: AbortSignal): Promise<ReplayAnswer> {
    const { criteria, sinceMs, buyer } = question;
    const untilMs = this.#deps.clock.nowMs();
    const blockedSellers =
      question.blockedSellerIds.length === 0
        ? []
        : question.blockedSellerIds.map(sellerHashOf(await this.#deps.archive.secret()));
    const input = { criteria, sinceMs, untilMs, blockedSellers, buyer };
    // Whether an edit was news depends on the version before it, which may be as old as the archive.
    const range = { fromMs: 0, toMs: untilMs, leafIds: leavesOf(criteria) };
    const { answer, fullFromDay } = await this.#reader.run("replay", input, { range, signal });
    const firstDay = parisDayOf(sinceMs);
    const fromDay = fullFromDay !== null && fullFromDay > firstDay ? fullFromDay : firstDay;
    return { replay: answer, untilMs, coverage: await this.coverageSince(criteria, fromDay) };
  }

  async coverageSince(criteria: FilterCriteria, day: string): Promise<FilterCoverage> {
    return coverageOf(compileFilter(criteria), await this.#deps.archive.coverage(day));
  }

  /** How many listings of the last day a filter in the making would have found. */
  async count(criteria: FilterCriteria): Promise<MarketCount & { readonly sinceMs: number }> {
    const toMs = this.#deps.clock.nowMs();
    const sinceMs = toMs - DAY_MS;
    const range = { fromMs: sinceMs, toMs, leafIds: leavesOf(criteria) };
    const { answer } = await this.#reader.run("count", { criteria, sinceMs }, { range });
    return { ...answer, sinceMs };
  }

  /** How many listings of the last hour the filters hold, and which searches would find many of them. */
  async surveyLastHour(filters: readonly FilterCriteria[], maxFrequent: number): Promise<MarketSurvey> {
    const toMs = this.#deps.clock.nowMs();
    const key = JSON.stringify([filters, maxFrequent]);
    const known = this.#survey;
    if (known !== null && known.key === key && toMs - known.atMs < LIST_AGE_MS) return await known.answer;
    const sinceMs = toMs - HOUR_MS;
    const range = { fromMs: sinceMs, toMs, leafIds: null };
    const answer = this.#reader
      .run("survey", { filters, sinceMs, maxFrequent }, { range })
      .then((looked) => looked.answer);
    this.#survey = { atMs: toMs, key, answer };
    return await answer;
  }

  /** The counted prices of a type in the window. */
  async prices(
    typeId: number,
    brandId: number | null,
    criteria: FilterCriteria,
  ): Promise<{ readonly prices: MarketPrices; readonly coverage: FilterCoverage }> {
    const untilMs = this.#deps.clock.nowMs();
    const sinceMs = this.windowStart(PRICE_DAYS);
    const range = { fromMs: sinceMs, toMs: untilMs, leafIds: leavesOf(criteria) };
    const { answer } = await this.#reader.run("prices", { typeId, brandId, sinceMs, untilMs }, { range });
    return { prices: answer, coverage: await this.coverageSince(criteria, parisDayOf(sinceMs)) };
  }

  async popular(): Promise<readonly PopularPair[]> {
    const sinceMs = this.windowStart(PRICE_DAYS);
    const range = { fromMs: sinceMs, toMs: this.#deps.clock.nowMs(), leafIds: null };
    return (await this.#reader.run("popular", { sinceMs }, { range })).answer;
  }

  /** The beginning of the first of a number of days in Paris, today included. */
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
      damagedBlocks: this.#reader.damaged,
    };
  }

  /** Deletes the archive; the usual prices start from nothing. */
  async erase(): Promise<void> {
    await this.#deps.archive.erase();
    await this.#reading?.forget();
  }
}

/** The price page shows a month. */
const PRICE_DAYS = 30;

/** The archive's entry of listings that are not seen any more. */
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

/** Null: listings of any leaf may be held. */
function leavesOf(criteria: FilterCriteria): readonly number[] | null {
  const spec = compileFilter(criteria);
  return spec === null || spec.categoryIds.length === 0 ? null : leafIdsOf(spec);
}

function sellerHashOf(secret: Uint8Array): (sellerId: number) => number {
  return (sellerId) => sellerHash(secret, sellerId);
}

interface ReadingDeps extends MarketMemoryDeps {
  readonly reader: ArchiveReader;
  readonly secret: Uint8Array;
}

/** One time of reading the market on this node. */
class Reading {
  readonly appraiser: Appraiser;
  readonly keeper: ArchiveKeeper;
  readonly #deps: ReadingDeps;
  /** Counted before the archive was read: they are counted again on top of it. */
  #meanwhile: Version[] | null = [];
  #hasEnded = false;
  #cancelHistory: () => void = () => undefined;
  #importing: Promise<boolean> = Promise.resolve(false);
  #examplesRead = 0;
  /** A part of the history is counted, but not stored yet. */
  #isAhead = false;

  constructor(deps: ReadingDeps) {
    this.#deps = deps;
    this.appraiser = new Appraiser(deps.windowDays, sellerHashOf(deps.secret));
    this.keeper = new ArchiveKeeper({ ...deps, onLeft: (day, prices) => this.#forgetDay(day, prices) });
  }

  get isReady(): boolean {
    return this.#meanwhile === null;
  }

  async begin(): Promise<void> {
    const { clock, log } = this.#deps;
    const ready = this.#prepare().catch((error: unknown) => {
      log.error({ part: "archive", ...describeError(error) }, "the usual prices could not be restored");
    });
    await Promise.race([ready, sleep(clock, REBUILD_WAIT_MS)]);
    if (!this.isReady) log.warn({ part: "archive" }, "reading begins before the usual prices are known");
    this.keeper.start();
  }

  async end(): Promise<void> {
    this.#hasEnded = true;
    this.#cancelHistory();
    await this.#importing;
    await this.keeper.stop();
  }

  appraise(sightings: readonly Sighting[]): readonly Appraisal[] {
    return sightings.map((sighting) => {
      const appraisal = this.appraiser.appraise(sighting);
      this.#meanwhile?.push(appraisal.version);
      return appraisal;
    });
  }

  pieceOf(versions: readonly Version[]): ArchivePiece | null {
    if (versions.length === 0) return null;
    this.keeper.recorded(versions.length);
    return { versions: versions.length, data: encodeBlock(versions) };
  }

  /** The archive was erased. */
  async forget(): Promise<void> {
    this.#meanwhile ??= [];
    await this.#restore();
  }

  async #prepare(): Promise<void> {
    await this.#restore();
    const { archive, history } = this.#deps;
    if (history === null) return;
    this.#examplesRead = (await archive.totals()).examplesRead;
    // A sandbox that does not answer yet is asked again.
    const isOpen = await this.#importHistory().catch(() => true);
    if (isOpen) this.#importLater();
  }

  /** Makes book and keys from the archive, and counts on top what was appraised meanwhile. */
  async #restore(): Promise<void> {
    const { reader, windowDays } = this.#deps;
    const range = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, leafIds: null };
    // All of it: a day that leaves later takes all of its prices off the book.
    const { answer } = await reader.run("rebuild", { windowDays }, { range, maxVersions: Infinity });
    this.appraiser.restore(appraiserStateOf(answer), this.#meanwhile ?? []);
    this.#meanwhile = null;
  }

  #importLater(): void {
    if (this.#hasEnded) return;
    this.#cancelHistory = this.#deps.clock.schedule(HISTORY_EVERY_MS, () => {
      this.#importing = this.#importHistory().catch(() => true);
      void this.#importing.then((isOpen) => {
        if (isOpen) this.#importLater();
      });
    });
  }

  /** @returns whether more may be given later */
  async #importHistory(): Promise<boolean> {
    const { history } = this.#deps;
    if (history === null) return false;
    for (;;) {
      const { listings, isOpen } = await history.page(this.#examplesRead);
      const last = listings.at(-1);
      if (last === undefined || this.#hasEnded) return isOpen && !this.#hasEnded;
      // Prices that were counted but not stored must not count again.
      if (this.#isAhead) await this.forget();
      this.#isAhead = true;
      await this.#importPage(listings, last.number);
      this.#isAhead = false;
      this.#examplesRead = last.number;
    }
  }

  async #importPage(listings: readonly PastListing[], example: number): Promise<void> {
    const { archive } = this.#deps;
    const versions: Version[] = [];
    for (let start = 0; start < listings.length; start += HISTORY_CHUNK) {
      const sightings = listings.slice(start, start + HISTORY_CHUNK).map(pastSighting);
      versions.push(...sightings.map((sighting) => this.appraiser.appraise(sighting).version));
      await otherWork();
    }
    const made = packVersions(versions, { isSorted: true, example });
    // A process that ends in between reads the page again.
    for (const day of new Set(made.map((block) => block.day))) {
      const covered = { colourId: 0, leafIds: [0], isExample: true };
      const firstMinute = Math.floor(startOfParisDay(day) / MINUTE_MS);
      await archive.cover(
        day,
        [{ ...covered, firstMinute, lastMinute: firstMinute + DAY_MINUTES }],
        mergeCoverage,
      );
    }
    await archive.change({ tail: [], blocks: [], made });
  }

  /** In small parts, because each price is taken off five cells. */
  #forgetDay(day: number, prices: LeavingPrices): void {
    const { book } = this.appraiser;
    const from = (start: number): void => {
      const end = Math.min(prices.length, start + LEAVING_AT_ONCE * LEAVING_FIELDS);
      for (let at = start; at < end; at += LEAVING_FIELDS) {
        const [typeId = 0, brandId = 0, conditionId = 0, cents = 0] = prices.subarray(
          at,
          at + LEAVING_FIELDS,
        );
        book.discount({ typeId, brandId, conditionId }, cents);
      }
      if (end < prices.length) setImmediate(() => from(end));
      else book.endDay(day);
    };
    from(0);
  }
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;
const LEAVING_AT_ONCE = 1_000;

function pastSighting({ listing, leafId, marketplaceColourIds, atMs }: PastListing): Sighting {
  const facts = { leafIds: [leafId], marketplaceColourIds };
  const seen = { listing, facts, firstSeenAtMs: atMs, seenAtMs: atMs };
  return { seen, before: null, kind: "past", newSinceMs: atMs };
}
