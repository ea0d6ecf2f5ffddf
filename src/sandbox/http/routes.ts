/** Route names used by faults and counters. */
export const ROUTE_NAMES = [
  "catalog",
  "conversation",
  "build",
  "checkout",
  "points",
  "payment",
  "orders",
  "transaction",
  "refresh",
] as const;
export type RouteName = (typeof ROUTE_NAMES)[number];

/** Requests per route since the last reset. */
export interface RequestCounters {
  note(route: RouteName): void;
  reset(): void;
  read(): { readonly total: number; readonly by_route: Readonly<Record<string, number>> };
}

export function createRequestCounters(): RequestCounters {
  const counts = new Map<RouteName, number>();
  const countOf = (route: RouteName): number => counts.get(route) ?? 0;
  return {
    note: (route) => void counts.set(route, countOf(route) + 1),
    reset: () => counts.clear(),
    read: () => ({
      total: ROUTE_NAMES.reduce((sum, route) => sum + countOf(route), 0),
      by_route: Object.fromEntries(ROUTE_NAMES.map((route) => [route, countOf(route)])),
    }),
  };
}
