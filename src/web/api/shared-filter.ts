/** A link with a filter, from the moment at which the page is opened with it until the form takes it. */
import { logFailure } from "./log.ts";

/** Begins the part of the address that holds a filter (features/filtres/filter-link.ts). */
export const LINK_MARK = "#f=";
const KEY = "synapse.filtre-partage";
/** A filter's criteria are a few hundred characters. */
const MAX_LENGTH = 32_000;

/**
 * Takes a link's filter out of the address bar, at once, and keeps it in the tab: after a sign-in the person finds it
 * afterwards.
 */
export function keepSharedFilter(): void {
  const { hash, pathname, search } = window.location;
  if (!hash.startsWith(LINK_MARK)) return;
  window.history.replaceState(window.history.state, "", `${pathname}${search}`);
  const payload = hash.slice(LINK_MARK.length);
  if (payload.length <= MAX_LENGTH) store(payload);
}

/** Whether a filter waits for the form. */
export function hasSharedFilter(): boolean {
  return stored() !== null;
}

/** The payload that waits, once. */
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
