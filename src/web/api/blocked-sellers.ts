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
import { call, CallError } from "./client.ts";
import { readPreference } from "../ui/preference.ts";
import { forgetOldList, OLD_LIST_KEY } from "./old-seller-list.ts";
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

export function useBlockSeller() {
  return useMutation(blockMutation(useQueryClient()));
}

/**
 * Optimistic update: the seller's listings disappear at once, and come back if the call fails. Several may be
 * under way, answered in any order: an answer or a failure changes nothing of the others.
 */
export function blockMutation(client: QueryClient) {
  const { queryKey } = queries.blockedSellers;
  return mutationOptions({
    mutationKey: BLOCK_KEY,
    mutationFn: async ({ id, login }: Seller) =>
      await call("blockSellers", { body: { vendeurs: [{ id, login }] } }),
    onMutate: async ({ id, login }) => {
      await client.cancelQueries({ queryKey });
      client.setQueryData(queryKey, (known = []) => [{ id, login, depuis: Date.now() }, ...known]);
    },
    onSuccess: ({ vendeurs }) => {
      const isAnswered = blockCheckOf(vendeurs);
      client.setQueryData(queryKey, (known = []) => [
        ...known.filter((seller) => !isAnswered(seller)),
        ...vendeurs,
      ]);
    },
    onError: async (_error, { id, login }) => {
      client.setQueryData(queryKey, (known) =>
        known?.filter((seller) => seller.id !== id || seller.login !== login),
      );
      // While another is under way, the list that is read may not have its seller yet.
      if (client.isMutating({ mutationKey: BLOCK_KEY }) === 1) await client.invalidateQueries({ queryKey });
    },
  });
}

export function useUnblockSeller() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (login: string) => call("unblockSeller", { body: { login } }),
    onSuccess: ({ vendeurs }) => client.setQueryData(queries.blockedSellers.queryKey, vendeurs),
  });
}

const MAX_OLD_LOGINS = 300;
const MAX_LOGIN_LENGTH = 100;

/** The latest logins of the old list; empty if the stored value is invalid. */
export function oldLoginsOf(stored: unknown): readonly string[] {
  if (!Array.isArray(stored)) return [];
  const logins = stored
    .filter((login): login is string => typeof login === "string")
    .filter((login) => login.trim() !== "" && login.length <= MAX_LOGIN_LENGTH);
  return [...new Set(logins)].slice(-MAX_OLD_LOGINS);
}

function readOldList(): readonly string[] {
  return readPreference(OLD_LIST_KEY, oldLoginsOf, []);
}

/** Migrates the browser's old list to the server; it is deleted once accepted, or refused for good. */
export async function sendOldList(client: QueryClient): Promise<void> {
  const logins = readOldList();
  if (logins.length === 0) return;
  try {
    const { vendeurs } = await call("blockSellers", {
      body: { vendeurs: logins.map((login) => ({ login })) },
    });
    client.setQueryData(queries.blockedSellers.queryKey, vendeurs);
  } catch (error) {
    const isRefusedForGood = error instanceof CallError && (error.status === 400 || error.status === 409);
    if (!isRefusedForGood) return;
  }
  forgetOldList();
}
