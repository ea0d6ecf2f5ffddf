/** The size of a load run. */
export interface LoadScale {
  /** People with one socket each. */
  readonly sockets: number;
  /** All active filters, including the `autoFilters` that buy. */
  readonly filters: number;
  readonly autoFilters: number;
  readonly listingsPerSecond: number;
  /** Listings per second that match exactly one buying filter. */
  readonly purchasesPerSecond: number;
  readonly readsPerSecond: number;
  readonly durationS: number;
}

/** The size for several nodes on PostgreSQL and Redis. */
const full: LoadScale = {
  sockets: 5_000,
  filters: 20_000,
  autoFilters: 2_000,
  listingsPerSecond: 200,
  purchasesPerSecond: 20,
  readsPerSecond: 100,
  durationS: 120,
};

/** @param share of the full load; does not change the duration */
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
