import { foldText } from "#catalogue/fold-text.ts";
import type { MarketListing, MarketSeller } from "../market/listing.ts";

/** Where browsers find what the marketplace shows. */
export interface Links {
  itemPath(listing: Pick<MarketListing, "id" | "title">): string;
  itemUrl(listing: Pick<MarketListing, "id" | "title">): string;
  photoUrl(listing: Pick<MarketListing, "photoSeed" | "leafId" | "colourIds">): string;
  avatarUrl(seller: MarketSeller): string;
  confirmationUrl(token: string): string;
}

export function createLinks(publicUrl: string): Links {
  // A listing is shown on page after page of answers.
  const paths = new WeakMap<object, string>();
  const itemPath: Links["itemPath"] = (listing) => {
    const known = paths.get(listing);
    if (known !== undefined) return known;
    const path = `/items/${listing.id}${slugOf(listing.title)}`;
    paths.set(listing, path);
    return path;
  };
  return {
    itemPath,
    itemUrl: (listing) => `${publicUrl}${itemPath(listing)}`,
    // The address says all that the picture is drawn from: it can be drawn when the listing is long forgotten.
    photoUrl: ({ photoSeed, leafId, colourIds }) =>
      `${publicUrl}/photos/${[photoSeed, leafId, ...colourIds].join("-")}.svg`,
    avatarUrl: ({ id }) => `${publicUrl}/avatars/${id}.svg`,
    confirmationUrl: (token) => `${publicUrl}/3ds/${token}`,
  };
}

const MAX_SLUG_LENGTH = 80;

function slugOf(title: string): string {
  const slug = foldText(title)
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, MAX_SLUG_LENGTH);
  return slug === "" ? "" : `-${slug}`;
}
