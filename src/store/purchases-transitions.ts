import { and, eq } from "drizzle-orm";
import type { UserId } from "#domain/ids.ts";
import { atOnce } from "./at-once.ts";
import type { Db, Tx } from "./engines/db.ts";
import { asOnlyWrite } from "./engines/only-write.ts";
import { buyingAccounts, purchaseAttempts, purchases } from "./purchase-schema.ts";
import type { Advance, AttemptMove, Decider, PurchaseKey } from "./purchase-store.ts";
import { lockPerson, readPurchase } from "./purchases-facts.ts";
import { moneyWrites } from "./purchases-money.ts";
import { changedColumns } from "./purchases-rows.ts";
import { settings } from "./schema.ts";

/** The transactions that move purchases: facts under locks, a pure decision, and all that it means, at once. */

export async function advance(
  db: Db,
  { id, userId }: PurchaseKey,
  nowMs: number,
  decide: Decider,
): Promise<Advance | null> {
  return await db.transaction(async (tx) => {
    await lockPerson(tx, userId);
    const found = await readPurchase(tx, { id, userId }, nowMs);
    if (found === null) return null;
    const { record: before, spending } = found;
    const change = decide(before, spending);
    if (change === null) return { before, after: before, change };
    const columns = { ...changedColumns(before, change.next), ...(change.isNews && { isTold: false }) };
    const attempts = change.attempts.map((move) => attemptWrite(tx, before, move, nowMs));
    const money = moneyWrites(tx, before, change.money, { nowMs, limits: spending.limits });
    // Of the same attempt, perhaps: each sees what the one before did.
    for (const earlier of attempts.slice(0, -1)) await earlier;
    if (change.stopsUser) await throwStop(tx, userId, nowMs);
    const update = tx.update(purchases).set(columns).where(eq(purchases.id, id));
    const writing = atOnce([...money, ...attempts.slice(-1)], update);
    const isAlone = attempts.length <= 1 && !change.stopsUser;
    await (isAlone ? asOnlyWrite(() => tx.execute(writing)) : tx.execute(writing));
    return { before, after: change.next, change };
  });
}

function attemptWrite(tx: Tx, { id, userId }: PurchaseKey, move: AttemptMove, nowMs: number) {
  if (move.kind === "opened")
    return tx.insert(purchaseAttempts).values({ purchaseId: id, n: move.n, userId, startedAtMs: nowMs });
  const fields =
    move.kind === "paying"
      ? { digest: move.digest, sentAtMs: nowMs, deadlineMs: move.deadlineMs }
      : { endedAtMs: nowMs, outcome: move.outcome, evidence: move.evidence };
  return tx
    .update(purchaseAttempts)
    .set(fields)
    .where(and(eq(purchaseAttempts.purchaseId, id), eq(purchaseAttempts.n, move.n)));
}

async function throwStop(tx: Tx, userId: UserId, nowMs: number): Promise<void> {
  await tx.update(settings).set({ isStopped: true }).where(eq(settings.userId, userId));
  await tx
    .insert(buyingAccounts)
    .values({ userId, stopThrownAtMs: nowMs })
    .onConflictDoUpdate({ target: buyingAccounts.userId, set: { stopThrownAtMs: nowMs } });
}
