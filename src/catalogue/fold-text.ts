/**
 * Normalises a text for comparison, never for display: lower case, without accents, œ, æ and ß expanded, and every run
 * of other characters replaced by one space. "L'Oréal" becomes "l oreal". Idempotent. Cost: linear.
 */
export function foldText(text: string): string {
  return text
    .toLowerCase()
    .normalize("NFD")
    .replace(/\p{M}+/gu, "")
    .replaceAll("œ", "oe")
    .replaceAll("æ", "ae")
    .replaceAll("ß", "ss")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** The words of a text, folded, in order and with repeats; empty for a text without letters or digits. */
export function tokensOf(text: string): readonly string[] {
  const folded = foldText(text);
  return folded === "" ? [] : folded.split(" ");
}

const QUOTED = /^(?:"([^"]*)"|«([^»]*)»|“([^”]*)”)$/u;

/** A phrase without surrounding quotes and spaces. */
export function withoutQuotes(text: string): string {
  return text.trim().replace(QUOTED, "$1$2$3").trim();
}
