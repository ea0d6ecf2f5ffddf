import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { CallError, isAccessLost } from "./client.ts";
import { logFailure } from "./log.ts";
import { userQuery } from "./session.ts";

const MAX_READ_RETRIES = 2;

/**
 * The page's memory of what the server said. It is one person's: whoever comes after them begins with none. A refused
 * session or level makes it ask who the person is now, so that a plan that ended closes the panel at once.
 */
export function createQueryClient(): QueryClient {
  const askAgainWho = (error: unknown): void => {
    if (isAccessLost(error)) void client.invalidateQueries({ queryKey: userQuery.queryKey });
  };
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      // Reads that fail are logged and shown in place, never by a message (specification §8).
      onError: (error, { queryKey: [name] }) => {
        logFailure("read failed", {
          what: String(name),
          status: error instanceof CallError ? error.status : 0,
        });
        askAgainWho(error);
      },
    }),
    mutationCache: new MutationCache({ onError: askAgainWho }),
    defaultOptions: {
      queries: {
        // Offline is told in words; a read that waits in silence would look like loading.
        networkMode: "always",
        refetchOnReconnect: true,
        staleTime: 5_000,
        retry: (failures, error) => failures < MAX_READ_RETRIES && isWorthRetrying(error),
      },
      // A command is never repeated by itself, for it may have taken effect, nor kept for when the network is back:
      // nobody wants to buy ten minutes later.
      mutations: { networkMode: "always", retry: false },
    },
  });
  forgetWithPerson(client);
  return client;
}

/** Who is here may change on another tab, too: what was read for the one is never shown to the other. */
function forgetWithPerson(client: QueryClient): void {
  let known: string | null = null;
  const forget = (): void => {
    client.getMutationCache().clear();
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== userQuery.queryKey[0] });
  };
  client.getQueryCache().subscribe(({ type }) => {
    if (type !== "updated") return;
    const email = client.getQueryData(userQuery.queryKey)?.email ?? null;
    if (email === known) return;
    const isAnother = known !== null;
    known = email;
    if (!isAnother) return;
    // With nobody left the panel goes first: what it still shows would be read once more.
    if (email === null) setTimeout(forget);
    else forget();
  });
}

function isWorthRetrying(error: unknown): boolean {
  return error instanceof CallError && (error.status === 0 || error.status >= 502);
}
