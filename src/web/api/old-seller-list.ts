/** Blocked logins that earlier versions kept in the browser: migrated by the panel, deleted at sign-out. */
import { readPreference, writePreference } from "../ui/preference.ts";

export const OLD_LIST_KEY = "synapse.vendeurs-masques";

/** Also called at sign-out: no personal data stays in the browser. */
export function forgetOldList(): void {
  writePreference(OLD_LIST_KEY, undefined);
}

export function hasOldList(): boolean {
  return readPreference(OLD_LIST_KEY, (stored) => stored !== undefined, false);
}
