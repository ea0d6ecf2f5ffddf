import type { PurchaseRecord } from "../purchase-store.ts";
import type { purchases } from "../schema/purchase-tables.ts";
import { storableText } from "../sql/storable-text.ts";

type NewPurchaseRow = typeof purchases.$inferInsert;
type PurchaseRow = typeof purchases.$inferSelect;

/** A row without the listing's id, which it keeps in a column of its own. */
export function toRecord(row: PurchaseRow): PurchaseRecord {
  const { isPublished: _, ...record } = row;
  return { ...record, listing: { ...row.listing, id: row.listingId } };
}

export function toRow(record: PurchaseRecord): NewPurchaseRow {
  const { id: _, ...listing } = record.listing;
  // Text of the marketplace: nothing in it may keep an outcome from being recorded.
  const confirmUrl = record.confirmUrl === null ? null : storableText(record.confirmUrl);
  return { ...record, listing, confirmUrl };
}

/** The columns to update: a third of the time of writing the whole row. A purchase's listing never changes. */
export function changedColumns(before: PurchaseRecord, next: PurchaseRecord): Partial<NewPurchaseRow> {
  const old = new Map<string, unknown>(Object.entries(before));
  const { listing: _, ...columns } = toRow(next);
  return Object.fromEntries(
    Object.entries(columns).filter(([name, value]) => name === "updatedAtMs" || old.get(name) !== value),
  );
}
