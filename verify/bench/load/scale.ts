/** How much of everything a load run asks for. */
export interface LoadScale {
  /** Logged-in people, one socket each. */
  readonly sockets: number;
  /** Active filters in all, of them `autoFilters` that buy. */
  readonly filters: number;
  readonly autoFilters: number;
  readonly listingsPerSecond: number;
  /** How many of the listings each second are what exactly one buying filter waits for. */
  readonly purchasesPerSecond: number;
  readonly readsPerSecond: number;
  readonly durationS: number;
}

/** What several nodes on PostgreSQL and Redis are measured by. */
const full: LoadScale = {
  sockets: 5_000,
  filters: 20_000,
  autoFilters: 2_000,
  listingsPerSecond: 200,
  purchasesPerSecond: 20,
  readsPerSecond: 100,
  durationS: 120,
};

/** @param share of the full load; the time stays the same */
export function scaleOf(share: number, durationS: number): LoadScale {
  const part = (count: number): number => Math.max(1, Math.round(count * share));
  return {
    sockets: part(full.sockets),
    filters: part(full.filters),
    autoFilters: part(full.autoFilters),
    listingsPerSecond: part(full.listingsPerSecond),
    purchasesPerSecond: part(full.purchasesPerSecond),
    readsPerSecond: part(full.readsPerSecond),
    durationS,
  };
}

export const FULL_DURATION_S = full.durationS;
