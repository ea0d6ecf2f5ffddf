import { and, eq, exists, gt, inArray, isNotNull, lt, ne, notExists, or, sql, type SQL } from "drizzle-orm";
import type { Db, Tx } from "./engines/db.ts";
import { nodeRoles, nodes, marketplaceAccounts as accounts } from "./schema/tables.ts";
import type { NodeStore } from "./store.ts";
import { purchases } from "./schema/purchase-tables.ts";
import { FREED_AT_MS } from "./purchase-facts.ts";

/** The database's clock; advances also within a transaction. */
const nowMs = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
const after = (durationMs: number) => sql`${nowMs} + ${durationMs}::bigint`;

export function createNodeStore(db: Db): NodeStore {
  return {
    async join(id, livesForMs) {
      const [joined] = await db
        .insert(nodes)
        .values({ id, aliveUntilMs: after(livesForMs) })
        .returning({ aliveUntilMs: nodes.aliveUntilMs });
      if (joined === undefined) throw new Error("an insert of a node returned no row");
      return joined.aliveUntilMs - livesForMs;
    },
    async renew(id, livesForMs) {
      const [renewed] = await db
        .update(nodes)
        .set({ aliveUntilMs: after(livesForMs) })
        // A late renewal is accepted: while the row exists, only certainly unpaid purchases were taken over.
        .where(eq(nodes.id, id))
        .returning({ aliveUntilMs: nodes.aliveUntilMs });
      return renewed === undefined ? null : renewed.aliveUntilMs - livesForMs;
    },
    async leave(id) {
      await db.transaction(async (tx) => {
        await tx.delete(nodes).where(eq(nodes.id, id));
        await releaseUnheld(tx, [id]);
      });
    },
    async countOut(graceMs) {
      return await db.transaction(async (tx) => {
        const gone = await tx
          .delete(nodes)
          .where(lt(nodes.aliveUntilMs, sql`${nowMs} - ${graceMs}::bigint`))
          .returning({ id: nodes.id });
        const ids = gone.map(({ id }) => id);
        await releaseUnheld(tx, ids);
        await releaseUnpaid(tx);
        return ids;
      });
    },
    async others(id) {
      const rows = await db
        .select()
        .from(nodes)
        .where(and(ne(nodes.id, id), gt(nodes.aliveUntilMs, nowMs)));
      return new Map(rows.map((row) => [row.id, row.aliveUntilMs]));
    },
    ...rolesIn(db),
  };
}

function rolesIn(db: Db): Pick<NodeStore, "claimRole" | "releaseRole"> {
  return {
    async claimRole(role, id, forMs) {
      const isAlive = exists(
        db
          .select({ id: nodes.id })
          .from(nodes)
          .where(and(eq(nodes.id, id), gt(nodes.aliveUntilMs, nowMs))),
      );
      const claimed = await db
        .insert(nodeRoles)
        .select(sql`select ${role}::text, ${id}::text, ${after(forMs)} where ${isAlive}`)
        .onConflictDoUpdate({
          target: nodeRoles.role,
          set: { nodeId: id, untilMs: after(forMs) },
          setWhere: sql`${nodeRoles.nodeId} = ${id} or ${nodeRoles.untilMs} < ${nowMs}`,
        })
        .returning({ role: nodeRoles.role });
      return claimed.length > 0;
    },
    async releaseRole(role, id) {
      await db.delete(nodeRoles).where(and(eq(nodeRoles.role, role), eq(nodeRoles.nodeId, id)));
    },
  };
}

/**
 * An intent, or an attempt without a quote, has sent no payment: it need not wait until the last request of a
 * late node must have been sent. If that node still lives, its next step finds another owner and ends.
 */
async function releaseUnpaid(tx: Tx): Promise<void> {
  const paysNothing = or(
    eq(purchases.state, "intent"),
    and(eq(purchases.state, "submitting"), eq(purchases.attemptPhase, "preparing")),
  );
  await release(tx, gt(nodes.aliveUntilMs, nowMs), paysNothing);
}

/** Covers every lease, including those of processes that never registered in the table. */
async function releaseUnheld(tx: Tx, gone: readonly string[]): Promise<void> {
  await release(tx);
  if (gone.length === 0) return;
  await tx
    .update(accounts)
    .set({ refreshOwner: null, refreshUntilMs: 0 })
    .where(inArray(accounts.refreshOwner, [...gone]));
  await tx.delete(nodeRoles).where(inArray(nodeRoles.nodeId, [...gone]));
}

/** Ends the leases of purchases whose node is absent or does not satisfy the condition. */
async function release(tx: Tx, required?: SQL, which?: SQL): Promise<void> {
  const holder = tx
    .select({ id: nodes.id })
    .from(nodes)
    .where(and(eq(nodes.id, purchases.leaseOwner), required));
  await tx
    .update(purchases)
    .set({ dueAtMs: FREED_AT_MS })
    .where(
      and(isNotNull(purchases.leaseOwner), gt(purchases.dueAtMs, FREED_AT_MS), which, notExists(holder)),
    );
}
