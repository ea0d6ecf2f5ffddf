/**
 * A period during which this node reads the market: restores the usual prices, imports the marketplace's
 * history, appraises news, and maintains the archive.
 */
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { sleep, MINUTE_MS } from "#domain/clock.ts";
import { describeError } from "#domain/log.ts";
import type { MarketHistory, PastListing } from "#domain/market/history.ts";
import type { ArchivePiece } from "#store/market-store.ts";
import { ArchiveKeeper, type KeeperDeps } from "./archive/archive-keeper.ts";
import { EVER } from "./archive/archive-reader.ts";
import { encodeBlock } from "./archive/block.ts";
import { mergeCoverage } from "./archive/coverage.ts";
import { packVersions } from "./archive/pack.ts";
import type { Version } from "./archive/version.ts";
import { dayNumber, dayOfNumber, parisDayOf, startOfParisDay } from "./paris-days.ts";
import { Appraiser, type Appraisal, type Sighting } from "./prices/appraiser.ts";
import {
  appraiserStateOf,
  LEAVING_FIELDS,
  type LeavingPrices,
  type RebuiltState,
  RebuildRun,
} from "./prices/rebuild.ts";
import { sellerHash } from "./prices/relist-keys.ts";

export interface MarketReadingDeps extends Omit<KeeperDeps, "onLeft"> {
  /** Null: the marketplace has no history. */
  readonly history: MarketHistory | null;
  /** Key of the sellers' hashes; renewed when the archive is erased. */
  readonly secret: Uint8Array;
}

/** How long reading waits for the usual prices. */
const REBUILD_WAIT_MS = 10_000;
const REBUILD_AGAIN_MS = 5_000;
const HISTORY_EVERY_MS = 1_000;
/** Past listings appraised per event-loop turn: a few milliseconds. */
const HISTORY_CHUNK = 100;
const DAY_MINUTES = 1_440;
const LEAVING_AT_ONCE = 1_000;
const REMEMBERED_SELLERS = 10_000;

export class MarketReading {
  readonly appraiser: Appraiser;
  readonly keeper: ArchiveKeeper;
  readonly #deps: MarketReadingDeps;
  #secret: Uint8Array;
  /** Many sellers publish more than one listing, and a keyed hash costs as much as the rest of an appraisal. */
  readonly #sellerHashes = new LRUCache<number, number>({
    max: REMEMBERED_SELLERS,
    memoMethod: (sellerId) => sellerHash(this.#secret, sellerId),
  });
  /** Versions appraised during the restore, to be counted on top; null: restored. */
  #meanwhile: Version[] | null = [];
  #sinceMs: number;
  #hasEnded = false;
  #cancelHistory: () => void = () => undefined;
  #importing: Promise<boolean> = Promise.resolve(false);
  #examplesRead: number | null = null;
  /** Days of the history whose coverage is stored. */
  readonly #coveredDays = new Set<string>();
  /** A page of the history is counted, but not stored yet. */
  #isAhead = false;

  constructor(deps: MarketReadingDeps) {
    this.#deps = deps;
    this.#secret = deps.secret;
    this.#sinceMs = deps.clock.nowMs();
    this.appraiser = new Appraiser(deps.windowDays, (sellerId) => this.#sellerHashes.memo(sellerId));
    this.keeper = new ArchiveKeeper({ ...deps, onLeft: (day, prices) => this.#forgetDay(day, prices) });
  }

  get isReady(): boolean {
    return this.#meanwhile === null;
  }

  async begin(): Promise<void> {
    const { clock, log } = this.#deps;
    await Promise.race([this.#prepare(), sleep(clock, REBUILD_WAIT_MS)]);
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

  /** Call it after this or another node erased the archive, which renews the secret. */
  async forget(): Promise<void> {
    const secret = await this.#deps.archive.secret();
    if (Buffer.compare(secret, this.#secret) === 0) return;
    this.#secret = secret;
    this.#sellerHashes.clear();
    this.#coveredDays.clear();
    await this.#restoreAnew();
  }

  async #prepare(): Promise<void> {
    await this.#restore();
    await this.#importNow();
  }

  async #restoreAnew(): Promise<void> {
    this.#meanwhile = [];
    this.#sinceMs = this.#deps.clock.nowMs();
    await this.#restore();
  }

  /** Retried until it succeeds or the reading ends: until then all that is read is kept in memory. */
  async #restore(): Promise<void> {
    const { clock, log } = this.#deps;
    while (!this.isReady && !this.#hasEnded) {
      try {
        await this.#tryRestore();
      } catch (error) {
        if (this.#hasEnded) return;
        log.error({ part: "archive", ...describeError(error) }, "the usual prices could not be restored");
        await sleep(clock, REBUILD_AGAIN_MS);
      }
    }
  }

  /** Rebuilds the price book and relist keys from the archive, then counts what was appraised meanwhile. */
  async #tryRestore(): Promise<void> {
    const sinceMs = this.#sinceMs;
    const meanwhile = this.#meanwhile;
    const state = await this.#rebuilt(sinceMs);
    // The archive was erased meanwhile.
    if (meanwhile === null || meanwhile !== this.#meanwhile) return;
    this.appraiser.restore(
      appraiserStateOf(state),
      meanwhile.filter(({ seenAtMs }) => seenAtMs > sinceMs),
    );
    this.#meanwhile = null;
  }

  async #rebuilt(untilMs: number): Promise<RebuiltState> {
    const { archive, reader, windowDays } = this.#deps;
    const input = { windowDays, untilMs };
    // An empty archive does not need the worker thread.
    if ((await archive.totals()).versions === 0) return new RebuildRun(input).finish();
    // The whole archive: a day that leaves it later removes all of its prices from the book.
    return (await reader.run("rebuild", input, { range: EVER, maxVersions: Infinity })).answer;
  }

  #importLater(): void {
    if (this.#hasEnded) return;
    this.#cancelHistory = this.#deps.clock.schedule(HISTORY_EVERY_MS, () => void this.#importNow());
  }

  async #importNow(): Promise<void> {
    // A sandbox that does not answer yet is retried.
    this.#importing = this.#importHistory().catch(() => true);
    if (await this.#importing) this.#importLater();
  }

  /** @returns whether more may follow later */
  async #importHistory(): Promise<boolean> {
    const { archive, history } = this.#deps;
    if (history === null || this.#hasEnded) return false;
    this.#examplesRead ??= (await archive.totals()).examplesRead;
    for (;;) {
      const { listings, isOpen } = await history.page(this.#examplesRead);
      const last = listings.at(-1);
      if (last === undefined || this.#hasEnded) return isOpen && !this.#hasEnded;
      const oldestMs = this.#oldestMs();
      // The number is derived from the archive: once the whole history has left that, it is read from the beginning.
      const kept = listings.filter(({ atMs }) => atMs >= oldestMs);
      if (kept.length > 0) {
        // A failed import counted prices that were not stored: they must not count twice.
        if (this.#isAhead) await this.#restoreAnew();
        this.#isAhead = true;
        await this.#importPage(kept, last.number);
        this.#isAhead = false;
      }
      this.#examplesRead = last.number;
    }
  }

  /** The start of the day before the window: the import includes one partial day, so that all of its days are full. */
  #oldestMs(): number {
    const { clock, windowDays } = this.#deps;
    return startOfParisDay(dayOfNumber(dayNumber(parisDayOf(clock.nowMs())) - windowDays));
  }

  async #importPage(listings: readonly PastListing[], example: number): Promise<void> {
    const { archive } = this.#deps;
    const versions: Version[] = [];
    for (let start = 0; start < listings.length; start += HISTORY_CHUNK) {
      const sightings = listings.slice(start, start + HISTORY_CHUNK).map(pastSighting);
      versions.push(...sightings.map((sighting) => this.appraiser.appraise(sighting).version));
      await yieldToEventLoop();
    }
    const made = packVersions(versions, { isSorted: true, example });
    // If the process ends in between, the page is read again.
    for (const day of new Set(made.map((block) => block.day)).difference(this.#coveredDays)) {
      const covered = { colourId: 0, leafIds: [0], isExample: true };
      const firstMinute = Math.floor(startOfParisDay(day) / MINUTE_MS);
      await archive.cover(
        day,
        [{ ...covered, firstMinute, lastMinute: firstMinute + DAY_MINUTES }],
        mergeCoverage,
      );
      this.#coveredDays.add(day);
    }
    await archive.change({ tail: [], blocks: [], made });
  }

  /** In small chunks, because each price is removed from five cells. */
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

function pastSighting({ listing, leafId, marketplaceColourIds, atMs }: PastListing): Sighting {
  const facts = { leafIds: [leafId], marketplaceColourIds };
  const seen = { listing, facts, firstSeenAtMs: atMs, seenAtMs: atMs };
  return { seen, before: null, kind: "past", newSinceMs: atMs };
}
