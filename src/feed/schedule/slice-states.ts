/**
 * Reading progress of each slice: when it was read, how far, how many listings arrive. Pure. Progress is
 * inherited per leaf: when edits of filters cut a slice out of another, it starts with that one's mark.
 */
import type { ListingId } from "#domain/ids.ts";
import { NO_BACKOFF, type SliceBackoff } from "./slice-backoff.ts";
import type { Slice } from "./slice.ts";

/** How far a slice was read: every listing above it appeared after the reading began. */
export interface ReadMark {
  /** When the request was sent: later listings are new, those known by then count as an overlap. */
  readonly sentAtMs: number;
  /** When the answer arrived: what the slice itself showed by then counts as an overlap too. */
  readonly receivedAtMs: number;
  readonly highestListingId: number;
}

export interface SliceState {
  slice: Slice;
  readonly wantedSinceMs: number;
  /** Null: never read, or too long ago. */
  mark: ReadMark | null;
  /**
   * The mark of a reading whose pages may have missed listings between them. It becomes the mark once a
   * second reading has covered the same range.
   */
  unconfirmedMark: ReadMark | null;
  /**
   * The last listing, in the marketplace's order, that gapless passes have reached: everything between it and
   * the mark was read or came later; listings below were never read. Null: unknown to this process.
   */
  coveredFrom: ListingId | null;
  /** Consecutive passes in which the marketplace withheld further pages. */
  hiddenPasses: number;
  /** Null: never. */
  lastReadAtMs: number | null;
  /** New listings per millisecond, smoothed. */
  arrivalsPerMs: number;
  /**
   * If read at least this often, its new listings fit on the pages that the marketplace serves. Infinity
   * until they first did not.
   */
  fitsWithinMs: number;
  /** Listings proven by this slice and the total weight of the people who received them; both decay. */
  provenCount: number;
  interest: number;
  /** Weight of the unread listings that are probably here, by listing (scout.ts). */
  readonly expected: Map<ListingId, number>;
  /** Listings on the first page of its last reading, without promoted ones; null: never read. */
  lastPageSize: number | null;
  isBeingRead: boolean;
  /** Failures of this slice while others could be read (slice-backoff.ts). */
  backoff: SliceBackoff;
  /** When its mark was last handed to the store, and its value; null: not yet by this process. */
  recorded: { readonly atMs: number; readonly highestListingId: number } | null;
}

interface LeafHistory {
  readonly mark: ReadMark;
  readonly lastReadAtMs: number;
  readonly arrivalsPerMs: number;
}

/** Assumed for a slice without history: one listing in five minutes. */
const UNKNOWN_ARRIVALS_PER_MS = 1 / 300_000;

/** An older mark is useless: the listings seen then are no longer remembered. */
export const MARK_LIFETIME_MS = 24 * 3_600_000;

export class SliceStates {
  readonly #states = new Map<string, SliceState>();
  readonly #histories = new Map<string, LeafHistory>();
  #storedMarks = new Map<string, ReadMark>();
  #slices: readonly Slice[] = [];

  /** @param storedMarks by slice key, from an earlier process */
  restore(storedMarks: ReadonlyMap<string, ReadMark>): void {
    this.#storedMarks = new Map(storedMarks);
  }

  /** Adopts the slices that are wanted now. No-op for the same array. */
  update(slices: readonly Slice[], nowMs: number): void {
    if (slices === this.#slices) return;
    this.#slices = slices;
    const wantedKeys = new Set(slices.map(({ key }) => key));
    for (const [key, state] of this.#states) {
      if (wantedKeys.has(key)) continue;
      this.#states.delete(key);
      this.#saveHistory(state);
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

  /** Sum over all slices that were read. */
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
      arrivalsPerMs: inherited?.arrivalsPerMs ?? UNKNOWN_ARRIVALS_PER_MS,
      fitsWithinMs: Infinity,
      provenCount: 0,
      interest: 0,
      expected: new Map(),
      lastPageSize: null,
      isBeingRead: false,
      backoff: NO_BACKOFF,
      recorded: null,
    };
  }

  #saveHistory({ slice, mark, lastReadAtMs, arrivalsPerMs }: SliceState): void {
    if (mark === null || lastReadAtMs === null) return;
    const keys = leafKeysOf(slice);
    const history = { mark, lastReadAtMs, arrivalsPerMs: arrivalsPerMs / keys.length };
    for (const key of keys) this.#histories.set(key, history);
  }

  /** The most conservative combination of its leaves' histories; null if one of them was never read. */
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

/** The leaves are equal; keeping the array makes facts comparable by reference. */
function withLeaves(slice: Slice, leafIds: readonly number[]): Slice {
  return { ...slice, leafIds, provenLeafIds: slice.provenLeafIds.length === 0 ? [] : leafIds };
}

function newest(one: ReadMark | null, other: ReadMark | null): ReadMark | null {
  if (one === null || other === null) return one ?? other;
  return one.sentAtMs >= other.sentAtMs ? one : other;
}

const WHOLE_MARKET = 0;

/** The same leaf in one colour is read by a different slice. */
function leafKeysOf({ leafIds, marketplaceColourIds }: Slice): readonly string[] {
  const colour = marketplaceColourIds.join();
  return (leafIds.length === 0 ? [WHOLE_MARKET] : leafIds).map((leafId) => `${leafId}:${colour}`);
}
