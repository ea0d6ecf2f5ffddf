/** Single-key shortcuts, for those who want them: they can be switched off in the help. */
import { parseFlag, readPreference } from "../ui/preference.ts";

export const SHORTCUTS_KEY = "synapse.raccourcis";

/** Whether single keys act at all. */
function areShortcutsOn(): boolean {
  return readPreference(SHORTCUTS_KEY, parseFlag, true);
}

/**
 * The key of a shortcut, in lower case; null where the key belongs to something else: to a field that is being filled,
 * to an open dialog, to the browser.
 */
export function shortcutKeyOf(event: KeyboardEvent): string | null {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return null;
  if (!areShortcutsOn()) return null;
  const { target } = event;
  if (target instanceof HTMLElement && (target.isContentEditable || target.closest(TYPING) !== null))
    return null;
  if (document.querySelector('[role="dialog"]') !== null) return null;
  return event.key.toLowerCase();
}

const TYPING = "input:not([type=checkbox]):not([type=radio]), textarea, select";
