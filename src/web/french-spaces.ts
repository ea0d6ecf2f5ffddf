/**
 * The spaces that French sets before its high punctuation and within its quotation marks, so that no line begins with
 * a colon or a dot between two pieces. The web's own words are written with plain spaces and set by this when it is built (vite.config.ts); what
 * the server says stays as it said it.
 */

/** Questions of the browser itself, word for word as specified. */
const AS_SPECIFIED: ReadonlySet<string> = new Set([
  "Aller au Synapse ?",
  "Voulez-vous vraiment vous déconnecter ?",
]);

/** "Pourquoi ?" with a narrow no-break space, "Sur 24 h : « rien » · M" with no-break ones. */
export function withFrenchSpaces(text: string): string {
  if (AS_SPECIFIED.has(text)) return text;
  return text
    .replaceAll(/ (?=[;!?](?:\s|$))/g, "\u202F")
    .replaceAll(/ (?=[:»·](?:[\s,.;)]|$))/g, "\u00A0")
    .replaceAll("« ", "«\u00A0");
}
