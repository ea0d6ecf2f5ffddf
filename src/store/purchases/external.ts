import { and, desc, eq, inArray, notInArray, or } from "drizzle-orm";
import { DEFAULT_PAYMENT_METHOD_ID } from "#catalogue/payment-methods.ts";
import type { Db, Tx } from "../engines/db.ts";
import { purchases } from "../schema/purchase-tables.ts";
import type { ExternalOrder, PurchaseRecord } from "../purchase-store.ts";
import { lockPerson, outdateDecisions } from "./locks.ts";
import { bookExternal } from "./money.ts";
import { toRow } from "./rows.ts";

/**
 * Books an order that no purchase explains. Checked again under the person's lock: a purchase may be paying for it at
 * this moment.
 */
export async function recordExternal(db: Db, order: ExternalOrder): Promise<boolean> {
  return await db.transaction(async (tx) => {
    if (!(await lockPerson(tx, order.userId))) return false;
    if (await isExplained(tx, order)) return false;
    const record = externalRecordOf(order, await nextEpoch(tx, order));
    await outdateDecisions(tx, order.userId);
    await tx.insert(purchases).values(toRow(record));
    await bookExternal(tx, record, order);
    return true;
  });
}

/** By a purchase that names it and still stands, or by one of the same listing whose outcome is open. */
async function isExplained(tx: Tx, { userId, transactionId, listingId }: ExternalOrder): Promise<boolean> {
  const [row] = await tx
    .select({ id: purchases.id })
    .from(purchases)
    .where(
      and(
        eq(purchases.userId, userId),
        or(
          and(
            eq(purchases.transactionId, transactionId),
            notInArray(purchases.state, ["failed", "cancelled"]),
          ),
          and(
            eq(purchases.listingId, listingId),
            eq(purchases.mode, "live"),
            inArray(purchases.state, ["intent", "submitting", "unknown", "quarantine", "awaiting"]),
          ),
        ),
      ),
    )
    .limit(1);
  return row !== undefined;
}

async function nextEpoch(tx: Tx, { userId, listingId }: ExternalOrder): Promise<number> {
  const [newest] = await tx
    .select({ epoch: purchases.epoch })
    .from(purchases)
    .where(and(eq(purchases.userId, userId), eq(purchases.listingId, listingId), eq(purchases.mode, "live")))
    .orderBy(desc(purchases.epoch))
    .limit(1);
  return newest === undefined ? 0 : newest.epoch + 1;
}

export function externalRecordOf(order: ExternalOrder, epoch: number): PurchaseRecord {
  return {
    id: order.id,
    userId: order.userId,
    listingId: order.listingId,
    epoch,
    source: "external",
    lane: "click",
    filterId: null,
    mode: "live",
    state: "confirmed",
    failureReason: null,
    priceCapCents: order.totalCents,
    holdCents: 0,
    chargedCents: order.totalCents,
    paymentMethodId: DEFAULT_PAYMENT_METHOD_ID,
    transactionId: order.transactionId,
    confirmUrl: null,
    decidedAtMs: order.orderedAtMs,
    updatedAtMs: order.nowMs,
    isHidden: false,
    reachedCheckout: true,
    listing: order.listing,
    wishedAtMs: order.orderedAtMs,
    dayKey: order.dayKey,
    monthKey: order.monthKey,
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
  };
}
