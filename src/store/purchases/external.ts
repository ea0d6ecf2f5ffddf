import { and, desc, eq, inArray, notInArray, or, sql } from "drizzle-orm";
import { DEFAULT_PAYMENT_METHOD_ID } from "#catalogue/payment-methods.ts";
import type { Db, Tx } from "../engines/db.ts";
import { budgets, ledger, purchases } from "../schema/purchase-tables.ts";
import type { ExternalOrder, PurchaseRecord } from "../purchase-store.ts";
import { lockPerson, outdateDecisions } from "./locks.ts";
import { NEW_PURCHASE, toRow } from "./rows.ts";

/**
 * Books an order that no purchase explains. Checked again under the person's lock: a purchase may be paying for it at
 * this moment.
 */
export async function recordExternal(db: Db, order: ExternalOrder): Promise<boolean> {
  return await db.transaction(async (tx) => {
    if (!(await lockPerson(tx, order.userId))) return false;
    if (await isExplained(tx, order)) return false;
    const epoch = await nextEpoch(tx, order);
    await outdateDecisions(tx, order.userId);
    await tx.insert(purchases).values(toRow(externalRecordOf(order, epoch)));
    await bookExternal(tx, order);
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

export function externalRecordOf(
  { orderedAtMs, nowMs, totalCents, ...order }: ExternalOrder,
  epoch: number,
): PurchaseRecord {
  return {
    ...NEW_PURCHASE,
    ...order,
    epoch,
    source: "external",
    lane: "click",
    filterId: null,
    mode: "live",
    state: "confirmed",
    priceCapCents: totalCents,
    holdCents: 0,
    chargedCents: totalCents,
    paymentMethodId: DEFAULT_PAYMENT_METHOD_ID,
    wishedAtMs: orderedAtMs,
    decidedAtMs: orderedAtMs,
    updatedAtMs: nowMs,
    reachedCheckout: true,
  };
}

/** Books an order that was made elsewhere; its budgets may be the first of their periods. */
async function bookExternal(
  tx: Tx,
  { id: purchaseId, userId, dayKey, monthKey, totalCents, nowMs }: ExternalOrder,
): Promise<void> {
  const empty = { capCents: 0, heldCents: 0, capturedCents: 0 };
  await tx
    .insert(budgets)
    .values(
      [dayKey, monthKey].map((period) => ({
        userId,
        period,
        ...empty,
        extraCents: totalCents,
        purchases: 1,
      })),
    )
    .onConflictDoUpdate({
      target: [budgets.userId, budgets.period],
      set: {
        extraCents: sql`${budgets.extraCents} + excluded.extra_cents`,
        purchases: sql`${budgets.purchases} + excluded.purchases`,
      },
    });
  await tx.insert(ledger).values({
    atMs: nowMs,
    userId,
    purchaseId,
    kind: "external",
    amountCents: totalCents,
    heldDeltaCents: 0,
    capturedDeltaCents: 0,
    extraDeltaCents: totalCents,
    purchasesDelta: 1,
    dayKey,
    monthKey,
  });
}
