import { eq, inArray } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { asPurchaseId, asUserId } from "#domain/ids.ts";
import { aListing } from "#verify/testing/a-listing.ts";
import { nodes } from "./schema/tables.ts";
import { purchases } from "./schema/purchase-tables.ts";
import type { AttemptPhase } from "./purchase-facts.ts";
import { toRow } from "./purchases/rows.ts";
import { proposedRecordOf } from "./purchases/decisions.ts";
import { NOW_MS, type StoreUnderTest } from "./suite-store.suite.ts";

const LONG_MS = 60_000;

interface HeldTraits {
  readonly index: number;
  readonly state: "intent" | "submitting";
  readonly phase: AttemptPhase;
}

function heldBy(leaseOwner: string, { index, state, phase }: HeldTraits): typeof purchases.$inferInsert {
  return toRow({
    ...proposedRecordOf(
      {
        id: asPurchaseId(`held-${index}`),
        userId: asUserId("held-by-nodes"),
        listing: aListing({ id: 8_800_000 + index }),
        source: "auto",
        filterId: null,
        wishedAtMs: NOW_MS,
        nowMs: NOW_MS,
        dayKey: "2030-03-17",
        monthKey: "2030-03",
        owner: leaseOwner,
        leaseUntilMs: NOW_MS,
      },
      {
        kind: "admit",
        mode: "live",
        lane: "thunder",
        epoch: 0,
        priceCapCents: 1,
        holdCents: 0,
        paymentMethodId: 1,
        hadUnknownOutcome: false,
      },
      null,
    ),
    state,
    attemptPhase: phase,
  });
}

/** Liveness of nodes, and roles that one node holds at a time. */
export function describeNodes({ shared }: StoreUnderTest): void {
  /** Sets the end of the node's lease this far into the past of the database's clock. */
  async function expireLease(id: string, agoMs: number): Promise<void> {
    await shared()
      .db.update(nodes)
      .set({ aliveUntilMs: Date.now() - agoMs })
      .where(eq(nodes.id, id));
  }

  describe("nodes", () => {
    test("a node is alive while it renews its lease, and others see it", async () => {
      const { nodes: port } = shared();
      await port.join("lives", LONG_MS);
      expect(await port.renew("lives", LONG_MS)).not.toBeNull();
      expect([...(await port.others("another")).keys()]).toContain("lives");
      expect([...(await port.others("lives")).keys()]).not.toContain("lives");
      await port.leave("lives");
      expect([...(await port.others("another")).keys()]).not.toContain("lives");
      expect(await port.renew("lives", LONG_MS)).toBeNull();
    });

    test("a node learns the time by the database's clock", async () => {
      const { nodes: port } = shared();
      const fromMs = Date.now();
      const times = [await port.join("asks", LONG_MS), await port.renew("asks", LONG_MS)];
      const toMs = Date.now();
      for (const timeMs of times) {
        expect(timeMs).toBeGreaterThanOrEqual(fromMs - 1);
        expect(timeMs).toBeLessThanOrEqual(toMs + 1);
      }
      await port.leave("asks");
    });

    test("a node with an expired lease may renew it until the grace period is over", async () => {
      const { nodes: port } = shared();
      await port.join("late", LONG_MS);
      await expireLease("late", 5_000);
      expect([...(await port.others("another")).keys()]).not.toContain("late");
      expect(await port.renew("late", LONG_MS)).not.toBeNull();
      await expireLease("late", 5_000);
      expect(await port.countOut(60_000)).not.toContain("late");
      expect(await port.countOut(1_000)).toContain("late");
      expect(await port.countOut(1_000)).not.toContain("late");
      expect(await port.renew("late", LONG_MS)).toBeNull();
    });

    test("a role belongs to one living node at a time", async () => {
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

    test("an expired node's purchases are released at once unless they are being paid, and those after the grace period", async () => {
      const { db, nodes: port } = shared();
      await port.join("slow", LONG_MS);
      await port.join("quick", LONG_MS);
      const held = ["slow", "quick"].flatMap((owner) => [
        { owner, state: "intent", phase: "none" } as const,
        { owner, state: "submitting", phase: "preparing" } as const,
        { owner, state: "submitting", phase: "paying" } as const,
      ]);
      for (const [index, { owner, state, phase }] of held.entries())
        await db.insert(purchases).values(heldBy(owner, { index, state, phase }));
      const due = async (): Promise<readonly string[]> => {
        const rows = await db.select().from(purchases).where(eq(purchases.dueAtMs, 0));
        return rows
          .filter(({ leaseOwner }) => leaseOwner === "slow" || leaseOwner === "quick")
          .map(({ leaseOwner, state, attemptPhase }) => `${leaseOwner} ${state} ${attemptPhase}`)
          .toSorted();
      };
      await port.countOut(60_000);
      expect(await due()).toEqual([]);
      await expireLease("slow", 5_000);
      expect(await port.countOut(60_000)).not.toContain("slow");
      expect(await due()).toEqual(["slow intent none", "slow submitting preparing"]);
      expect(await port.renew("slow", LONG_MS)).not.toBeNull();
      await expireLease("slow", 5_000);
      expect(await port.countOut(1_000)).toContain("slow");
      expect(await due()).toEqual([
        "slow intent none",
        "slow submitting paying",
        "slow submitting preparing",
      ]);
      await db.delete(purchases).where(inArray(purchases.leaseOwner, ["slow", "quick"]));
      await port.leave("quick");
    });

    test("a role is free once its lease has expired or its node is removed", async () => {
      const { nodes: port } = shared();
      await port.join("three", LONG_MS);
      await port.join("four", LONG_MS);
      expect(await port.claimRole("short", "three", -1)).toBe(true);
      expect(await port.claimRole("short", "four", LONG_MS)).toBe(true);
      await expireLease("four", 5_000);
      expect(await port.claimRole("short", "three", LONG_MS)).toBe(false);
      await port.countOut(1_000);
      expect(await port.claimRole("short", "three", LONG_MS)).toBe(true);
      expect(await port.claimRole("other", "four", LONG_MS)).toBe(false);
    });
  });
}
