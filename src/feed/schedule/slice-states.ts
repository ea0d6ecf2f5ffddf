/**
 * What is known of each slice that is asked for: when it was read, how far, how much comes in. Pure.
 * Slices come and go as filters are edited, so what is known is handed on from leaf to leaf: a slice cut out of
 * one that was read a moment ago is not a stranger.
 */
import type { ListingId } from "#domain/ids.ts";
import { NO_BACKOFF, type SliceBackoff } from "./slice-backoff.ts";
import type { Slice } from "./slice.ts";

/** Up to where a slice is known: nothing above it was on the market when the reading began. */
export interface ReadMark {
  /** When the request left: what appeared since is certainly new, and what was known by then is an overlap. */
  readonly sentAtMs: number;
  /** When its answer was there: what it showed itself by then is an overlap, too. */
  readonly receivedAtMs: number;
  readonly highestListingId: number;
}

export interface SliceState {
  slice: Slice;
  readonly wantedSinceMs: number;
  /** Null: never read, or so long ago that nothing follows from it. */
  mark: ReadMark | null;
  /**
   * Set by a reading between whose pages listings may have slipped unseen: the mark moves here once a second reading
   * has looked again.
   */
  unconfirmedMark: ReadMark | null;
  /**
   * The last listing, in the market's order, of what gapless passes have read: whatever stands between it and the mark
   * was read or came later, while below it lies what nobody looked at. Null: not known to this process.
   */
  coveredFrom: ListingId | null;
  /** How many passes in a row were not shown what stood further down. */
  hiddenPasses: number;
  /** Null: never. */
  lastReadAtMs: number | null;
  /** When its first page was last read in its whole length; null: not in this process. */
  wholeReadAtMs: number | null;
  /** New listings per millisecond, smoothed. */
  arrivalsPerMs: number;
  /** It fits the marketplace's pages when it is read within this; infinite until it once did not. */
  fitsWithinMs: number;
  /** Listings that this slice proved, and the weight of all that they were told to; both fade. */
  provenCount: number;
  interest: number;
  /** The weight of what probably lies here unread, by listing (scout.ts). */
  readonly expected: Map<ListingId, number>;
  /** How many listings the first page held last time, promoted ones left out; null: never read. */
  lastPageSize: number | null;
  isBeingRead: boolean;
  /** Its own failures among others' successes (slice-troubles.ts). */
  trouble: SliceBackoff;
  /** When its mark was last handed to the store, and up to where; null: not by this process. */
  recorded: { readonly atMs: number; readonly highestListingId: number } | null;
}

interface LeafHistory {
  readonly mark: ReadMark;
  readonly lastReadAtMs: number;
  readonly arrivalsPerMs: number;
}

/** What is expected of a slice of which nothing is known: one listing in five minutes. */
export const UNKNOWN_ARRIVALS_PER_MS = 1 / 300_000;

/** A mark older than this says nothing: what was seen then is no longer remembered. */
export const MARK_LIFETIME_MS = 24 * 3_600_000;

export class SliceStates {
  readonly #states = new Map<string, SliceState>();
  readonly #histories = new Map<string, LeafHistory>();
  #storedMarks = new Map<string, ReadMark>();
  #slices: readonly Slice[] = [];

  /** @param storedMarks by slice key: what an earlier process wrote down */
  recall(storedMarks: ReadonlyMap<string, ReadMark>): void {
    this.#storedMarks = new Map(storedMarks);
  }

  /** Takes over the slices that are wanted now. Cost: nothing while the array is the same. */
  follow(slices: readonly Slice[], nowMs: number): void {
    if (slices === this.#slices) return;
    this.#slices = slices;
    const wantedKeys = new Set(slices.map(({ key }) => key));
    for (const [key, state] of this.#states) {
      if (wantedKeys.has(key)) continue;
      this.#states.delete(key);
      this.#handOn(state);
    }
    for (const slice of slices) {
      const state = this.#states.get(slice.key);
      if (state === undefined) this.#states.set(slice.key, this.#begin(slice, nowMs));
      else state.slice = withLeaves(slice, state.slice.leafIds);
    }
  }

  get states(): Iterable<SliceState> {
    return this.#states.values();
  }

  get(key: string): SliceState | undefined {
    return this.#states.get(key);
  }

  get size(): number {
    return this.#states.size;
  }

  /** All slices together. */
  arrivalsPerMs(): number {
    let total = 0;
    for (const state of this.#states.values()) if (state.mark !== null) total += state.arrivalsPerMs;
    return total;
  }

  #begin(slice: Slice, nowMs: number): SliceState {
    const stored = this.#storedMarks.get(slice.key);
    this.#storedMarks.delete(slice.key);
    const inherited = this.#inherit(slice);
    const mark = newest(stored ?? null, inherited?.mark ?? null);
    const isOutdated = mark !== null && nowMs - mark.sentAtMs > MARK_LIFETIME_MS;
    return {
      slice,
      wantedSinceMs: nowMs,
      mark: isOutdated ? null : mark,
      unconfirmedMark: null,
      coveredFrom: null,
      hiddenPasses: 0,
      lastReadAtMs: inherited?.lastReadAtMs ?? null,
      wholeReadAtMs: null,
      arrivalsPerMs: inherited?.arrivalsPerMs ?? UNKNOWN_ARRIVALS_PER_MS,
      fitsWithinMs: Infinity,
      provenCount: 0,
      interest: 0,
      expected: new Map(),
      lastPageSize: null,
      isBeingRead: false,
      trouble: NO_BACKOFF,
      recorded: null,
    };
  }

  #handOn({ slice, mark, lastReadAtMs, arrivalsPerMs }: SliceState): void {
    if (mark === null || lastReadAtMs === null) return;
    const keys = leafKeysOf(slice);
    const history = { mark, lastReadAtMs, arrivalsPerMs: arrivalsPerMs / keys.length };
    for (const key of keys) this.#histories.set(key, history);
  }

  /** As little as all of its leaves are known; null when one of them never was read. */
  #inherit(slice: Slice): LeafHistory | null {
    const histories = leafKeysOf(slice).map((key) => this.#histories.get(key));
    if (!histories.every((history) => history !== undefined)) return null;
    return histories.reduce((one, other) => ({
      mark: {
        sentAtMs: Math.min(one.mark.sentAtMs, other.mark.sentAtMs),
        receivedAtMs: Math.min(one.mark.receivedAtMs, other.mark.receivedAtMs),
        highestListingId: Math.max(one.mark.highestListingId, other.mark.highestListingId),
      },
      lastReadAtMs: Math.min(one.lastReadAtMs, other.lastReadAtMs),
      arrivalsPerMs: one.arrivalsPerMs + other.arrivalsPerMs,
    }));
  }
}

/** The leaves are the same; keeping the array lets facts be compared by identity. */
function withLeaves(slice: Slice, leafIds: readonly number[]): Slice {
  return { ...slice, leafIds, provenLeafIds: slice.provenLeafIds.length === 0 ? [] : leafIds };
}

function newest(one: ReadMark | null, other: ReadMark | null): ReadMark | null {
  if (one === null || other === null) return one ?? other;
  return one.sentAtMs >= other.sentAtMs ? one : other;
}

const WHOLE_MARKET = 0;

/** A leaf in one colour is read by slices of its own. */
function leafKeysOf({ leafIds, marketplaceColourIds }: Slice): readonly string[] {
  const colour = marketplaceColourIds.join();
  return (leafIds.length === 0 ? [WHOLE_MARKET] : leafIds).map((leafId) => `${leafId}:${colour}`);
}
