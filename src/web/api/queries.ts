/** Everything that is read from the server, with the key under which it is kept. */
import { queryOptions, type QueryClient } from "@tanstack/react-query";
import type { Achat } from "#contract/achat.ts";
import { PURCHASES_PER_PAGE } from "#contract/bounds.ts";
import type { Body } from "#contract/calls.ts";
import { call } from "./client.ts";
import { readRecentArticles } from "./first-reads.ts";
import { userQuery } from "./session.ts";

export interface PurchasePage {
  readonly purch: readonly Achat[];
  /** How many were sent, with those that could not be read. */
  readonly count: number;
}

/** With the newest of them under "purchases", so that whatever reads those again reads these as well. */
export const OLDER_PURCHASES = ["purchases", "older"] as const;

export const queries = {
  user: userQuery,
  filters: queryOptions({
    queryKey: ["filters"],
    queryFn: async ({ signal }) => (await call("filters", { signal })).filtres,
  }),
  /** @param sinceMs when today began for the viewer */
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
   * All purchases older than one, page by page: read with the newest ones, and again with them.
   * @param lastId the last of the newest page
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

/** The newest purchases, and the older ones that a screen shows. A first read that is under way may be older than what changed. */
export async function readPurchasesAgain(client: QueryClient): Promise<void> {
  const { queryKey } = queries.purchases;
  if (client.getQueryData(queryKey) === undefined) await client.cancelQueries({ queryKey, exact: true });
  await client.invalidateQueries({ queryKey });
}

/** Updates a purchase in the cached list; a new one goes to the front. */
export function keepPurchase(client: QueryClient, purchase: Achat): void {
  client.setQueryData(queries.purchases.queryKey, (known) => {
    if (known === undefined) return undefined;
    const { purch, count } = known;
    return purch.some(({ _id }) => _id === purchase._id)
      ? { purch: purch.map((each) => (each._id === purchase._id ? purchase : each)), count }
      : { purch: [purchase, ...purch], count: count + 1 };
  });
}

/** After an add, an edit or a delete of a filter all data is read again (specification §4), shown now or not. */
export async function reloadEverything(client: QueryClient): Promise<void> {
  await client.invalidateQueries({ refetchType: "all" });
}
