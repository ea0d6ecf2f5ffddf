/** Sellers that a person does not want to see: kept in the browser, the latest few hundred. */
import { readPreference, writePreference } from "../ui/preference.ts";

const KEY = "synapse.vendeurs-masques";
const MAX_HIDDEN_SELLERS = 300;

export function readHiddenSellers(): ReadonlySet<string> {
  return readPreference(KEY, parseHiddenSellers, new Set());
}

/** An empty set removes the entry from the browser's storage. */
export function keepHiddenSellers(logins: ReadonlySet<string>): void {
  writePreference(KEY, logins.size === 0 ? undefined : [...logins].slice(-MAX_HIDDEN_SELLERS));
}

/** Undefined if the stored value is no list of logins. */
export function parseHiddenSellers(stored: unknown): ReadonlySet<string> | undefined {
  if (!Array.isArray(stored)) return undefined;
  const logins = stored.filter((login): login is string => typeof login === "string" && login !== "");
  return new Set(logins.slice(-MAX_HIDDEN_SELLERS));
}
