import { queryOptions, useQuery, type QueryClient } from "@tanstack/react-query";
import type { Utilisateur } from "#contract/compte.ts";
import { readPreference, writePreference } from "../ui/preference.ts";
import { endSubscription } from "./alerts/push-subscription.ts";
import { readUser } from "./first-reads.ts";
import { forgetOldList } from "./old-seller-list.ts";

/** The only query of every page; the panel's others are in queries.ts. */
export const userQuery = queryOptions({
  queryKey: ["user"],
  queryFn: async ({ signal }) => await readUser({ signal }),
  staleTime: 30_000,
  // Even if fresh: a sign-in in another window may have left this one without a session for a moment.
  refetchOnWindowFocus: "always",
});

/** Distinguishes people: by the verified address, or for those without one by what is shown of them. */
export function personOf({ email, name, picture }: Utilisateur): string {
  return email === "" ? `${name} ${picture}` : email;
}

export interface Session {
  /** Null without a session, and while it is not known. */
  readonly user: Utilisateur | null;
  /** False until the user has been read; a read that failed says nothing about the session. */
  readonly isKnown: boolean;
  /** Level above 0: the panel opens (specification §6). */
  readonly isSubscriber: boolean;
}

export function useSession(): Session {
  const { data } = useQuery(userQuery);
  const user = data ?? null;
  return { user, isKnown: data !== undefined, isSubscriber: user !== null && user.level > 0 };
}

/**
 * After signing out: nothing of the person stays in this browser, and the next one must not get their alerts.
 * Settles when the browser's push subscription has ended.
 */
export async function forgetPerson(client: QueryClient): Promise<void> {
  // Without a user the panel unmounts and the query cache is cleared (query-client.ts).
  client.setQueryData(userQuery.queryKey, null);
  forgetOldList();
  await endSubscription(client);
}

/**
 * Records, in this tab only, that a sign-in was started. A browser that rejects cookies returns from it without a
 * session, and this record lets the page say why.
 */
const SIGN_IN_KEY = "synapse.connexion";
const FORGOTTEN = "forgotten";
/** A sign-in that takes longer counts as abandoned. */
const VALID_MS = 15 * 60_000;

/** "forgotten": the sign-in succeeded and the browser kept nothing of it. "refused": it did not succeed. */
export type SignInOutcome = "none" | "refused" | "forgotten";

export function beginSignIn(): void {
  write(Date.now());
}

/**
 * Ends this tab's record of a sign-in at the panel, where only a successful one leads.
 * @returns whether it left no session, which the landing page then explains
 */
export function settleSignIn(hasSession: boolean): boolean {
  const isForgotten = !hasSession && isBegun();
  write(isForgotten ? FORGOTTEN : undefined);
  return isForgotten;
}

/**
 * Reads and clears the outcome of this tab's sign-in, for a visitor without a session.
 * @param hash of the landing page's URL: "#prix" only after a successful sign-in
 */
export function takeSignInOutcome(hash: string): SignInOutcome {
  const wasForgotten = read() === FORGOTTEN;
  const wasBegun = isBegun();
  write(undefined);
  if (wasForgotten) return "forgotten";
  // Navigating back from the sign-in page is an abandoned sign-in, not a refused one.
  if (!wasBegun || wasGoneBackTo()) return "none";
  return hash === "#prix" ? "forgotten" : "refused";
}

function isBegun(): boolean {
  return Math.abs(Date.now() - Number(read())) < VALID_MS;
}

function wasGoneBackTo(): boolean {
  const [navigation] = performance.getEntriesByType("navigation");
  return navigation instanceof PerformanceNavigationTiming && navigation.type === "back_forward";
}

function read(): unknown {
  return readPreference<unknown>(SIGN_IN_KEY, (stored) => stored, null, "sessionStorage");
}

/** If the browser refuses the storage, the outcome stays unknown. */
function write(record: unknown): void {
  writePreference(SIGN_IN_KEY, record, "sessionStorage");
}
