// A month of the market for the archive's benchmarks: generated listings, appraised in chronological order as
// by the reading node, one in ten of them again at a lower price.
import { protectionFeeCents } from "#catalogue/simulation-priors.ts";
import { asListingId } from "#domain/ids.ts";
import type { Listing, SeenListing } from "#domain/market/listing.ts";
import { DAY_MS } from "#domain/clock.ts";
import { packVersions } from "#market/archive/pack.ts";
import type { Version } from "#market/archive/version.ts";
import { createDayCounter } from "#market/paris-days.ts";
import { Appraiser } from "#market/prices/appraiser.ts";
import { drawPastListing } from "#sandbox/world/draw-listing.ts";
import type { NewArchiveBlock } from "#store/market-store.ts";
import { aListing } from "#verify/testing/a-listing.ts";

const DAYS = 30;
const SELLERS = 50_000;
const FIRST_ID = 5_000_000_000;
const CHEAPER_SHARE = 10;

export interface Month {
  readonly blocks: readonly NewArchiveBlock[];
  readonly versionCount: number;
  /** The size of the appraiser's prices and keys at the end. */
  readonly bookBytes: number;
  readonly cellCount: number;
  readonly untilMs: number;
}

/** The listing with this number, as parsed from a page of the market. */
export function marketListing(number: number, atMs: number): SeenListing {
  const facts = drawPastListing({ seed: 1, number, atMs });
  const { priceCents, leafId, colourIds: marketplaceColourIds } = facts;
  const sellerId = 1 + ((number * 7_919) % SELLERS);
  const listing: Listing = aListing({
    id: asListingId(FIRST_ID + number),
    title: facts.title,
    brandTitle: facts.brandTitle,
    sizeTitle: facts.sizeTitle,
    conditionLabel: facts.conditionLabel,
    itemPriceCents: priceCents,
    totalPriceCents: priceCents + protectionFeeCents(priceCents),
    seller: { id: sellerId, login: `seller-${sellerId}`, photoUrl: null },
  });
  return {
    listing,
    facts: { leafIds: [leafId], marketplaceColourIds },
    firstSeenAtMs: atMs,
    seenAtMs: atMs,
  };
}

/** @param versionCount approximate */
export function drawMonth(versionCount: number, untilMs: number): Month {
  const appraiser = new Appraiser(DAYS, (sellerId) => Math.imul(sellerId, 0x9e37_79b1) >>> 0);
  const listings = Math.floor((versionCount * CHEAPER_SHARE) / (CHEAPER_SHARE + 1));
  const beganMs = untilMs - DAYS * DAY_MS;
  const blocks: NewArchiveBlock[] = [];
  const dayOf = createDayCounter();
  let ofDay: Version[] = [];
  let drawn = 0;
  // As the archive does: each day separately, sorted once it is over.
  const packDay = (isOver: boolean): void => {
    drawn += ofDay.length;
    blocks.push(...packVersions(ofDay, { isSorted: isOver, example: 0 }));
    ofDay = [];
  };
  let lastDay = dayOf(beganMs);
  for (let number = 1; number <= listings; number += 1) {
    const atMs = Math.floor(beganMs + (number / listings) * DAYS * DAY_MS);
    if (dayOf(atMs) !== lastDay) packDay(true);
    lastDay = dayOf(atMs);
    const seen = marketListing(number, atMs);
    ofDay.push(appraiser.appraise({ seen, before: null, kind: "new", newSinceMs: atMs - 60_000 }).version);
    if (number % CHEAPER_SHARE === 0) ofDay.push(cheaper(appraiser, seen));
  }
  packDay(false);
  const { bytes: bookBytes, book } = appraiser;
  return { blocks, versionCount: drawn, bookBytes, cellCount: book.cellCount, untilMs };
}

function cheaper(appraiser: Appraiser, before: SeenListing): Version {
  const totalPriceCents = Math.round(before.listing.totalPriceCents * 0.9);
  const listing = { ...before.listing, totalPriceCents };
  const seen = { ...before, listing, seenAtMs: before.seenAtMs + 1_000 };
  return appraiser.appraise({ seen, before, kind: "cheaper", newSinceMs: null }).version;
}
