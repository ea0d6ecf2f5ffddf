/**
 * PostgreSQL text cannot contain U+0000. Text from outside is stored without it, and lone surrogates become U+FFFD, so
 * that no input can make a statement fail.
 */
export function storableText(text: string): string {
  return text.replaceAll("\u0000", "").toWellFormed();
}

/** Whether an id or name can exist in the store; any other is unknown without asking. */
export function isStorable(text: string): boolean {
  return !text.includes("\u0000");
}
