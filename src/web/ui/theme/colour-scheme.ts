/** Tokens, base styles and colour scheme (dark, light or the system's), needed before the first render. */
import "./tokens.css";
import "./base.css";

/** localStorage key of the chosen scheme; Mantine writes it, this file only reads it. */
export const COLOUR_SCHEME_KEY = "synapse.apparence";

applyColourScheme();

/** Sets Mantine's attribute on the document, for screens that render without Mantine. */
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
