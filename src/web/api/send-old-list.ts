/** Migration of the blocked logins that earlier versions kept in the browser; loaded only where there are any. */
import type { QueryClient } from "@tanstack/react-query";
import { readPreference } from "../ui/preference.ts";
import { call, CallError } from "./client.ts";
import { forgetOldList, OLD_LIST_KEY } from "./old-seller-list.ts";
import { queries } from "./queries.ts";

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
