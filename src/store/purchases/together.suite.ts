import { inArray, sql } from "drizzle-orm";
import type { UserId } from "#domain/ids.ts";
import { describe, expect, test } from "vitest";
import { aProposal, admitted, underTest, actsOn, nextNumber } from "./purchases-under-test.suite.ts";
import type { OpenStore } from "../open-store.ts";
import { purchases } from "../schema/purchase-tables.ts";
import { aPersonOf } from "../suite-store.suite.ts";

/** The number of transactions that wrote these people's purchases. */
async function transactionsOf({ db }: OpenStore, userIds: readonly UserId[]): Promise<number> {
  const rows = await db
    .selectDistinct({ writer: sql<string>`xmin::text` })
    .from(purchases)
    .where(inArray(purchases.userId, [...userIds]));
  return rows.length;
}

export function describeProposalsTogether(at: () => OpenStore): void {
  const { opened, budgetsOf } = actsOn(() => underTest(at()));

  describe("proposals in one batch", () => {
    test("are decided in one transaction", async () => {
      const people = await Promise.all(Array.from({ length: 20 }, () => aPersonOf(at())));
      await Promise.all(people.map((user) => opened(user)));
      const ids = people.map(({ id }) => id);
      expect(await transactionsOf(at(), ids)).toBe(1);
      const budgets = await Promise.all(people.map(budgetsOf));
      expect(budgets.flat().map(({ heldCents, purchases: count }) => [heldCents, count])).toEqual(
        Array.from({ length: 40 }, () => [1_000, 1]),
      );
    });

    test("for one listing or of one person are decided one after the other", async () => {
      const people = await Promise.all([aPersonOf(at()), aPersonOf(at())]);
      const listingId = 8_100_000 + nextNumber();
      const propose = (user: (typeof people)[0], mode: "live" | "simulation") =>
        at().purchases.propose(aProposal(user, { listingId }), () => admitted({ mode }));
      await Promise.all(people.flatMap((user) => [propose(user, "live"), propose(user, "simulation")]));
      const ids = people.map(({ id }) => id);
      // Only one of the two may buy the listing, but both may simulate.
      expect(await transactionsOf(at(), ids)).toBe(3);
    });
  });
}
