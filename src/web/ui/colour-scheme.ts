/** What every page needs before anything is drawn: the tokens, the base styles, and the scheme: dark, light or the system's. */
import "./tokens.css";
import "./base.css";

/** Where the choice is kept; the component library writes it, this file only reads. */
export const COLOUR_SCHEME_KEY = "synapse.apparence";

applyColourScheme();

/** Puts the chosen scheme on the page, for the screens that the component library does not draw. */
function applyColourScheme(): void {
  const chosen = chosenScheme();
  const isDark =
    chosen === null ? window.matchMedia("(prefers-color-scheme: dark)").matches : chosen === "dark";
  document.documentElement.dataset["mantineColorScheme"] = isDark ? "dark" : "light";
}

function chosenScheme(): "dark" | "light" | null {
  try {
    const kept = window.localStorage.getItem(COLOUR_SCHEME_KEY);
    return kept === "dark" || kept === "light" ? kept : null;
  } catch (error) {
    // A private window may refuse storage.
    if (error instanceof DOMException) return null;
    throw error;
  }
}
