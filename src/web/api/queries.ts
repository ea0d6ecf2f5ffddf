/** The queries of the panel, with their cache keys. */
import { queryOptions, type Query, type QueryClient } from "@tanstack/react-query";
import type { Achat } from "#contract/achat.ts";
import { PURCHASES_PER_PAGE } from "#contract/bounds.ts";
import type { Body } from "#contract/calls.ts";
import { call } from "./client.ts";
import { readRecentArticles } from "./first-reads.ts";
import { userQuery } from "./session.ts";

export interface PurchasePage {
  readonly purch: readonly Achat[];
  /** The number sent, with the invalid ones. */
  readonly count: number;
}

/** Under "purchases", so that invalidating the newest page also invalidates the older ones. */
export const OLDER_PURCHASES = ["purchases", "older"] as const;

export const queries = {
  user: userQuery,
  filters: queryOptions({
    queryKey: ["filters"],
    queryFn: async ({ signal }) => (await call("filters", { signal })).filtres,
  }),
  /** @param sinceMs the start of today in the viewer's time zone */
  filterActivity: (sinceMs: number) =>
    queryOptions({
      queryKey: ["filter-activity", sinceMs],
      queryFn: async ({ signal }) =>
        await call("filterActivity", { signal, query: { depuis: String(sinceMs) } }),
      staleTime: 15_000,
    }),
  purchases: queryOptions({
    queryKey: ["purchases"],
    queryFn: async ({ signal }): Promise<PurchasePage> => await call("purchases", { signal }),
  }),
  /**
   * All purchases older than the newest page, read page by page.
   * @param lastId the last purchase of the newest page
   */
  olderPurchases: (lastId: string) =>
    queryOptions({
      queryKey: [...OLDER_PURCHASES, lastId],
      queryFn: async ({ signal }) => {
        const purch: Achat[] = [];
        let count = 0;
        for (;;) {
          const query = { avant: purch.at(-1)?._id ?? lastId };
          const page: PurchasePage = await call("purchases", { signal, query });
          purch.push(...page.purch);
          count += page.count;
          if (page.count < PURCHASES_PER_PAGE || page.purch.length === 0) return { purch, count };
        }
      },
      placeholderData: (previous) => previous,
    }),
  purchaseStory: (id: string) =>
    queryOptions({
      queryKey: ["purchase-story", id],
      queryFn: async ({ signal }) => (await call("purchaseStory", { signal, query: { id } })).recit,
    }),
  missedPurchases: queryOptions({
    queryKey: ["missed-purchases"],
    queryFn: async ({ signal }) => (await call("missedPurchases", { signal })).manques,
  }),
  purchaseSummary: queryOptions({
    queryKey: ["purchase-summary"],
    queryFn: async ({ signal }) => (await call("purchaseSummary", { signal })).bilan,
    staleTime: 15_000,
  }),
  state: queryOptions({
    queryKey: ["state"],
    queryFn: async ({ signal }) => (await call("state", { signal })).etat,
  }),
  sessions: queryOptions({
    queryKey: ["sessions"],
    queryFn: async ({ signal }) => (await call("sessions", { signal })).sessions,
  }),
  blockedSellers: queryOptions({
    queryKey: ["blocked-sellers"],
    queryFn: async ({ signal }) => (await call("blockedSellers", { signal })).vendeurs,
  }),
  settings: queryOptions({
    queryKey: ["settings"],
    queryFn: async ({ signal }) => (await call("settings", { signal })).vinted,
  }),
  groups: queryOptions({
    queryKey: ["groups"],
    queryFn: async ({ signal }) => (await call("groups", { signal })).groupes,
  }),
  alerts: queryOptions({
    queryKey: ["alerts"],
    queryFn: async ({ signal }) => (await call("alerts", { signal })).alertes,
  }),
  recentArticles: queryOptions({
    queryKey: ["recent-articles"],
    queryFn: async ({ signal }) => await readRecentArticles({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
  }),
  market: queryOptions({
    queryKey: ["market"],
    queryFn: async ({ signal }) => await call("market", { signal }),
    staleTime: 10_000,
  }),
  filterPreview: (criteria: Body<"previewFilter">) =>
    queryOptions({
      queryKey: ["filter-preview", criteria],
      queryFn: async ({ signal }) => (await call("previewFilter", { signal, body: criteria })).apercu,
      placeholderData: (previous) => previous,
      staleTime: 30_000,
      gcTime: 60_000,
      retry: false,
    }),
  publicFilters: (search: string) =>
    queryOptions({
      queryKey: ["public-filters", search],
      queryFn: async ({ signal }) =>
        (await call("publicFilters", { signal, ...(search === "" ? {} : { query: { q: search } }) })).filtres,
      placeholderData: (previous) => previous,
    }),
};

/** Prefetches the panel's first queries in parallel, instead of each when its component renders. */
export function readPanel(client: QueryClient): void {
  void client.prefetchQuery(queries.recentArticles);
  void client.prefetchQuery(queries.filters);
  void client.prefetchQuery(queries.settings);
  void client.prefetchQuery(queries.purchases);
}

/**
 * Refetches purchases, and if shown the older ones, their stories and what each filter bought. A first read in
 * flight may predate the change.
 */
export async function readPurchasesAgain(client: QueryClient): Promise<void> {
  const { queryKey } = queries.purchases;
  if (client.getQueryData(queryKey) === undefined) await client.cancelQueries({ queryKey, exact: true });
  void client.invalidateQueries({ queryKey: ["purchase-story"] });
  void client.invalidateQueries({ queryKey: ["filter-activity"] });
  await client.invalidateQueries({ queryKey });
}

/**
 * Updates a purchase in the cached list; a new one goes to the front. Cancels a reading in progress, whose answer may be
 * older: the caller reads the list again.
 */
export function keepPurchase(client: QueryClient, purchase: Achat): void {
  const { queryKey } = queries.purchases;
  if (client.getQueryData(queryKey) !== undefined) void client.cancelQueries({ queryKey, exact: true });
  client.setQueryData(queryKey, (known) => {
    if (known === undefined) return undefined;
    const { purch, count } = known;
    return purch.some(({ _id }) => _id === purchase._id)
      ? { purch: purch.map((each) => (each._id === purchase._id ? purchase : each)), count }
      : { purch: [purchase, ...purch], count: count + 1 };
  });
}

/** Queries with one entry for each draft, search or choice: refetching them all would repeat every count. */
const QUESTIONS: readonly unknown[] = [
  "filter-preview",
  "breadth",
  "public-filters",
  "market-prices",
  "replay",
];

/**
 * After a filter is added, edited or deleted, all data is refetched (specification §4), mounted or not;
 * answers to questions only if mounted, and otherwise when they are asked again.
 */
export async function reloadEverything(client: QueryClient): Promise<void> {
  const isQuestion = ({ queryKey: [name] }: Query): boolean => QUESTIONS.includes(name);
  await Promise.all([
    client.invalidateQueries({ predicate: isQuestion }),
    client.invalidateQueries({ refetchType: "all", predicate: (query) => !isQuestion(query) }),
  ]);
}
