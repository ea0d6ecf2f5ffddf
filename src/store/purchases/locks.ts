import { eq, sql, type SQL } from "drizzle-orm";
import type { UserId } from "#domain/ids.ts";
import type { Tx } from "../engines/db.ts";
import { buyingAccounts, purchaseAttempts, purchases } from "../schema/purchase-tables.ts";

/**
 * Locks the person's row of buying until the transaction ends: decisions about their money commit before it, or are made
 * again after it. Whatever a transaction changes of a person, it locks this row first, so that no two can deadlock.
 * @returns false when there is no such person: nothing may be written for one who was erased
 */
export async function lockPerson(tx: Tx, userId: UserId): Promise<boolean> {
  const [person] = await tx
    .select({ userId: buyingAccounts.userId })
    .from(buyingAccounts)
    .where(eq(buyingAccounts.userId, userId))
    .for("update");
  return person !== undefined;
}

/** The same within a single statement, as a condition of it: the row is locked before those that the statement changes. */
export function isLockedPerson(userId: UserId): SQL {
  return sql`exists (select 1 from ${buyingAccounts} where ${buyingAccounts.userId} = ${userId} for update)`;
}

/** For a transaction that changes purchases by itself: decisions made before its commit are not written. */
export async function outdateDecisions(tx: Tx, userId: UserId): Promise<void> {
  await tx
    .update(buyingAccounts)
    .set({ version: sql`${buyingAccounts.version} + 1` })
    .where(eq(buyingAccounts.userId, userId));
}

/** Removes the person's purchases; budgets and ledger stay under the bare id. */
export async function erasePurchases(tx: Tx, userId: UserId): Promise<void> {
  if (await lockPerson(tx, userId)) await outdateDecisions(tx, userId);
  // A trigger allows deleting attempts only for this person and within this transaction (migration append-only-books).
  await tx.execute(sql`select set_config('synapse.erased_user', ${userId}, true)`);
  await tx.delete(purchaseAttempts).where(eq(purchaseAttempts.userId, userId));
  await tx.delete(purchases).where(eq(purchases.userId, userId));
}
