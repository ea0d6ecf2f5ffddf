import type { PlannerOptions } from "../schedule/planner.ts";
import { MAX_PAGES, PAGE_SIZE } from "./slice-pages.ts";

/** One slow answer must not hold up every slice, nor a quarter of a second for each leave any of the budget unused. */
export function parallelReads(readsPerSecond: number): number {
  return Math.min(8, Math.max(2, Math.ceil(readsPerSecond / 4)));
}

const MIN_READ_INTERVAL_MS = 150;
const MAX_STALENESS_MS = 60_000;

/** @param readsPerSecond the read lane's rate in the budget */
export function readingPace(readsPerSecond: number): PlannerOptions {
  return {
    readsPerSecond,
    minIntervalMs: MIN_READ_INTERVAL_MS,
    maxStalenessMs: MAX_STALENESS_MS,
    pageSize: PAGE_SIZE,
    maxPages: MAX_PAGES,
  };
}
