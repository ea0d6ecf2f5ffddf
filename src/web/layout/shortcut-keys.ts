/** Single-key shortcuts; they can be switched off in the help dialog. */
import { parseFlag, readPreference } from "../ui/preference.ts";

export const SHORTCUTS_KEY = "synapse.raccourcis";

function areShortcutsOn(): boolean {
  return readPreference(SHORTCUTS_KEY, parseFlag, true);
}

/**
 * The shortcut's key in lower case; null if the key belongs to a text field, an open dialog or the browser
 * (with a modifier), or if shortcuts are off.
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
