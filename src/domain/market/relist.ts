/** Earlier listings of what is probably the same article: same seller, title, size and brand. */
export interface Relist {
  /** At least 1. */
  readonly earlierCount: number;
  readonly firstSeenAtMs: number;
  /** Item and buyer protection, of the first listing. */
  readonly firstPriceCents: number;
  /** The lowest total price of the earlier listings. */
  readonly lowestPriceCents: number;
}

/** Whether a filter that ignores relists skips the listing; one cheaper than all earlier ones is news. */
export function isIgnoredRelist(
  relist: Pick<Relist, "lowestPriceCents"> | null,
  totalPriceCents: number,
): boolean {
  return relist !== null && totalPriceCents >= relist.lowestPriceCents;
}
