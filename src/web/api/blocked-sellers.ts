/** Blocked sellers: the server neither shows nor buys their listings, and open pages remove them. */
import {
  mutationOptions,
  useMutation,
  useQuery,
  useQueryClient,
  type QueryClient,
} from "@tanstack/react-query";
import type { Produit } from "#contract/produit.ts";
import type { VendeurBloque } from "#contract/vendeur.ts";
import { call } from "./client.ts";
import { createObservable, useObservable } from "./live/observable.ts";
import { queries } from "./queries.ts";

type Seller = Produit["user"];

/** Whether a listing's seller is blocked: by id, or by login where one of the two ids is unknown. */
export type IsBlocked = (seller: Pick<Seller, "id" | "login">) => boolean;

export function blockCheckOf(blocked: readonly VendeurBloque[]): IsBlocked {
  const ids = new Set(blocked.map(({ id }) => id));
  const logins = new Set(blocked.map(({ login }) => fold(login)));
  const loginsWithoutId = new Set(blocked.filter(({ id }) => id === null).map(({ login }) => fold(login)));
  return ({ id, login }) =>
    id === null ? logins.has(fold(login)) : ids.has(id) || loginsWithoutId.has(fold(login));
}

function fold(login: string): string {
  return login.toLowerCase();
}

/** @param isWanted false defers the query, so that more urgent ones go first */
export function useIsBlocked(isWanted = true): IsBlocked {
  const { data = nobody } = useQuery({ ...queries.blockedSellers, select: blockCheckOf, enabled: isWanted });
  return data;
}

const nobody: IsBlocked = () => false;

const BLOCK_KEY = ["block-seller"];

const blockCount = createObservable(0);

/**
 * How often this page has changed the list by blocking. Not whether it is blocking: a busy page may draw only once
 * that has been answered.
 */
export function useBlockCount(): number {
  return useObservable(blockCount);
}

export function useBlockSeller() {
  return useMutation(blockMutation(useQueryClient()));
}

/**
 * Optimistic update: the seller's listings disappear at once, and come back if the call fails. Several may be
 * under way, answered in any order: an answer or a failure changes nothing of the others.
 */
export function blockMutation(client: QueryClient) {
  const { queryKey } = queries.blockedSellers;
  /** Not awaited: the mutation would stay pending, and its message unshown, until the list is read. */
  const readAgain = (): void => {
    // While another is under way, the list that is read may not have its seller yet.
    if (client.isMutating({ mutationKey: BLOCK_KEY }) === 1) void client.invalidateQueries({ queryKey });
  };
  return mutationOptions({
    mutationKey: BLOCK_KEY,
    mutationFn: async ({ id, login }: Seller) =>
      await call("blockSellers", { body: { vendeurs: [{ id, login }] } }),
    onMutate: async ({ id, login }) => {
      await client.cancelQueries({ queryKey });
      client.setQueryData(queryKey, (known = []) => [{ id, login, depuis: Date.now() }, ...known]);
      blockCount.update((count) => count + 1);
    },
    onSuccess: ({ vendeurs }, blocked) => {
      const isBlocked = blockCheckOf([{ ...blocked, depuis: 0 }]);
      const saved = vendeurs.find((seller) => isBlocked(seller));
      client.setQueryData(queryKey, (known) =>
        known?.map((seller) => (isBlocked(seller) ? (saved ?? seller) : seller)),
      );
      readAgain();
    },
    onError: (_error, { id, login }) => {
      client.setQueryData(queryKey, (known) =>
        known?.filter((seller) => seller.id !== id || seller.login !== login),
      );
      blockCount.update((count) => count + 1);
      readAgain();
    },
  });
}

export function useUnblockSeller() {
  return useMutation(unblockMutation(useQueryClient()));
}

export function unblockMutation(client: QueryClient) {
  const { queryKey } = queries.blockedSellers;
  return mutationOptions({
    mutationFn: async (login: string) => await call("unblockSeller", { body: { login } }),
    onSuccess: async ({ vendeurs }, unblocked) => {
      // A read that began before may have the seller still.
      await client.cancelQueries({ queryKey });
      // Others may be on their way to the server.
      client.setQueryData(queryKey, (known = vendeurs) => known.filter(({ login }) => login !== unblocked));
    },
  });
}
