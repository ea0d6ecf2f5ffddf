/** The logins that a browser kept while hiding a seller was a matter of one browser; the public pages only forget them. */
import { writePreference } from "../ui/preference.ts";

export const OLD_LIST_KEY = "synapse.vendeurs-masques";

/** At a sign-out nothing of the person stays in the browser. */
export function forgetOldList(): void {
  writePreference(OLD_LIST_KEY, undefined);
}
