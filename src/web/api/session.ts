import { useQuery } from "@tanstack/react-query";
import type { Utilisateur } from "#contract/utilisateur.ts";
import { queries } from "./queries.ts";

export interface Session {
  /** Null without a session, and while nothing is known yet. */
  readonly user: Utilisateur | null;
  readonly isKnown: boolean;
  /** Level above 0: the panel opens (specification §6). */
  readonly isSubscriber: boolean;
}

/** Who uses the page, as the server said last. */
export function useSession(): Session {
  const { data, isPending } = useQuery(queries.user);
  const user = data ?? null;
  return { user, isKnown: !isPending, isSubscriber: user !== null && user.level > 0 };
}
