import { asc, desc, getTableColumns, type SQL } from "drizzle-orm";
import { z } from "zod";
import { foldLogin } from "#domain/market/blocked-sellers.ts";
import type { Listing } from "#domain/market/listing.ts";
import type { Db } from "../engines/db.ts";
import type { PurchaseId } from "#domain/ids.ts";
import type { PurchaseRecord } from "../purchase-facts.ts";
import { purchaseAttempts, purchases } from "../schema/purchase-tables.ts";
import { isOneOfTexts, storableText } from "../sql/values.ts";

type NewPurchaseRow = typeof purchases.$inferInsert;
type SellerColumns = { readonly [Name in "sellerId" | "sellerLogin"]: NonNullable<PurchaseRow[Name]> };
type PurchaseRow = typeof purchases.$inferSelect;

export const NEWEST_FIRST: readonly SQL[] = [desc(purchases.decidedAtMs), desc(purchases.id)];

export async function recordsWhere(
  db: Db,
  condition: SQL | undefined,
  limit: number,
  order: readonly SQL[] = NEWEST_FIRST,
): Promise<readonly PurchaseRecord[]> {
  const rows = await db
    .select()
    .from(purchases)
    .where(condition)
    .orderBy(...order)
    .limit(limit);
  return rows.map(toRecord);
}

type AttemptRow = typeof purchaseAttempts.$inferSelect;

/** The attempts of these purchases, oldest first. */
export async function attemptsOf(
  db: Db,
  records: readonly PurchaseRecord[],
): Promise<(id: PurchaseId) => readonly AttemptRow[]> {
  if (records.length === 0) return () => [];
  const ids = records.map(({ id }) => id);
  const attempts = await db
    .select()
    .from(purchaseAttempts)
    .where(isOneOfTexts(purchaseAttempts.purchaseId, ids))
    .orderBy(asc(purchaseAttempts.n));
  const byPurchase = Map.groupBy(attempts, ({ purchaseId }) => purchaseId);
  return (id) => byPurchase.get(id) ?? [];
}

export const NEW_PURCHASE = {
  failureReason: null,
  chargedCents: null,
  transactionId: null,
  confirmUrl: null,
  isHidden: false,
  reachedCheckout: false,
  leaseOwner: null,
  dueAtMs: null,
  notBeforeMs: 0,
  attemptCount: 0,
  attemptPhase: "none",
  attemptTransactionId: null,
  checkoutId: null,
  hadUnknownOutcome: false,
  watch: null,
  groupId: null,
  isSetback: false,
} satisfies Partial<PurchaseRecord>;

/** A row without its derived columns: the listing's id, and the seller for rules about sellers. */
export function toRecord(row: PurchaseRow): PurchaseRecord {
  const { isPublished: _, revision: __, sellerId: _id, sellerLogin: _login, ...record } = row;
  return { ...record, listing: { ...row.listing, id: row.listingId } };
}

export function toRow(record: PurchaseRecord): NewPurchaseRow {
  const { id: _, ...listing } = record.listing;
  // Text of the marketplace: no character in it may prevent an outcome from being recorded.
  const confirmUrl = record.confirmUrl === null ? null : storableText(record.confirmUrl);
  return { ...record, listing, ...sellerColumns(record.listing), confirmUrl };
}

export function sellerColumns({ seller }: Pick<Listing, "seller">): SellerColumns {
  return { sellerId: seller.id, sellerLogin: foldLogin(storableText(seller.login)) };
}

const COLUMN_NAMES = Object.entries(getTableColumns(purchases)).map(([field, { name }]) => ({ field, name }));

/** Parses a row that the engine returns as JSON, by column names. */
export const purchaseInJson = z.record(z.string(), z.unknown()).transform((row) => {
  const fields = Object.fromEntries(COLUMN_NAMES.map(({ field, name }) => [field, row[name]]));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the table's own row: its types are the columns'
  const parsed = fields as PurchaseRow;
  return { record: toRecord(parsed), revision: parsed.revision };
});

/**
 * The inverse, for writing. JSON columns are passed as text: a title may contain what PostgreSQL rejects in
 * JSON that it parses, but not in JSON that it only stores.
 */
export function purchaseAsJson(record: PurchaseRecord): Readonly<Record<string, unknown>> {
  const row = new Map<string, unknown>(Object.entries(toRow(record)));
  const watch = record.watch === null ? null : JSON.stringify(record.watch);
  row.set("listing", JSON.stringify(row.get("listing"))).set("watch", watch);
  return Object.fromEntries(COLUMN_NAMES.map(({ field, name }) => [name, row.get(field)]));
}
