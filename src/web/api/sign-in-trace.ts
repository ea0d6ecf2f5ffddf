/**
 * Remembers, for this tab alone, that a sign-in was begun here. A browser that keeps no cookies comes back from it as
 * nobody, and without this trace the page could not say why.
 */
const KEY = "synapse.connexion";
const FORGOTTEN = "forgotten";
/** Whoever takes longer has begun something else since. */
const VALID_MS = 15 * 60_000;

/** "forgotten": the sign-in succeeded and the browser kept nothing of it. "refused": it did not succeed. */
export type SignInOutcome = "none" | "refused" | "forgotten";

export function beginSignIn(): void {
  write(String(Date.now()));
}

/** The sign-in that was begun here led to the panel, and yet nobody is signed in: the landing page shall say so. */
export function noteForgottenSignIn(): boolean {
  if (!isBegun()) return false;
  write(FORGOTTEN);
  return true;
}

/**
 * What became of the sign-in that was begun in this tab, for somebody who is still nobody. Told once.
 * @param hash of the landing page's address: only a sign-in that succeeded leads to the plans
 */
export function takeSignInOutcome(hash: string): SignInOutcome {
  const wasForgotten = read() === FORGOTTEN;
  const wasBegun = isBegun();
  write(null);
  if (wasForgotten) return "forgotten";
  // Going back from the sign-in page is nobody's refusal.
  if (!wasBegun || wasGoneBackTo()) return "none";
  return hash === "#prix" ? "forgotten" : "refused";
}

function isBegun(): boolean {
  return Math.abs(Date.now() - Number(read() ?? Number.NaN)) < VALID_MS;
}

function wasGoneBackTo(): boolean {
  const [navigation] = performance.getEntriesByType("navigation");
  return navigation instanceof PerformanceNavigationTiming && navigation.type === "back_forward";
}

function read(): string | null {
  try {
    return window.sessionStorage.getItem(KEY);
  } catch (error) {
    return ignoreRefusal(error);
  }
}

function write(text: string | null): void {
  try {
    if (text === null) window.sessionStorage.removeItem(KEY);
    else window.sessionStorage.setItem(KEY, text);
  } catch (error) {
    ignoreRefusal(error);
  }
}

// A browser that refuses storage as well: the page then says nothing more.
function ignoreRefusal(error: unknown): null {
  if (error instanceof DOMException) return null;
  throw error;
}
