import { and, eq, inArray } from "drizzle-orm";
import type { UserId } from "#domain/ids.ts";
import type { Db } from "./engines/db.ts";
import { purchases } from "./purchase-schema.ts";
import type { PurchaseStore } from "./purchase-store.ts";
import { auditBooks } from "./purchases-audit.ts";
import { eraseBooks } from "./purchases-erasure.ts";
import { recordExternal } from "./purchases-external.ts";
import { lockPerson } from "./purchases-facts.ts";
import { createProposals, type Books } from "./purchases-proposals.ts";
import { createReads } from "./purchases-reads.ts";
import { createStops } from "./purchases-stops.ts";
import { advance } from "./purchases-transitions.ts";

/** The books of buying, on either engine. It knows how to keep them, and no rule of buying. */
export function createPurchaseStore({ db, vault }: Books): PurchaseStore {
  return {
    ...createReads(db),
    ...createStops(db),
    ...createProposals({ db, vault }),
    advance: (key, nowMs, decide) => advance(db, key, nowMs, decide),
    recordExternal: (order) => recordExternal(db, order),
    hideFinal: (userId, nowMs) => hideFinal(db, userId, nowMs),
    auditBooks: (nowMs) => auditBooks(db, nowMs),
    erase: (userId) => db.transaction((tx) => eraseBooks(tx, userId)),
  };
}

async function hideFinal(db: Db, userId: UserId, nowMs: number): Promise<number> {
  return await db.transaction(async (tx) => {
    await lockPerson(tx, userId);
    const hidden = await tx
      .update(purchases)
      .set({ isHidden: true, updatedAtMs: nowMs })
      .where(
        and(
          eq(purchases.userId, userId),
          eq(purchases.isHidden, false),
          // Bare attempts were never in the list.
          eq(purchases.reachedCheckout, true),
          inArray(purchases.state, ["cancelled", "failed"]),
        ),
      )
      .returning({ id: purchases.id });
    return hidden.length;
  });
}
