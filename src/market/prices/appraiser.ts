/**
 * Appraises news in the order in which they arrive: each version gets its standing from those before it, then
 * its price is counted. Everything that decides which prices count is here.
 */
import type { SeenListing } from "#domain/market/listing.ts";
import type { Standing } from "#domain/market/standing.ts";
import type { ListingReading } from "#matching/candidate.ts";
import { candidateIn, readListing } from "#matching/candidate.ts";
import { leafSetOf } from "../archive/leaf-sets.ts";
import { isFirstSight, type Version, type VersionKind } from "../archive/version.ts";
import { createDayCounter } from "../paris-days.ts";
import { isPriceCounted, PriceBook, type Thing } from "./price-book.ts";
import { RecentKeys } from "./recent-keys.ts";
import { relistKeyOf } from "./relist-keys.ts";
import { SellerShares } from "./seller-shares.ts";

/** News of one listing, as matching receives it. */
export interface Sighting {
  readonly seen: SeenListing;
  /** Null: never seen before. */
  readonly before: SeenListing | null;
  readonly kind: Exclude<VersionKind, "closing">;
  /** The listing is new to a filter that was active by this time; null: it may have been there before. */
  readonly newSinceMs: number | null;
}

export interface Appraisal {
  readonly standing: Standing | null;
  readonly isRelist: boolean;
  readonly version: Version;
}

export interface AppraiserState {
  readonly book: PriceBook;
  readonly relistKeys: RecentKeys;
  readonly shares: SellerShares;
}

export class Appraiser {
  #book: PriceBook;
  #relistKeys: RecentKeys;
  #shares: SellerShares;
  readonly #dayOf = createDayCounter();
  readonly #sellerHash: (sellerId: number) => number;

  constructor(windowDays: number, sellerHash: (sellerId: number) => number) {
    this.#book = new PriceBook();
    this.#relistKeys = new RecentKeys(windowDays);
    this.#shares = new SellerShares(new RecentKeys(windowDays));
    this.#sellerHash = sellerHash;
  }

  get book(): PriceBook {
    return this.#book;
  }

  /** Memory of the prices and keys. */
  get bytes(): number {
    return this.#book.bytes + this.#relistKeys.bytes + this.#shares.bytes;
  }

  /** Takes a state rebuilt from the archive. @param since versions that were appraised meanwhile */
  restore({ book, relistKeys, shares }: AppraiserState, since: readonly Version[]): void {
    this.#book = book;
    this.#relistKeys = relistKeys;
    this.#shares = shares;
    for (const version of since) {
      const day = this.#dayOf(version.seenAtMs);
      if (isFirstSight(version.kind)) relistKeys.note(relistKeyOf(version), day);
      const thing = thingOf(version);
      if (!version.isCounted || thing === null) continue;
      book.count(thing, version.totalPriceCents, day);
      shares.take(version.sellerHash, thing, day);
    }
  }

  appraise({ seen, before, kind, newSinceMs }: Sighting): Appraisal {
    const { listing, facts } = seen;
    const reading = readListing(listing);
    const leafSet = leafSetOf(facts.leafIds);
    const facing = {
      foldedTitle: reading.paddedTitle.trim(),
      sellerHash: this.#sellerHash(listing.seller.id),
      brandId: reading.brandId,
      conditionId: reading.conditionId,
      leafIds: facts.leafIds,
      sizeIds: sizeIdsOf(reading, leafSet.representativeIds),
    };
    const day = this.#dayOf(seen.seenAtMs);
    const isRelist =
      before === null ? this.#relistKeys.note(relistKeyOf(facing), day) : before.isRelist === true;
    const thing = isLot(reading) ? null : thingOf(facing);
    const cents = listing.totalPriceCents;
    const standing = thing === null ? null : this.#book.standingOf(thing, cents);
    const isFirstOfType = before === null || leafSetOf(before.facts.leafIds).typeId === null;
    const isCounted =
      thing !== null &&
      isFirstOfType &&
      !isRelist &&
      isPriceCounted(cents) &&
      this.#shares.take(facing.sellerHash, thing, day);
    if (isCounted) this.#book.count(thing, cents, day);
    const { id: listingId, totalPriceCents } = listing;
    const { seenAtMs, firstSeenAtMs } = seen;
    const { marketplaceColourIds } = facts;
    const moments = { seenAtMs, firstSeenAtMs, newSinceMs };
    const version = { listingId, kind, ...moments, ...facing, marketplaceColourIds, totalPriceCents };
    return { standing, isRelist, version: { ...version, standing, isCounted, isRelist } };
  }
}

/** What the listing is compared by; null without a type. */
export function thingOf(of: Pick<Version, "leafIds" | "brandId" | "conditionId">): Thing | null {
  const { typeId } = leafSetOf(of.leafIds);
  return typeId === null ? null : { typeId, brandId: of.brandId, conditionId: of.conditionId };
}

/** A lot: its price says nothing about the price of one article. */
function isLot({ titleWords }: Pick<ListingReading, "titleWords">): boolean {
  return titleWords.includes("lot") || titleWords.includes("lots");
}

function sizeIdsOf(reading: ListingReading, representativeIds: readonly number[]): readonly number[] {
  return representativeIds.map((leafId) => candidateIn(reading, leafId, []).sizeId);
}
