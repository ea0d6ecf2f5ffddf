import { queryOptions, useQuery } from "@tanstack/react-query";
import type { Utilisateur } from "#contract/compte.ts";
import { readUser } from "./first-reads.ts";

/** The one read that every page makes; all others are the panel's (queries.ts). */
export const userQuery = queryOptions({
  queryKey: ["user"],
  queryFn: async ({ signal }) => await readUser({ signal }),
  staleTime: 30_000,
});

export interface Session {
  /** Null without a session, and while nothing is known yet. */
  readonly user: Utilisateur | null;
  readonly isKnown: boolean;
  /** Level above 0: the panel opens (specification §6). */
  readonly isSubscriber: boolean;
}

/** Who uses the page, as the server said last. */
export function useSession(): Session {
  const { data, isPending } = useQuery(userQuery);
  const user = data ?? null;
  return { user, isKnown: !isPending, isSubscriber: user !== null && user.level > 0 };
}
