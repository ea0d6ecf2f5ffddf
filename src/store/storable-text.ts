/**
 * PostgreSQL takes any text but U+0000. Text from outside is stored without it, and halves of surrogate pairs
 * become U+FFFD, so that nobody's writing can fail a statement.
 */
export function storableText(text: string): string {
  return text.replaceAll("\u0000", "").toWellFormed();
}

/** An id or name that could be stored at all; one that could not is nobody's. */
export function isStorable(text: string): boolean {
  return !text.includes("\u0000");
}
