import type { PrixHabituel, Produit, ProduitDuFlux, ProduitVu, Republication } from "#contract/produit.ts";
import type { ArticlePayload } from "#contract/socket.ts";
import {
  type Listing,
  type ListingBackground,
  publishedAtMs,
  type SeenListing,
} from "#domain/market/listing.ts";
import type { UserMatch } from "#domain/market/match.ts";
import { eur } from "#domain/money.ts";
import type { ListingId } from "#domain/ids.ts";
import type { Relist } from "#domain/market/relist.ts";
import type { SellerFacts } from "#domain/market/seller.ts";
import { isTooGood } from "#domain/market/standing.ts";
import { marketLink, pictureLink, safePath } from "./market-links.ts";

/** @param marketUrl scheme and host of the marketplace for people's browsers */
export function presentProduit(listing: Listing, marketUrl: string): Produit {
  const photoUrl = pictureLink(listing.photoUrl);
  const sellerPhotoUrl = pictureLink(listing.seller.photoUrl);
  return {
    id: listing.id,
    title: listing.title === "" ? "Article sans titre" : listing.title,
    photo: photoUrl === null ? null : { url: photoUrl, dominant_color: listing.photoDominantColour },
    brand_title: listing.brandTitle,
    total_item_price: eur(listing.totalPriceCents),
    size_title: listing.sizeTitle,
    status: listing.conditionLabel,
    path: safePath(listing.path),
    url: marketLink(marketUrl, listing.path),
    user: {
      id: listing.seller.id > 0 ? listing.seller.id : null,
      login: listing.seller.login,
      photo: sellerPhotoUrl === null ? null : { url: sellerPhotoUrl },
    },
  };
}

/** A listing of a person's stream, with the filters that hold it and when this version arrived. */
export function presentProduitDuFlux(match: UserMatch, marketUrl: string): ProduitDuFlux {
  const { listing, background } = match.listing;
  const produit = presentProduit(listing, marketUrl);
  return {
    ...produit,
    user: { ...produit.user, ...presentSeller(background?.seller ?? null) },
    ...presentRelist(background?.relist ?? null),
    ...(background?.isGone === true ? { vendu: true } : {}),
    filtres: [...match.filterIds],
    ...presentTimes(match.listing),
    prix: presentPrix(match.listing),
  };
}

const BASES = {
  type_brand_condition: "type_marque_etat",
  type_brand: "type_marque",
  type_condition: "type_etat",
} as const;

/** The usual price of similar listings; null: unknown. */
export function presentPrix({
  listing,
  standing,
}: Pick<SeenListing, "standing"> & {
  readonly listing: Pick<Listing, "totalPriceCents" | "brandTitle">;
}): PrixHabituel | null {
  if (standing === undefined || standing === null) return null;
  return {
    bas: eur(standing.lowCents),
    median: eur(standing.medianCents),
    haut: eur(standing.highCents),
    rang: standing.rank,
    n: standing.sampleSize,
    jours: standing.dayCount,
    base: BASES[standing.basis],
    suspect: isTooGood(listing, standing),
  };
}

/** The filters that hold a listing on a page, found after it was sent. */
export function presentFurtherMatch({ listing: { listing }, filterIds }: UserMatch): ArticlePayload {
  return { id: listing.id, filtres: [...filterIds] };
}

/** Facts that became known of a listing on a page. */
export function presentArticle(id: ListingId, { relist, seller, isGone }: ListingBackground): ArticlePayload {
  return {
    id,
    ...presentRelist(relist),
    ...(seller === null ? {} : { user: presentSeller(seller) }),
    ...(isGone === undefined ? {} : { vendu: isGone }),
  };
}

function presentRelist(relist: Relist | null): { readonly republication?: Republication } {
  if (relist === null) return {};
  const { earlierCount, firstPriceCents, firstSeenAtMs } = relist;
  return {
    republication: { fois: earlierCount, premier_prix: eur(firstPriceCents), depuis: firstSeenAtMs },
  };
}

/** Unknown facts are left out. */
function presentSeller(seller: SellerFacts | null) {
  const { rating = null, reviewCount = null, countryCode = null } = seller ?? {};
  return {
    ...(rating === null ? {} : { note: rating }),
    ...(reviewCount === null ? {} : { avis: reviewCount }),
    ...(countryCode === null ? {} : { pays: countryCode }),
  };
}

/** A listing recently seen on the market, for people without a filter. */
export function presentProduitVu({ listing, seenAtMs }: SeenListing, marketUrl: string): ProduitVu {
  return { ...presentProduit(listing, marketUrl), ...presentTimes({ listing, seenAtMs }) };
}

function presentTimes({ listing, seenAtMs }: Pick<SeenListing, "listing" | "seenAtMs">) {
  const atMs = publishedAtMs(listing, seenAtMs);
  return { vu_a: seenAtMs, ...(atMs === null ? {} : { paru_a: atMs }) };
}
