/** Keeps the filter of a shared link from the moment the page is opened until the form takes it. */
import { logFailure } from "./log.ts";

/** Prefix of a URL fragment that holds a filter (features/filtres/filter-link.ts). */
export const LINK_MARK = "#f=";
const KEY = "synapse.filtre-partage";
/** In characters; a real filter takes a few hundred. */
const MAX_LENGTH = 32_000;

/**
 * Moves the filter from the URL fragment to the tab's session storage, where it survives a sign-in redirect.
 */
export function keepSharedFilter(): void {
  const { hash, pathname, search } = window.location;
  if (!hash.startsWith(LINK_MARK)) return;
  window.history.replaceState(window.history.state, "", `${pathname}${search}`);
  const payload = hash.slice(LINK_MARK.length);
  if (payload.length <= MAX_LENGTH) store(payload);
}

export function hasSharedFilter(): boolean {
  return stored() !== null;
}

/** Returns the stored payload and removes it. */
export function takeSharedFilter(): string | null {
  const payload = stored();
  if (payload !== null) store(null);
  return payload;
}

function stored(): string | null {
  try {
    return window.sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function store(payload: string | null): void {
  try {
    if (payload === null) window.sessionStorage.removeItem(KEY);
    else window.sessionStorage.setItem(KEY, payload);
  } catch (error) {
    logFailure("a shared filter was not kept", { error: error instanceof Error ? error.name : "unknown" });
  }
}
