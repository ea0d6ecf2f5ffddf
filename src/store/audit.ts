import { and, desc, eq, gte } from "drizzle-orm";
import type { Db } from "./engines/db.ts";
import { auditEntries } from "./schema.ts";
import type { AuditStore } from "./store.ts";

/** Each entry in its own small transaction; audit-chain.ts links them afterwards. */
export function createAuditStore({ db }: { db: Db }): AuditStore {
  return {
    async append(entry) {
      await db.insert(auditEntries).values(entry);
    },
    async ofUser(userId, limit) {
      const rows = await db
        .select()
        .from(auditEntries)
        .where(eq(auditEntries.userId, userId))
        .orderBy(desc(auditEntries.id))
        .limit(limit);
      return rows.map(({ atMs, kind, userId, details }) => ({ atMs, kind, userId, details }));
    },
    async momentsOf(userId, kind, sinceMs) {
      const { atMs } = auditEntries;
      const ofPerson = and(eq(auditEntries.userId, userId), eq(auditEntries.kind, kind), gte(atMs, sinceMs));
      const rows = await db.select({ atMs }).from(auditEntries).where(ofPerson).orderBy(desc(atMs));
      return rows.map((row) => row.atMs);
    },
  };
}
