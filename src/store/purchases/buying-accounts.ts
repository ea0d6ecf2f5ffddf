import { and, eq, gt, lt, or, sql, type SQL } from "drizzle-orm";
import type { UserId } from "#domain/ids.ts";
import type { Db, Tx } from "../engines/db.ts";
import { buyingAccounts, purchaseAttempts, purchases, stopSwitches } from "../schema/purchase-tables.ts";
import type { AccountStop, PurchaseStore, StopSwitch } from "../purchase-store.ts";
import { settings } from "../schema/tables.ts";

/**
 * Locks the person's `buying_accounts` row until the transaction ends: decisions about their money commit
 * before, or are made again afterwards. Every transaction on a person's data locks this row first, against
 * deadlocks.
 * @returns false if there is no such person: nothing may be written for an erased one
 */
export async function lockPerson(tx: Tx, userId: UserId): Promise<boolean> {
  const [person] = await tx
    .select({ userId: buyingAccounts.userId })
    .from(buyingAccounts)
    .where(eq(buyingAccounts.userId, userId))
    .for("update");
  return person !== undefined;
}

/** The same as a condition of a single statement, which locks the row before those that it changes. */
export function isLockedPerson(userId: UserId): SQL {
  return sql`exists (select 1 from ${buyingAccounts} where ${buyingAccounts.userId} = ${userId} for update)`;
}

/** For a transaction that changes purchases itself: invalidates decisions made before its commit. */
export async function outdateDecisions(tx: Tx, userId: UserId): Promise<void> {
  await tx
    .update(buyingAccounts)
    .set({ version: sql`${buyingAccounts.version} + 1` })
    .where(eq(buyingAccounts.userId, userId));
}

/** The person stops their automatic purchases themselves: whatever a breaker did before, the operator cannot lift it. */
export async function makeStopTheirOwn(tx: Tx, userId: UserId): Promise<void> {
  await tx.update(buyingAccounts).set({ stopThrownAtMs: 0 }).where(eq(buyingAccounts.userId, userId));
}

/** Whether the account is stopped for this reason, or erased. Locks the person, so that it stays so. */
export async function isErasedOrStopped(tx: Tx, userId: UserId, reason: string): Promise<boolean> {
  const [row] = await tx
    .select({ isStopped: buyingAccounts.isStopped, stopReason: buyingAccounts.stopReason })
    .from(buyingAccounts)
    .where(eq(buyingAccounts.userId, userId))
    .for("update");
  return row === undefined || (row.isStopped && row.stopReason === reason);
}

/** Deletes the person's purchases; budgets and ledger stay under the bare id. */
export async function erasePurchases(tx: Tx, userId: UserId): Promise<void> {
  if (await lockPerson(tx, userId)) await outdateDecisions(tx, userId);
  // A trigger allows deleting attempts only for this person and within this transaction (migration append-only-books).
  await tx.execute(sql`select set_config('synapse.erased_user', ${userId}, true)`);
  await tx.delete(purchaseAttempts).where(eq(purchaseAttempts.userId, userId));
  await tx.delete(purchases).where(eq(purchases.userId, userId));
}

const FIRST_PAUSE_MS = 60_000;
export const LONGEST_PAUSE_MS = 60 * 60_000;

/** Each pause is twice as long as the previous one, unless more than an hour has passed since that ended. */
export function pauseLengthMs(pauseCount: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(pauseCount - 1, 10));
}

/** Stop switches, and stops and pauses of single accounts. */
export function createStops(db: Db) {
  return {
    async switches() {
      return await db.select().from(stopSwitches);
    },
    async setSwitch(change: StopSwitch) {
      await db
        .insert(stopSwitches)
        .values(change)
        .onConflictDoUpdate({ target: stopSwitches.name, set: change });
    },
    async accountStop(userId) {
      const [row] = await db.select().from(buyingAccounts).where(eq(buyingAccounts.userId, userId));
      return row === undefined ? null : stopOf(row);
    },
    async stopAccount(userId, reason) {
      await db
        .update(buyingAccounts)
        .set({ isStopped: true, stopReason: reason })
        .where(eq(buyingAccounts.userId, userId));
    },
    async stopUnlessStopped(userId, reason) {
      await db
        .update(buyingAccounts)
        .set({ isStopped: true, stopReason: reason })
        .where(and(eq(buyingAccounts.userId, userId), eq(buyingAccounts.isStopped, false)));
    },
    pauseAccount: (userId, reason, nowMs) => pauseAccount(db, userId, reason, nowMs),
    resumeAccount: (userId, nowMs) => resumeAccount(db, userId, nowMs),
    async endAccountStop(userId, reason) {
      await db
        .update(buyingAccounts)
        .set({ isStopped: false, stopReason: "" })
        .where(and(eq(buyingAccounts.userId, userId), eq(buyingAccounts.stopReason, reason)));
    },
    async claimSweep(userId, nowMs, sweptBeforeMs) {
      const { sweptAtMs } = buyingAccounts;
      // Noted by a clock that was ahead and has been set back: more than nodes may differ.
      const isImpossible = gt(sweptAtMs, nowMs + (nowMs - sweptBeforeMs));
      const claimed = await db
        .update(buyingAccounts)
        .set({ sweptAtMs: nowMs })
        .where(and(eq(buyingAccounts.userId, userId), or(lt(sweptAtMs, sweptBeforeMs), isImpossible)))
        .returning({ userId: buyingAccounts.userId });
      return claimed.length > 0;
    },
  } satisfies Partial<PurchaseStore>;
}

export type Stops = ReturnType<typeof createStops>;

function stopOf(row: typeof buyingAccounts.$inferSelect): AccountStop | null {
  if (row.isStopped) return { untilMs: null, reason: row.stopReason };
  return row.pausedUntilMs > 0 ? { untilMs: row.pausedUntilMs, reason: row.stopReason } : null;
}

async function pauseAccount(db: Db, userId: UserId, reason: string, nowMs: number): Promise<number> {
  return await db.transaction(async (tx) => {
    const isTheirs = eq(buyingAccounts.userId, userId);
    const [row] = await tx.select().from(buyingAccounts).where(isTheirs).for("update");
    if (row === undefined) return nowMs;
    // A burst of refusals counts as one.
    if (row.pausedUntilMs > nowMs) return row.pausedUntilMs;
    const isRepeated = nowMs - row.pausedUntilMs < LONGEST_PAUSE_MS;
    const pauseCount = isRepeated ? row.pauseCount + 1 : 1;
    // An existing stop keeps its reason, by which it is later lifted.
    const stopReason = row.isStopped ? row.stopReason : reason;
    const pause = { pausedUntilMs: nowMs + pauseLengthMs(pauseCount), pauseCount, stopReason };
    await tx.update(buyingAccounts).set(pause).where(isTheirs);
    return pause.pausedUntilMs;
  });
}

async function resumeAccount(db: Db, userId: UserId, nowMs: number): Promise<boolean> {
  return await db.transaction(async (tx) => {
    await lockPerson(tx, userId);
    // Set by a breaker, and not lifted by the person since.
    const lifted = await tx
      .update(settings)
      .set({ isStopped: false, resumedAtMs: nowMs })
      .where(
        and(
          eq(settings.userId, userId),
          eq(settings.isStopped, true),
          sql`exists (select 1 from ${buyingAccounts} where ${buyingAccounts.userId} = ${settings.userId}
            and ${buyingAccounts.stopThrownAtMs} > ${settings.resumedAtMs})`,
        ),
      )
      .returning({ userId: settings.userId });
    await tx
      .update(buyingAccounts)
      .set({ isStopped: false, pausedUntilMs: 0, pauseCount: 0, stopReason: "" })
      .where(eq(buyingAccounts.userId, userId));
    return lifted.length > 0;
  });
}
