/**
 * Text as it is compared, never as it is shown: lower case, no accents, œ, æ and ß written out, and every run of
 * anything but letters and digits one space. "L'Oréal" becomes "l oreal". Folding twice changes nothing more.
 * Cost: linear in the text.
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

/** The whole words of a text, folded, in order and with repeats; none for a text without letters or digits. */
export function tokensOf(text: string): readonly string[] {
  const folded = foldText(text);
  return folded === "" ? [] : folded.split(" ");
}
