import { brandById, brandIdForTitle } from "#catalogue/brand-titles.ts";
import type { Filter } from "#domain/market/filter.ts";
import type { Listing } from "#domain/market/listing.ts";
import type { Standing } from "#domain/market/standing.ts";
import type { FeedDeps } from "#feed/feed-service.ts";
import { drawsFor } from "#sandbox/world/draws.ts";
import type { FilterStore } from "#store/market-store.ts";
import type { Person } from "./people.ts";
import type { Plan } from "./plan.ts";

/** The share of filters that ask for a good price. */
const BARGAIN_SHARE = 0.2;
const UNKNOWN_SHARE = 0.1;
const UNRANKED_SHARE = 0.15;
/** The share of listings at about a tenth of their usual price. */
const TOO_GOOD_SHARE = 0.06;

/** As documented, independently of the engine. */
const MIN_SAMPLE = 20;
const MIN_DAYS = 7;
const SUSPICIOUS_SHARE = 0.15;
const SUSPICIOUS_COSTLY_SHARE = 0.25;

type Priced = Pick<Listing, "id" | "totalPriceCents">;

/** The usual price beside each listing: drawn from the seed, where the product derives it from its archive. */
export function standingOf(seed: number, { id, totalPriceCents }: Priced): Standing | null {
  const draws = drawsFor(seed, "usual price", id, totalPriceCents);
  if (draws.chance(UNKNOWN_SHARE)) return null;
  const times = draws.chance(TOO_GOOD_SHARE) ? draws.whole(45, 120) / 10 : draws.whole(10, 30) / 10;
  const medianCents = Math.round(totalPriceCents * times);
  return {
    lowCents: Math.round(medianCents * 0.8),
    medianCents,
    highCents: Math.round(medianCents * 1.3),
    rank: draws.chance(UNRANKED_SHARE) ? null : draws.whole(55, 100),
    sampleSize: draws.whole(10, 60),
    dayCount: draws.whole(4, 20),
    basis: "type_brand_condition",
  };
}

/** A market memory that archives nothing. */
export function createPricedMemory(seed: number): NonNullable<FeedDeps["memory"]> {
  const terms = { brandId: 0, conditionId: 0, sizeIds: [], foldedTitle: "", sellerHash: 0, isCounted: false };
  return {
    beginReading: async () => ({
      appraise: (sightings) =>
        sightings.map(({ seen, kind, newSinceMs }) => {
          const { listing, facts, seenAtMs, firstSeenAtMs } = seen;
          const { id: listingId, totalPriceCents } = listing;
          const appraised = { standing: standingOf(seed, listing), isRelist: false };
          const times = { seenAtMs, firstSeenAtMs, newSinceMs };
          return {
            ...appraised,
            version: { ...terms, ...facts, ...times, ...appraised, listingId, kind, totalPriceCents },
          };
        }),
      pieceOf: () => null,
      covered: () => undefined,
      end: async () => undefined,
    }),
  };
}

/** Called before the run. */
export async function arrangeBargains(
  filters: Pick<FilterStore, "ofUser" | "change">,
  people: readonly Person[],
  { seed, startMs }: Plan,
): Promise<void> {
  const draws = drawsFor(seed, "bargains");
  for (const { userId } of people)
    for (const filter of await filters.ofUser(userId))
      if (draws.chance(BARGAIN_SHARE)) {
        const bargainPercent = draws.pick([25, 10, 5] as const);
        await filters.change(userId, [filter.id], (known) => ({ ...known, bargainPercent }), {
          nowMs: startMs,
        });
      }
}

/** Why the filter must not buy at this price by itself; null: it may. */
export function priceFault(
  { bargainPercent }: Pick<Filter, "bargainPercent">,
  { totalPriceCents, brandTitle }: Listing,
  { standing, isPrudent }: { readonly standing: Standing | null; readonly isPrudent: boolean },
): string | null {
  const isSampled = standing !== null && standing.sampleSize >= MIN_SAMPLE;
  const isKnown = isSampled && standing.rank !== null && standing.dayCount >= MIN_DAYS;
  if (bargainPercent !== null && !isKnown) return "whose usual price is too little known";
  const brand = brandById(brandIdForTitle(brandTitle) ?? 0);
  const isCostly = brand?.isLuxury === true || brand?.isAuthenticated === true;
  const suspicious = isCostly ? SUSPICIOUS_COSTLY_SHARE : SUSPICIOUS_SHARE;
  const isJudged = isSampled || standing?.basis === "type_brand_condition";
  const isTooGood = isJudged && totalPriceCents / standing.medianCents < suspicious;
  return isPrudent && isTooGood ? "too good to be true" : null;
}
