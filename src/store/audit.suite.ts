import { asc, eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { asUserId } from "#domain/ids.ts";
import type { OpenStore } from "./open-store.ts";
import { auditEntries, auditLinks, systemMeta } from "./schema/tables.ts";
import type { AuditEntry } from "./store.ts";
import { type StoreUnderTest, NOW_MS, storeForAll } from "./suite-store.suite.ts";

export function describeAudit({ shared, open }: StoreUnderTest): void {
  describe("the audit", () => {
    const at = shared;

    test("a person's entries are returned newest first and unchanged", async () => {
      const [first, second] = [
        anEntry("login"),
        anEntry("settings_changed", { names: "jour\r\nmois", n: 2 }),
      ];
      for (const entry of [first, anEntry("login", {}, "somebody-else"), second])
        await at().audit.append(entry);
      expect(await at().audit.ofUser(asUserId("audited"), 10)).toEqual([second, first]);
      expect(await at().audit.ofUser(asUserId("audited"), 1)).toEqual([second]);
    });

    test("entries without a person are kept too", async () => {
      await at().audit.append({ ...anEntry("start"), userId: null });
      const rows = await at().db.select().from(auditEntries).where(eq(auditEntries.kind, "start"));
      expect(rows).toHaveLength(1);
    });
  });

  describe("the audit chain", () => {
    const at = storeForAll(open);

    test("links every entry once, also when two nodes extend it at once", async () => {
      await appendMany(at(), 600);
      const counts = await Promise.all([at().extendAuditChain(), at().extendAuditChain()]);
      expect(counts[0] + counts[1]).toBe(600);
      expect(await at().extendAuditChain()).toBe(0);
      await appendMany(at(), 3);
      expect(await at().extendAuditChain()).toBe(3);
      expect(await at().verifyAuditChain()).toEqual({ kind: "intact", linkCount: 603 });
    });

    test("an entry that commits after later ones is linked once it is visible", async () => {
      const before = await at().verifyAuditChain();
      const [newest] = await at().db.insert(auditEntries).values(anEntry("late")).returning();
      if (newest === undefined) throw new Error("an entry was inserted");
      await at().db.delete(auditEntries).where(eq(auditEntries.id, newest.id));
      await appendMany(at(), 2);
      await at().extendAuditChain();
      await at().db.insert(auditEntries).values(newest);
      expect(await at().extendAuditChain()).toBe(1);
      const linkCount = before.kind === "intact" ? before.linkCount + 3 : 0;
      expect(await at().verifyAuditChain()).toEqual({ kind: "intact", linkCount });
    });

    test("a changed entry and a deleted link are detected", async () => {
      const tampered = 7;
      const [entry] = await at().db.select().from(auditEntries).where(eq(auditEntries.id, tampered));
      if (entry === undefined) throw new Error("there are more than seven entries");
      await at().db.update(auditEntries).set({ kind: "never" }).where(eq(auditEntries.id, tampered));
      expect(await at().verifyAuditChain()).toEqual({ kind: "broken", position: tampered });
      await at().db.update(auditEntries).set({ kind: entry.kind }).where(eq(auditEntries.id, tampered));
      expect(await at().verifyAuditChain()).toMatchObject({ kind: "intact" });
      await at().db.delete(auditLinks).where(eq(auditLinks.position, tampered));
      expect(await at().verifyAuditChain()).toEqual({ kind: "broken", position: tampered + 1 });
    });
  });

  describe("the audit's oldest entries", () => {
    const at = storeForAll(open);
    const YEAR_MS = 365 * 86_400_000;

    test("are deleted in the chain's order, and the remaining chain still verifies and can be extended", async () => {
      await appendMany(at(), 1_200, NOW_MS - YEAR_MS - 1);
      await appendMany(at(), 5, NOW_MS);
      expect(await at().pruneAuditChain(NOW_MS - YEAR_MS)).toBe(1_200);
      expect(await at().pruneAuditChain(NOW_MS - YEAR_MS)).toBe(0);
      expect(await at().db.select().from(auditEntries)).toHaveLength(5);
      expect(await at().verifyAuditChain()).toEqual({ kind: "intact", linkCount: 1_205 });
      await appendMany(at(), 2, NOW_MS);
      expect(await at().extendAuditChain()).toBe(2);
      expect(await at().verifyAuditChain()).toEqual({ kind: "intact", linkCount: 1_207 });
    });

    test("are deleted only up to the newest one, which is kept", async () => {
      await at().pruneAuditChain(NOW_MS + 1);
      expect(await at().db.select().from(auditEntries)).toHaveLength(1);
      await appendMany(at(), 1);
      await at().extendAuditChain();
      expect(await at().verifyAuditChain()).toEqual({ kind: "intact", linkCount: 1_208 });
    });

    test("cannot be deleted unnoticed by somebody who can only write to the database", async () => {
      await appendMany(at(), 5);
      await at().extendAuditChain();
      const [oldest] = await at().db.select().from(auditLinks).orderBy(asc(auditLinks.position)).limit(1);
      const dropped = oldest?.position ?? 0;
      await at().db.delete(auditLinks).where(eq(auditLinks.position, dropped));
      expect(await at().verifyAuditChain()).toEqual({ kind: "broken", position: dropped + 1 });
      const [anchor] = await at().db.select().from(systemMeta).where(eq(systemMeta.key, "audit_anchor"));
      const sealedValue = Uint8Array.from(anchor?.sealedValue ?? []).map((byte) => byte ^ 1);
      await at().db.update(systemMeta).set({ sealedValue }).where(eq(systemMeta.key, "audit_anchor"));
      expect(await at().verifyAuditChain()).toEqual({ kind: "broken", position: 0 });
    });
  });
}

function anEntry(kind: string, details: AuditEntry["details"] = {}, userId = "audited"): AuditEntry {
  return { atMs: NOW_MS, kind, userId: asUserId(userId), details };
}

async function appendMany(store: OpenStore, count: number, atMs = NOW_MS): Promise<void> {
  const entries = Array.from({ length: count }, (_, n) => anEntry("many", { n, b: "x", a: true }));
  await Promise.all(entries.map((entry) => store.audit.append({ ...entry, atMs })));
}
