import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { nodes } from "./node-schema.ts";
import type { StoreUnderTest } from "./suite-store.suite.ts";

const LONG_MS = 60_000;

/** Who lives, and who may do what only one may. */
export function describeNodes({ shared }: StoreUnderTest): void {
  /** As if the database's clock had passed the end of its life by then. */
  async function letDie(id: string, agoMs: number): Promise<void> {
    await shared()
      .db.update(nodes)
      .set({ aliveUntilMs: Date.now() - agoMs })
      .where(eq(nodes.id, id));
  }

  describe("nodes", () => {
    test("a node lives as long as it says so, and others see it", async () => {
      const { nodes: port } = shared();
      await port.join("lives", LONG_MS);
      expect(await port.renew("lives", LONG_MS)).toBe(true);
      expect([...(await port.others("another")).keys()]).toContain("lives");
      expect([...(await port.others("lives")).keys()]).not.toContain("lives");
      await port.leave("lives");
      expect([...(await port.others("another")).keys()]).not.toContain("lives");
      expect(await port.renew("lives", LONG_MS)).toBe(false);
    });

    test("who is late lives on, until counted out after the grace", async () => {
      const { nodes: port } = shared();
      await port.join("late", LONG_MS);
      await letDie("late", 5_000);
      expect([...(await port.others("another")).keys()]).not.toContain("late");
      expect(await port.renew("late", LONG_MS)).toBe(true);
      await letDie("late", 5_000);
      expect(await port.countOut(60_000)).not.toContain("late");
      expect(await port.countOut(1_000)).toContain("late");
      expect(await port.countOut(1_000)).not.toContain("late");
      expect(await port.renew("late", LONG_MS)).toBe(false);
    });

    test("a role is one living node's at a time", async () => {
      const { nodes: port } = shared();
      await port.join("one", LONG_MS);
      await port.join("two", LONG_MS);
      expect(await port.claimRole("reading", "one", LONG_MS)).toBe(true);
      expect(await port.claimRole("reading", "two", LONG_MS)).toBe(false);
      expect(await port.claimRole("reading", "one", LONG_MS)).toBe(true);
      await port.releaseRole("reading", "two");
      expect(await port.claimRole("reading", "two", LONG_MS)).toBe(false);
      await port.releaseRole("reading", "one");
      expect(await port.claimRole("reading", "two", LONG_MS)).toBe(true);
    });

    test("a role is free once its time is over, or its node counted out", async () => {
      const { nodes: port } = shared();
      await port.join("three", LONG_MS);
      await port.join("four", LONG_MS);
      expect(await port.claimRole("short", "three", -1)).toBe(true);
      expect(await port.claimRole("short", "four", LONG_MS)).toBe(true);
      await letDie("four", 5_000);
      expect(await port.claimRole("short", "three", LONG_MS)).toBe(false);
      await port.countOut(1_000);
      expect(await port.claimRole("short", "three", LONG_MS)).toBe(true);
      expect(await port.claimRole("other", "four", LONG_MS)).toBe(false);
    });
  });
}
