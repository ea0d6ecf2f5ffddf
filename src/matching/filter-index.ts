import type { Candidate } from "./candidate.ts";
import type { FilterSpec } from "./compile-filter.ts";

/** Whose matches come first: the owner's automatic purchases by lane, then what is only shown. */
export const MATCH_CLASSES = ["thunder", "acquire", "shown"] as const;
export type MatchClass = (typeof MATCH_CLASSES)[number];

/**
 * The reverse search: one listing against every active filter.
 * Filters are known by small numbers that the holder gives out and may reuse after a removal; keep them
 * dense, since an index may hold columns by them.
 */
export interface FilterIndex {
  /** How many filters it holds. */
  readonly size: number;
  /** Throws when the number is taken: an edit is a removal and an insertion. */
  insert(filterNumber: number, spec: FilterSpec, matchClass: MatchClass): void;
  /** False when there is no such filter. */
  remove(filterNumber: number): boolean;
  /**
   * Finds exactly the filters that hold the candidate, each once: Thunder's, then Acquire's, then the rest; the
   * same order for the same history of edits. The answer is a window that the next call of the index overwrites.
   */
  match(candidate: Candidate): MatchWindow;
}

/** `numbers[start]` to `numbers[start + length - 1]` are filter numbers. */
export interface MatchWindow {
  readonly numbers: Int32Array;
  readonly start: number;
  readonly length: number;
}
