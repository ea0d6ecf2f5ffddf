import { MutationCache, type Query, QueryCache, QueryClient } from "@tanstack/react-query";
import { CallError, isAccessLost } from "./client.ts";
import { logFailure } from "./log.ts";
import { personOf, userQuery } from "./session.ts";

const MAX_READ_RETRIES = 2;

/**
 * The page's query cache. It belongs to one person and is cleared when another signs in. A 401 or 403
 * refetches the user, so that an expired plan closes the panel immediately.
 */
export function createQueryClient(): QueryClient {
  const refetchUser = (error: unknown): void => {
    if (isAccessLost(error)) void client.invalidateQueries({ queryKey: userQuery.queryKey });
  };
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      // Failed reads are logged and shown in place, never in a toast (specification §8).
      onError: (error, { queryKey: [name] }) => {
        logFailure("read failed", {
          what: String(name),
          status: error instanceof CallError ? error.status : 0,
        });
        refetchUser(error);
      },
    }),
    mutationCache: new MutationCache({
      onError: (error) => {
        refetchUser(error);
        // The target of the command no longer exists, so the page is stale.
        if (error instanceof CallError && error.status === 404)
          void client.invalidateQueries({ predicate: isPersonal });
      },
    }),
    defaultOptions: {
      queries: {
        // Offline, a paused query would look like loading; a failed one shows a message.
        networkMode: "always",
        refetchOnReconnect: true,
        staleTime: 5_000,
        retry: (failures, error) => failures < MAX_READ_RETRIES && isWorthRetrying(error),
      },
      // A command is never retried, because it may have taken effect, nor paused until the network is back: a purchase
      // must not happen ten minutes later.
      mutations: { networkMode: "always", retry: false },
    },
  });
  forgetWithPerson(client);
  return client;
}

function isPersonal({ queryKey }: Pick<Query, "queryKey">): boolean {
  return queryKey[0] !== userQuery.queryKey[0];
}

/** Clears personal data when the user changes, even in another tab: nobody sees another person's data. */
function forgetWithPerson(client: QueryClient): void {
  const cache = client.getQueryCache();
  let known: string | null = null;
  cache.subscribe((event) => {
    // After a sign-out a query is removed once the panel no longer uses it: removed earlier, it would be fetched again.
    if (
      event.type === "observerRemoved" &&
      known === null &&
      isPersonal(event.query) &&
      event.query.getObserversCount() === 0
    )
      cache.remove(event.query);
    if (event.type !== "updated") return;
    const user = client.getQueryData(userQuery.queryKey) ?? null;
    const person = user === null ? null : personOf(user);
    if (person === known) return;
    const isAnother = known !== null;
    known = person;
    if (!isAnother) return;
    client.getMutationCache().clear();
    client.removeQueries({ predicate: isPersonal, ...(person === null ? { type: "inactive" } : {}) });
  });
}

function isWorthRetrying(error: unknown): boolean {
  return error instanceof CallError && (error.status === 0 || error.status >= 502);
}
