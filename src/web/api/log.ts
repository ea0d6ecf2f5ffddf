/**
 * The page's only log. Failures that the specification wants logged, but not shown, go to the browser's console as
 * names and codes, without personal data.
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
