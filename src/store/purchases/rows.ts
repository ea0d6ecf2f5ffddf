import { getTableColumns } from "drizzle-orm";
import { z } from "zod";
import { foldLogin } from "#domain/market/blocked-sellers.ts";
import type { Listing } from "#domain/market/listing.ts";
import type { PurchaseRecord } from "../purchase-store.ts";
import { purchases } from "../schema/purchase-tables.ts";
import { storableText } from "../sql/storable-text.ts";

type NewPurchaseRow = typeof purchases.$inferInsert;
type SellerColumns = { readonly [Name in "sellerId" | "sellerLogin"]: NonNullable<PurchaseRow[Name]> };
type PurchaseRow = typeof purchases.$inferSelect;

/** A row without what it keeps in columns of their own: the listing's id, and its seller for the rules about sellers. */
export function toRecord(row: PurchaseRow): PurchaseRecord {
  const { isPublished: _, revision: __, sellerId: _id, sellerLogin: _login, ...record } = row;
  return { ...record, listing: { ...row.listing, id: row.listingId } };
}

export function toRow(record: PurchaseRecord): NewPurchaseRow {
  const { id: _, ...listing } = record.listing;
  // Text of the marketplace: nothing in it may keep an outcome from being recorded.
  const confirmUrl = record.confirmUrl === null ? null : storableText(record.confirmUrl);
  return { ...record, listing, ...sellerColumns(record.listing), confirmUrl };
}

export function sellerColumns({ seller }: Pick<Listing, "seller">): SellerColumns {
  return { sellerId: seller.id, sellerLogin: foldLogin(storableText(seller.login)) };
}

const COLUMN_NAMES = Object.entries(getTableColumns(purchases)).map(([field, { name }]) => ({ field, name }));

/** A row as the engine writes it in JSON, by the names of the columns. */
export const purchaseInJson = z.record(z.string(), z.unknown()).transform((row) => {
  const fields = Object.fromEntries(COLUMN_NAMES.map(({ field, name }) => [field, row[name]]));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the table's own row: its types are the columns'
  const parsed = fields as PurchaseRow;
  return { record: toRecord(parsed), revision: parsed.revision };
});

/**
 * The same for writing. Documents are texts within the document: a title may hold what PostgreSQL refuses in JSON that it
 * reads, but not in JSON that it only keeps.
 */
export function purchaseAsJson(record: PurchaseRecord): Readonly<Record<string, unknown>> {
  const row = new Map<string, unknown>(Object.entries(toRow(record)));
  const watch = record.watch === null ? null : JSON.stringify(record.watch);
  row.set("listing", JSON.stringify(row.get("listing"))).set("watch", watch);
  return Object.fromEntries(COLUMN_NAMES.map(({ field, name }) => [name, row.get(field)]));
}
