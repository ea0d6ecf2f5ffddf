/** The logins that a browser kept while hiding a seller was a matter of one browser; the public pages only forget them. */
import { readPreference, writePreference } from "../ui/preference.ts";

const OLD_LIST_KEY = "synapse.vendeurs-masques";
const MAX_OLD_LOGINS = 300;
const MAX_LOGIN_LENGTH = 100;

/** The logins of the old list, the latest ones; empty for anything else. */
export function oldLoginsOf(stored: unknown): readonly string[] {
  if (!Array.isArray(stored)) return [];
  const logins = stored
    .filter((login): login is string => typeof login === "string")
    .filter((login) => login.trim() !== "" && login.length <= MAX_LOGIN_LENGTH);
  return [...new Set(logins)].slice(-MAX_OLD_LOGINS);
}

export function readOldList(): readonly string[] {
  return readPreference(OLD_LIST_KEY, oldLoginsOf, []);
}

/** At a sign-out nothing of the person stays in the browser. */
export function forgetOldList(): void {
  writePreference(OLD_LIST_KEY, undefined);
}
