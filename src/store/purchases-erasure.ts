import { eq, sql } from "drizzle-orm";
import type { UserId } from "#domain/ids.ts";
import type { Tx } from "./engines/db.ts";
import { buyingAccounts, purchaseAttempts, purchases } from "./purchase-schema.ts";
import { lockPerson } from "./purchases-facts.ts";
import { users } from "./schema.ts";

/** Removes the person's rows from the books; budgets and ledger stay under the bare id. */
export async function eraseBooks(tx: Tx, userId: UserId): Promise<void> {
  await lockPerson(tx, userId);
  // The tables give up an attempt to nobody else (migration append-only-books), and only within this transaction.
  await tx.execute(sql`select set_config('synapse.erased_user', ${userId}, true)`);
  await tx.delete(purchaseAttempts).where(eq(purchaseAttempts.userId, userId));
  await tx.delete(purchases).where(eq(purchases.userId, userId));
  await tx.delete(buyingAccounts).where(eq(buyingAccounts.userId, userId));
}

/**
 * Locks the person and answers whether they are still there: the books have no foreign keys, and nothing may be
 * written in them for somebody who was erased meanwhile.
 */
export async function lockIfThere(tx: Tx, userId: UserId): Promise<boolean> {
  await lockPerson(tx, userId);
  const [person] = await tx.select({ id: users.id }).from(users).where(eq(users.id, userId));
  return person !== undefined;
}
