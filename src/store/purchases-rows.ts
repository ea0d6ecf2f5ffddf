import type { PurchaseRecord } from "./purchase-store.ts";
import type { purchases } from "./purchase-schema.ts";
import { storableText } from "./storable-text.ts";

type PurchaseRow = typeof purchases.$inferSelect;

/** A row without the listing's id, which it keeps in a column of its own. */
export function toRecord(row: PurchaseRow): PurchaseRecord {
  return { ...row, listing: { ...row.listing, id: row.listingId } };
}

export function toRow(record: PurchaseRecord): typeof purchases.$inferInsert {
  const { id: _, ...listing } = record.listing;
  // The link is the marketplace's writing: nothing in it may keep an outcome from being recorded.
  const confirmUrl = record.confirmUrl === null ? null : storableText(record.confirmUrl);
  return { ...record, listing, confirmUrl };
}
