/**
 * Replaces spaces by the no-break spaces of French typography: before high punctuation and a middle dot, inside
 * guillemets, and before € and %. Applied to the web's own texts at build time (vite.config.ts); texts from the
 * server are not changed.
 */

/** Texts of `window.confirm` that the specification prescribes verbatim. */
const AS_SPECIFIED: ReadonlySet<string> = new Set([
  "Aller au Synapse ?",
  "Voulez-vous vraiment vous déconnecter ?",
]);

/** "Pourquoi ?" with a narrow no-break space, "Sur 24 h : « rien » · M" with no-break ones. */
export function withFrenchSpaces(text: string): string {
  if (AS_SPECIFIED.has(text)) return text;
  return text
    .replaceAll(/ (?=[;!?](?:\s|$))/g, "\u202F")
    .replaceAll(/ (?=[:»·€%](?:[\s,.;)]|$))/g, "\u00A0")
    .replaceAll("« ", "«\u00A0");
}
