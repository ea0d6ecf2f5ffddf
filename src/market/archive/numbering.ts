/**
 * Numbers listings relative to the first one asked: sets and maps are three times as fast with small integers as
 * with ids above 2^31.
 */
export function createNumbering(): (listingId: number) => number {
  let first: number | null = null;
  return (listingId) => {
    first ??= listingId;
    return listingId - first;
  };
}
