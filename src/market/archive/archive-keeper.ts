/** Packs, sorts and bounds the archive and stores its coverage, on the node that reads the market. */
import type { Clock } from "#domain/clock.ts";
import { repeat } from "#domain/concurrency.ts";
import { describeError, type Log } from "#domain/log.ts";
import type { ArchiveHead, ArchiveStore, NewArchiveBlock } from "#store/market-store.ts";
import { createDayCounter, dayNumber, dayOfNumber } from "../paris-days.ts";
import type { LeavingPrices } from "../prices/rebuild.ts";
import { type ArchiveReader, EVER } from "./archive-reader.ts";
import { VERSIONS_PER_BLOCK } from "./block.ts";
import { CoverageNotes, mergeCoverage } from "./coverage.ts";

export interface KeeperDeps {
  readonly archive: ArchiveStore;
  readonly reader: ArchiveReader;
  readonly clock: Clock;
  readonly log: Log;
  /** ARCHIVE_DAYS. */
  readonly windowDays: number;
  /** ARCHIVE_MAX_MB, in bytes. */
  readonly maxBytes: number;
  /** Called when a day leaves the archive, with its counted prices. */
  readonly onLeft: (day: number, prices: LeavingPrices) => void;
}

const UPKEEP_MS = 10 * 60_000;
/** Delay before newly read leaves are stored: until then a filter counts as never read. */
const COVERAGE_SOON_MS = 2_000;
/** Blocks of one day that are sorted together: a quarter of a million versions. */
const SORTED_TOGETHER = 64;

export class ArchiveKeeper {
  readonly #deps: KeeperDeps;
  readonly #notes = new CoverageNotes();
  readonly #dayOf = createDayCounter();
  #tailVersions = 0;
  /** Null: no upkeep in progress. */
  #work: Promise<void> | null = null;
  #isStopped = false;
  #rounds: AsyncDisposable | null = null;
  #cancelCoverage: (() => void) | null = null;

  constructor(deps: KeeperDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#rounds = repeat(this.#deps.clock, UPKEEP_MS, () => this.#start(), this.#failed("upkeep"));
  }

  /** Stores the noted coverage, after upkeep in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    void this.#rounds?.[Symbol.asyncDispose]();
    this.#cancelCoverage?.();
    await this.#work;
    await this.#storeCoverage().catch(this.#failed("coverage"));
  }

  /** Notes that versions were handed to the store. */
  recorded(count: number): void {
    this.#tailVersions += count;
    if (this.#tailVersions >= VERSIONS_PER_BLOCK) void this.#start();
  }

  covered(leafIds: readonly number[], colourIds: readonly number[], atMs: number): void {
    const isFirst = this.#notes.note(leafIds, colourIds, atMs);
    if (!isFirst || this.#cancelCoverage !== null) return;
    this.#cancelCoverage = this.#deps.clock.schedule(COVERAGE_SOON_MS, () => {
      this.#cancelCoverage = null;
      void this.#storeCoverage().catch(this.#failed("coverage"));
    });
  }

  /** Packs the tail, sorts past days and enforces the bounds. */
  async upkeep(): Promise<void> {
    await this.#storeCoverage();
    await this.#pack();
    await this.#sort();
    await this.#bound();
  }

  /** Settles with the upkeep that begins or is in progress. */
  async #start(): Promise<void> {
    if (this.#isStopped) return;
    if (this.#work === null) {
      this.#tailVersions = 0;
      this.#work = this.upkeep()
        .catch(this.#failed("upkeep"))
        .finally(() => {
          this.#work = null;
        });
    }
    await this.#work;
  }

  async #storeCoverage(): Promise<void> {
    const taken = [...this.#notes.taken()];
    for (const [index, [day, covered]] of taken.entries())
      try {
        await this.#deps.archive.cover(day, covered, mergeCoverage);
      } catch (error) {
        this.#notes.putBack(taken.slice(index));
        throw error;
      }
  }

  async #pack(): Promise<void> {
    const { archive, reader } = this.#deps;
    const tail = (await archive.heads(EVER)).filter(({ isTail }) => isTail);
    if (tail.length === 0) return;
    const made = await reader.runOver("pack", { isSorted: false, example: 0 }, tail);
    if (made === null) return;
    const kept = await this.#asTheyAre(tail.filter((head) => reader.isDamaged(head)));
    await archive.change({ tail: tail.map(({ id }) => id), blocks: [], made: [...made, ...kept] });
  }

  /** Blocks of pieces of the tail that cannot be decoded: a later version may. They leave the archive with today. */
  async #asTheyAre(damaged: readonly ArchiveHead[]): Promise<readonly NewArchiveBlock[]> {
    if (damaged.length === 0) return [];
    const { archive, clock } = this.#deps;
    const versions = new Map(damaged.map((head) => [head.id, head.versions]));
    const [day, nowMs] = [this.#today(), clock.nowMs()];
    const common = { day, example: 0, isSorted: false, firstMs: nowMs, lastMs: nowMs, leafIds: [0] };
    const pieces = await archive.tailData([...versions.keys()]);
    return pieces.map(({ id, data }) => ({ ...common, versions: versions.get(id) ?? 0, data }));
  }

  async #sort(): Promise<void> {
    const { archive, reader } = this.#deps;
    const today = this.#today();
    const heads = await archive.heads(EVER);
    const unsorted = heads.filter(
      ({ isTail, isSorted, example, day }) => !isTail && !isSorted && example === 0 && day < today,
    );
    const isReadable = (head: ArchiveHead): boolean => !reader.isDamaged(head);
    for (const ofDay of Map.groupBy(unsorted.filter(isReadable), ({ day }) => day).values()) {
      for (let start = 0; start < ofDay.length; start += SORTED_TOGETHER) {
        const blocks = ofDay.slice(start, start + SORTED_TOGETHER);
        const made = await reader.runOver("pack", { isSorted: true, example: 0 }, blocks);
        // What this run could not decode stays as it is.
        const sorted = blocks.filter(isReadable).map(({ id }) => id);
        if (made !== null) await archive.change({ tail: [], blocks: sorted, made });
        if (this.#isStopped) return;
      }
    }
  }

  /** Drops the oldest days that are too old or exceed the size. */
  async #bound(): Promise<void> {
    const { archive, clock, windowDays, maxBytes } = this.#deps;
    // Today included, as everywhere.
    const oldest = dayOfNumber(this.#dayOf(clock.nowMs()) - windowDays + 1);
    await archive.forgetCoverage(oldest);
    const heads = (await archive.heads(EVER)).filter(({ isTail }) => !isTail);
    const days = [...Map.groupBy(heads, ({ day }) => day)].toSorted(([one], [other]) =>
      one < other ? -1 : 1,
    );
    for (const [day, ofDay] of days) {
      const isTooOld = day < oldest;
      const isTooMuch = !isTooOld && day < this.#today() && (await archive.totals()).dataBytes > maxBytes;
      if (!isTooOld && !isTooMuch) return;
      // First: if the process ends in between, no day without its listings counts as covered.
      if (isTooMuch) await archive.forgetCoverage(dayOfNumber(dayNumber(day) + 1));
      if (!(await this.#drop(day, ofDay))) return;
    }
  }

  /** @returns false: the day was changed meanwhile, and is still there */
  async #drop(day: string, heads: readonly ArchiveHead[]): Promise<boolean> {
    const { archive, reader, onLeft } = this.#deps;
    const prices = await reader.runOver("leaving", null, heads);
    if (prices === null) return false;
    const isDropped = await archive.change({ tail: [], blocks: heads.map(({ id }) => id), made: [] });
    if (isDropped) onLeft(dayNumber(day), prices);
    return isDropped;
  }

  #today(): string {
    return dayOfNumber(this.#dayOf(this.#deps.clock.nowMs()));
  }

  #failed(part: string): (error: unknown) => void {
    return (error) => this.#deps.log.warn({ part, ...describeError(error) }, "the archive could not be kept");
  }
}
