const SHOWN_NAMES = 3;

/**
 * The first names of a choice and how many more there are: "Nike, adidas, Zara et 4 de plus". A name that two branches
 * share is said once.
 */
export function summaryOf(names: readonly string[], all: string): string {
  if (names.length === 0) return all;
  const different = [...new Set(names)];
  const shown = different.slice(0, SHOWN_NAMES).join(", ");
  const more = different.length - SHOWN_NAMES;
  return more > 0 ? `${shown} et ${more} de plus` : shown;
}

/** A choice with one more id, or one less. */
export function withToggled(ids: readonly number[], id: number): readonly number[] {
  return ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id];
}
