import { eq } from "drizzle-orm";
import type { UserId } from "#domain/ids.ts";
import type { Db, Tx } from "./engines/db.ts";
import { asOnlyWrite } from "./engines/only-write.ts";
import { buyingAccounts } from "./purchase-schema.ts";
import type { Advance, Decider, PurchaseKey } from "./purchase-store.ts";
import { writeAdvance, writeAttempt } from "./purchases-advance-write.ts";
import { lockPerson, readPurchase } from "./purchases-facts.ts";
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
    const { record: before, facts } = found;
    const change = decide(before, facts);
    if (change === null) return { before, after: before, change };
    const columns = { ...changedColumns(before, change.next), ...(change.isNews && { isTold: false }) };
    const earlier = change.attempts.slice(0, -1);
    for (const move of earlier) await writeAttempt(tx, before, move, nowMs);
    if (change.stopsUser) await throwStop(tx, userId, nowMs);
    const { money } = change;
    const { limits } = facts;
    const attempt = change.attempts.at(-1) ?? null;
    const write = async (): Promise<void> =>
      await writeAdvance(tx, { before, columns, attempt, money, limits, nowMs });
    const isAlone = earlier.length === 0 && !change.stopsUser;
    await (isAlone ? asOnlyWrite(write) : write());
    return { before, after: change.next, change };
  });
}

async function throwStop(tx: Tx, userId: UserId, nowMs: number): Promise<void> {
  await tx.update(settings).set({ isStopped: true }).where(eq(settings.userId, userId));
  await tx
    .insert(buyingAccounts)
    .values({ userId, stopThrownAtMs: nowMs })
    .onConflictDoUpdate({ target: buyingAccounts.userId, set: { stopThrownAtMs: nowMs } });
}
