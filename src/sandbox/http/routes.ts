/** The marketplace's calls as faults and counters name them. */
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
