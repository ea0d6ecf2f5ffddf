import type { Candidate } from "./candidate.ts";
import type { FilterSpec } from "./compile-filter.ts";

/** The order of matches: filters that buy automatically, by lane, then filters that only show. */
export const MATCH_CLASSES = ["thunder", "acquire", "shown"] as const;
export type MatchClass = (typeof MATCH_CLASSES)[number];

/**
 * Reverse search: finds the active filters that hold a listing. The caller assigns small numbers to filters and may
 * reuse them after a removal; keep them dense, since an index may have arrays indexed by them.
 */
export interface FilterIndex {
  /** Number of filters. */
  readonly size: number;
  /** Throws if the number is in use: an edit is a removal and an insertion. */
  insert(filterNumber: number, spec: FilterSpec, matchClass: MatchClass): void;
  /** False if there is no such filter. */
  remove(filterNumber: number): boolean;
  /**
   * Finds exactly the filters that hold the candidate, each once: Thunder's, then Acquire's, then the rest,
   * ordered by the history of edits. The result is a view that the next call overwrites.
   */
  match(candidate: Candidate): MatchWindow;
}

/** The filter numbers are `numbers[start]` to `numbers[start + length - 1]`. */
export interface MatchWindow {
  readonly numbers: Int32Array;
  readonly start: number;
  readonly length: number;
}
