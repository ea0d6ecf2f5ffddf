import type { UserMatch } from "#domain/market/match.ts";
import type { RelistStore } from "#store/market-store.ts";

/** Adds what is known of sellers and relists to matches that were read from the store. */
export async function withBackgrounds(
  matches: readonly UserMatch[],
  relists: Pick<RelistStore, "backgrounds">,
  nowMs: number,
): Promise<readonly UserMatch[]> {
  if (matches.length === 0) return matches;
  const listings = matches.map(({ listing }) => listing);
  const known = await relists.backgrounds(listings, nowMs);
  return matches.map((match) => {
    const background = known.get(match.listing.listing.id);
    return background === undefined ? match : { ...match, listing: { ...match.listing, background } };
  });
}
