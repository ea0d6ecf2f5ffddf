/** Tokens, base styles and colour scheme (dark, light or the system's), needed before the first render. */
import "./tokens.css";
import "./base.css";

/** localStorage key of the chosen scheme; Mantine writes it, this file only reads it. */
export const COLOUR_SCHEME_KEY = "synapse.apparence";

type ColourScheme = "dark" | "light";

applyColourScheme();

/** Sets Mantine's attribute on the document, for screens that render without Mantine; without it they follow the system. */
function applyColourScheme(): void {
  const chosen = chosenScheme();
  if (chosen === null) return;
  document.documentElement.dataset["mantineColorScheme"] = chosen;
  colourBrowser(chosen);
}

/** Gives the browser's own bars the colour of a chosen scheme instead of the system's (head.html). */
export function colourBrowser(chosen: ColourScheme): void {
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]'))
    meta.media = meta.dataset["scheme"] === chosen ? "all" : "not all";
}

function chosenScheme(): ColourScheme | null {
  try {
    const kept = window.localStorage.getItem(COLOUR_SCHEME_KEY);
    return kept === "dark" || kept === "light" ? kept : null;
  } catch (error) {
    // A private window may refuse storage.
    if (error instanceof DOMException) return null;
    throw error;
  }
}
