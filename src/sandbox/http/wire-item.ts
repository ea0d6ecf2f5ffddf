import { protectionFeeCents } from "#catalogue/simulation-priors.ts";
import { formatCents } from "#domain/money.ts";
import type { WireMoney } from "#marketplace/wire.ts";
import type { MarketListing } from "../market/listing.ts";
import { photographedColour } from "../pictures/palette.ts";
import type { Links } from "./endpoint.ts";

/**
 * A listing in the catalogue's wire format: without category, colour and the ids of brand, size and
 * condition.
 */
export function presentItem(listing: MarketListing, links: Links): object {
  const feeCents = protectionFeeCents(listing.priceCents);
  const money = listing.hasBarePrices ? bareAmount : wireMoney;
  const { seller } = listing;
  return {
    id: listing.id,
    title: listing.title,
    price: money(listing.priceCents),
    is_visible: true,
    brand_title: listing.brandTitle,
    path: links.itemPath(listing),
    user: {
      id: seller.id,
      login: seller.login,
      profile_url: null,
      photo: seller.hasPhoto ? { id: seller.id, url: links.avatarUrl(seller) } : null,
    },
    url: links.itemUrl(listing),
    promoted: listing.isPromoted,
    photo: presentPhoto(listing, links),
    favourite_count: listing.favouriteCount,
    is_favourite: false,
    service_fee: money(feeCents),
    total_item_price: money(listing.priceCents + feeCents),
    view_count: 0,
    size_title: listing.sizeTitle,
    content_source: "search",
    status: listing.conditionLabel,
  };
}

function presentPhoto(listing: MarketListing, links: Links): object {
  return {
    id: listing.photoSeed + 1,
    image_no: 1,
    width: 600,
    height: 800,
    dominant_color: photographedColour(listing.colourIds[0]),
    url: links.photoUrl(listing),
    is_main: true,
    high_resolution: {
      id: String(listing.photoSeed + 1),
      // The closest the marketplace comes to a publication time.
      timestamp: Math.floor(listing.publishedAtMs / 1_000),
    },
  };
}

/** Formats an amount like the marketplace: "3.0", "3.85". */
export function wireMoney(cents: number): WireMoney {
  return { amount: bareAmount(cents), currency_code: "EUR" };
}

function bareAmount(cents: number): string {
  return formatCents(cents).replace(/0$/, "");
}
