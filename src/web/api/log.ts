/**
 * The page's one log. What the specification only wants logged ends here, for whoever opens the browser's console:
 * names and codes, never what a person wrote or owns.
 */
type Fields = Readonly<Record<string, string | number>>;

export function logFailure(event: string, fields: Fields = {}): void {
  // oxlint-disable-next-line no-console -- the one place where the page writes to the console
  console.warn(`synapse: ${event}`, fields);
}

export function logSuccess(event: string, fields: Fields = {}): void {
  // oxlint-disable-next-line no-console -- as above
  console.info(`synapse: ${event}`, fields);
}
