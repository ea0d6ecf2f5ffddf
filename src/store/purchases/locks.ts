import { eq, sql } from "drizzle-orm";
import type { UserId } from "#domain/ids.ts";
import type { Tx } from "../engines/db.ts";
import { buyingAccounts, purchaseAttempts, purchases } from "../schema/purchase-tables.ts";
import { users } from "../schema/tables.ts";

/** Any constant: the advisory lock of the switches that stop all buying. */
const SWITCHES_LOCK = 5_929_806;

/** Decisions share the switches' lock; changing a switch takes it exclusively. */
export async function lockPerson(tx: Tx, userId: UserId): Promise<void> {
  await lockPeople(tx, [userId]);
}

/**
 * Always in the same order, so that transactions cannot deadlock.
 * @param patienceMs the transaction's lock timeout; absent: the statement timeout
 */
export async function lockPeople(tx: Tx, userIds: readonly UserId[], patienceMs?: number): Promise<void> {
  const patience =
    patienceMs === undefined ? sql`` : sql`set_config('lock_timeout', ${String(patienceMs)}, true),`;
  await tx.execute(
    sql`select pg_advisory_xact_lock_shared(${SWITCHES_LOCK}::bigint), ${patience}
        pg_advisory_xact_lock(place), set_config('plan_cache_mode', 'force_generic_plan', true)
      from (select hashtextextended(id, 0) as place from unnest(${sql.param(userIds)}::text[]) as id order by 1) as people`,
  );
}

/** Waits until no decision is in progress. */
export async function lockSwitches(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${SWITCHES_LOCK}::bigint)`);
}

/** Removes the person's purchases; budgets and ledger stay under the bare id. */
export async function erasePurchases(tx: Tx, userId: UserId): Promise<void> {
  await lockPerson(tx, userId);
  // A trigger allows deleting attempts only for this person and within this transaction (migration append-only-books).
  await tx.execute(sql`select set_config('synapse.erased_user', ${userId}, true)`);
  await tx.delete(purchaseAttempts).where(eq(purchaseAttempts.userId, userId));
  await tx.delete(purchases).where(eq(purchases.userId, userId));
  await tx.delete(buyingAccounts).where(eq(buyingAccounts.userId, userId));
}

/**
 * Locks the person; false when they were erased: the tables of buying have no foreign keys, and nothing may be written
 * for an erased person.
 */
export async function lockExistingPerson(tx: Tx, userId: UserId): Promise<boolean> {
  await lockPerson(tx, userId);
  const [person] = await tx.select({ id: users.id }).from(users).where(eq(users.id, userId));
  return person !== undefined;
}
