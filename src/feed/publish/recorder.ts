import { type Clock, sleep } from "#domain/clock.ts";
import { describeError, type Log } from "#domain/log.ts";
import type { SeenListing } from "#domain/market/listing.ts";
import type { HeldMatch, UserMatch } from "#domain/market/match.ts";
import { batchCalls } from "#domain/concurrency.ts";
import type { ArchivePiece, FeedSliceMark, ListingStore } from "#store/market-store.ts";

export interface RecordedBatch {
  readonly listings: readonly SeenListing[];
  readonly matches: readonly UserMatch[];
  readonly marks: readonly FeedSliceMark[];
  /** Matches that wait for facts: durable before the listings are, so that a crash loses none. */
  readonly held?: readonly HeldMatch[];
  readonly archive?: readonly ArchivePiece[];
}

export interface RecorderOptions {
  /** Makes held matches durable, or rejects. */
  readonly hold: (held: readonly HeldMatch[]) => Promise<void>;
  /** Whether a failure is transient although the store may answer other calls. */
  readonly isStoreAway: (error: unknown) => boolean;
}

/** Batches that may be queued before reading is throttled: a few seconds' worth. */
const MAX_QUEUED = 16;

/** Batches combined into one write. */
const MAX_COMBINED = 16;

/** Delay before a rejected batch is tried again. */
const RETRY_MS = 500;

/** Listings that may wait while the store is unavailable; from then on nothing more is read. */
const MAX_WAITING = 5_000;

const NOTHING: RecordedBatch = { listings: [], matches: [], marks: [] };

/**
 * Writes batches in order; those that arrive during a write are combined into the next one. A listing that the store
 * rejects is skipped, so that it never blocks the rest; while the store is unavailable, all batches wait, and are tried
 * again every half second.
 */
export class Recorder {
  readonly #store: Pick<ListingStore, "record" | "sliceMarks">;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #options: RecorderOptions;
  readonly #writeWithOthers = batchCalls(async (batches: readonly RecordedBatch[]) => {
    await this.#writeAll(batches);
    return () => undefined;
  }, MAX_COMBINED);
  #waiting: readonly RecordedBatch[] = [];
  #waitingCount = 0;
  #cancelRetry: (() => void) | null = null;
  #isStopped = false;
  #queuedCount = 0;
  #lastWrite: Promise<void> = Promise.resolve();

  constructor(
    store: Pick<ListingStore, "record" | "sliceMarks">,
    clock: Clock,
    log: Log,
    options: RecorderOptions,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#options = options;
  }

  /** So much waits for the store that nothing more may be read. */
  get isFull(): boolean {
    return this.#waitingCount >= MAX_WAITING;
  }

  /** Settles immediately while few batches are queued, otherwise once this one is written: backpressure for reading. */
  async take(batch: RecordedBatch): Promise<void> {
    this.#queuedCount += 1;
    const written = this.write(batch).finally(() => {
      this.#queuedCount -= 1;
    });
    if (this.#queuedCount > MAX_QUEUED) await written;
  }

  /** Settles when the batch is durable, skipped, or must wait for an unavailable store. Never rejects. */
  write(batch: RecordedBatch): Promise<void> {
    this.#lastWrite = this.#writeWithOthers(batch);
    return this.#lastWrite;
  }

  /** Settles when nothing is being written. */
  settled(): Promise<void> {
    return this.#lastWrite;
  }

  /** What still waits for the store is lost here; its marks are too, so that the next reader finds it again. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelRetry?.();
    await this.#lastWrite;
  }

  async #writeAll(batches: readonly RecordedBatch[]): Promise<void> {
    // What is tried again still waits.
    const all = [...this.#waiting, ...batches.filter((batch) => batch !== NOTHING)];
    for (let start = 0; start < all.length; start += MAX_COMBINED) {
      const some = all.slice(start, start + MAX_COMBINED);
      const writtenCount = await this.#writeSome(some);
      if (writtenCount === some.length) continue;
      this.#wait(all.slice(start + writtenCount));
      return;
    }
    this.#wait([]);
  }

  /** @returns how many batches from the start of the list are done */
  async #writeSome(batches: readonly RecordedBatch[]): Promise<number> {
    if (batches.length > 1 && (await this.#attempt(asOne(batches))) === "written") return batches.length;
    for (const [index, each] of batches.entries()) if (!(await this.#writeOne(each))) return index;
    return batches.length;
  }

  /** False while the store is unavailable. */
  async #writeOne(batch: RecordedBatch): Promise<boolean> {
    if ((await this.#attempt(batch)) === "written") return true;
    await sleep(this.#clock, RETRY_MS);
    const outcome = await this.#attempt(batch);
    if (outcome !== "rejected") return outcome === "written";
    return await this.#writePieces(batch);
  }

  /** False while the store is unavailable: what was written is written again later, with the rest. */
  async #writePieces({ listings, matches, marks, held = [], archive = [] }: RecordedBatch): Promise<boolean> {
    for (const seen of listings) {
      const own = matches.filter(({ listing }) => listing.listing.id === seen.listing.id);
      const ownHeld = held.filter(({ listing }) => listing.listing.id === seen.listing.id);
      const outcome = await this.#attempt({ listings: [seen], matches: own, marks: [], held: ownHeld });
      if (outcome === "away") return false;
      if (outcome === "written") continue;
      this.#log.error({ listingId: seen.listing.id }, "the store rejects a listing; it is skipped");
    }
    const known = new Set(listings.map(({ listing }) => listing.id));
    const others = matches.filter(({ listing }) => !known.has(listing.listing.id));
    const otherHeld = held.filter(({ listing }) => !known.has(listing.listing.id));
    const rest = { listings: [], matches: others, marks, held: otherHeld, archive };
    return (await this.#attempt(rest)) !== "away";
  }

  async #answers(): Promise<boolean> {
    try {
      await this.#store.sliceMarks();
      return true;
    } catch {
      // The failed write was logged.
      return false;
    }
  }

  async #attempt(batch: RecordedBatch): Promise<"written" | "rejected" | "away"> {
    const { hold, isStoreAway } = this.#options;
    try {
      const { held = [], ...recorded } = batch;
      if (held.length > 0) await hold(held);
      await this.#store.record(recorded);
      return "written";
    } catch (error) {
      this.#log.warn(
        { listings: batch.listings.length, matches: batch.matches.length, ...describeError(error) },
        "a batch of the feed could not be recorded",
      );
      return isStoreAway(error) || !(await this.#answers()) ? "away" : "rejected";
    }
  }

  #wait(batches: readonly RecordedBatch[]): void {
    this.#waiting = batches;
    this.#waitingCount = batches.reduce((total, { listings }) => total + listings.length, 0);
    if (batches.length === 0 || this.#cancelRetry !== null || this.#isStopped) return;
    // Not only with the next batch: none comes while this recorder is full.
    this.#cancelRetry = this.#clock.schedule(RETRY_MS, () => {
      this.#cancelRetry = null;
      void this.write(NOTHING);
    });
  }
}

/** In order: in the store, later entries replace earlier ones. */
function asOne(batches: readonly RecordedBatch[]): RecordedBatch {
  const archive = batches.flatMap((batch) => batch.archive ?? []);
  return {
    listings: batches.flatMap(({ listings }) => listings),
    matches: batches.flatMap(({ matches }) => matches),
    marks: batches.flatMap(({ marks }) => marks),
    held: batches.flatMap(({ held = [] }) => held),
    ...(archive.length === 0 ? {} : { archive }),
  };
}
