import { type Sqlite, numberCell, numberOrNullCell, oneOfCell, textCell, type Row } from "./database.ts";
import type { Fate, ListingState, MarketListing } from "../market/listing.ts";

export interface ListingTable {
  insert(listing: MarketListing): void;
  setState(id: number, state: ListingState, reservedUntilMs: number | null): void;
  /** Writes its price and shipping prices. */
  setCosts(listing: MarketListing): void;
  byId(id: number): MarketListing | null;
  /** Listings that are available or reserved, oldest first. */
  onSale(): IterableIterator<MarketListing>;
  /** The highest id in use, 0 when there is none. */
  lastId(): number;
  /**
   * Deletes generated listings published earlier that no order refers to, oldest first.
   * @returns the deleted ids, at most `limit`
   */
  forgetOld(publishedBeforeMs: number, limit: number): readonly number[];
}

const STATES = ["available", "reserved", "sold", "withdrawn"] as const;
const FATES = ["rival", "withdrawal", "price"] as const;

export function createListingTable({ sql }: Sqlite): ListingTable {
  const insert = sql.prepare(`INSERT INTO listing VALUES (
    :id, :serial, :publishedAt, :state, :reservedUntil, :title, :brand, :size, :condition, :leafId, :colours,
    :priceCents, :homeCents, :pointCents, :sellerId, :sellerLogin, :sellerHasPhoto, :photoSeed, :favourites,
    :isPromoted, :hasBarePrices, :needsConfirmation, :fateKind, :fateAt, :fatePrice)`);
  const setState = sql.prepare("UPDATE listing SET state = ?, reserved_until = ? WHERE id = ?");
  const setCosts = sql.prepare(
    "UPDATE listing SET price_cents = ?, home_cents = ?, point_cents = ? WHERE id = ?",
  );
  const byId = sql.prepare("SELECT * FROM listing WHERE id = ?");
  const onSale = sql.prepare("SELECT * FROM listing WHERE state IN ('available', 'reserved') ORDER BY id");
  const lastId = sql.prepare("SELECT coalesce(max(id), 0) AS id FROM listing");
  const forgetOld = sql.prepare(`DELETE FROM listing WHERE id IN (
    SELECT id FROM listing WHERE serial IS NOT NULL AND published_at < :before
      AND NOT EXISTS (SELECT 1 FROM market_order WHERE listing_id = listing.id)
    ORDER BY published_at LIMIT :limit) RETURNING id`);
  return {
    insert: (listing) => void insert.run(toCells(listing)),
    setState: (id, state, reservedUntilMs) => void setState.run(state, reservedUntilMs, id),
    setCosts: ({ id, priceCents, homeShippingCents, pointShippingCents }) =>
      void setCosts.run(priceCents, homeShippingCents, pointShippingCents, id),
    byId: (id) => mapRow(byId.get(id), toListing),
    *onSale() {
      for (const row of onSale.iterate()) yield toListing(row);
    },
    lastId: () => mapRow(lastId.get(), (row) => numberCell(row, "id")) ?? 0,
    forgetOld: (before, limit) => forgetOld.all({ before, limit }).map((row) => numberCell(row, "id")),
  };
}

/** Maps a row, or returns null when there is none. */
export function mapRow<Result>(row: Row | undefined, read: (row: Row) => Result): Result | null {
  return row === undefined ? null : read(row);
}

function toCells(listing: MarketListing) {
  const { seller, fate } = listing;
  return {
    id: listing.id,
    serial: listing.serial,
    publishedAt: listing.publishedAtMs,
    state: listing.state,
    reservedUntil: listing.reservedUntilMs,
    title: listing.title,
    brand: listing.brandTitle,
    size: listing.sizeTitle,
    condition: listing.conditionLabel,
    leafId: listing.leafId,
    colours: listing.colourIds.join(","),
    priceCents: listing.priceCents,
    homeCents: listing.homeShippingCents,
    pointCents: listing.pointShippingCents,
    sellerId: seller.id,
    sellerLogin: seller.login,
    sellerHasPhoto: Number(seller.hasPhoto),
    photoSeed: listing.photoSeed,
    favourites: listing.favouriteCount,
    isPromoted: Number(listing.isPromoted),
    hasBarePrices: Number(listing.hasBarePrices),
    needsConfirmation: Number(listing.needsConfirmation),
    fateKind: fate?.kind ?? null,
    fateAt: fate?.atMs ?? null,
    fatePrice: fate?.priceCents ?? null,
  };
}

function toListing(row: Row): MarketListing {
  const colours = textCell(row, "colours");
  return {
    id: numberCell(row, "id"),
    serial: numberOrNullCell(row, "serial"),
    publishedAtMs: numberCell(row, "published_at"),
    state: oneOfCell(row, "state", STATES),
    reservedUntilMs: numberOrNullCell(row, "reserved_until"),
    title: textCell(row, "title"),
    brandTitle: textCell(row, "brand"),
    sizeTitle: textCell(row, "size"),
    conditionLabel: textCell(row, "condition"),
    leafId: numberCell(row, "leaf_id"),
    colourIds: colours === "" ? [] : colours.split(",").map(Number),
    priceCents: numberCell(row, "price_cents"),
    homeShippingCents: numberCell(row, "home_cents"),
    pointShippingCents: numberCell(row, "point_cents"),
    seller: {
      id: numberCell(row, "seller_id"),
      login: textCell(row, "seller_login"),
      hasPhoto: numberCell(row, "seller_has_photo") === 1,
    },
    photoSeed: numberCell(row, "photo_seed"),
    favouriteCount: numberCell(row, "favourites"),
    isPromoted: numberCell(row, "is_promoted") === 1,
    hasBarePrices: numberCell(row, "has_bare_prices") === 1,
    needsConfirmation: numberCell(row, "needs_confirmation") === 1,
    fate: toFate(row),
  };
}

function toFate(row: Row): Fate | null {
  if (row["fate_kind"] === null) return null;
  return {
    kind: oneOfCell(row, "fate_kind", FATES),
    atMs: numberCell(row, "fate_at"),
    priceCents: numberCell(row, "fate_price"),
  };
}
