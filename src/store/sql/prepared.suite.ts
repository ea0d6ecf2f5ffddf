import { asc, eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { Secret } from "#domain/secret.ts";
import { isOneOfTexts } from "./rows.ts";
import { preparedRead, type Slot } from "./prepared.ts";
import { marketplaceAccounts, users } from "../schema/tables.ts";
import { type StoreUnderTest, NOW_MS, aPersonOf } from "../suite-store.suite.ts";

export function describePreparedReads({ shared }: StoreUnderTest): void {
  describe("a prepared read", () => {
    const at = shared;

    test("is worded once and answers what the select itself does, whatever the values and within a transaction", async () => {
      const people = [await aPersonOf(at()), await aPersonOf(at())];
      const [connected] = people;
      if (connected === undefined) throw new Error("there is nobody");
      await at().settings.change(connected.id, { refreshToken: new Secret("a token of theirs") }, NOW_MS);
      let wordings = 0;
      const accountsOf = preparedRead((db, slot: Slot<"ids">) => {
        wordings += 1;
        return db
          .select({ id: users.id, account: marketplaceAccounts })
          .from(users)
          .leftJoin(marketplaceAccounts, eq(marketplaceAccounts.userId, users.id))
          .where(isOneOfTexts(users.id, slot("ids")))
          .orderBy(asc(users.createdAtMs), asc(users.id));
      });
      const ids = people.map(({ id }) => id);
      const itself = await at()
        .db.select({ id: users.id, account: marketplaceAccounts })
        .from(users)
        .leftJoin(marketplaceAccounts, eq(marketplaceAccounts.userId, users.id))
        .where(isOneOfTexts(users.id, ids))
        .orderBy(asc(users.createdAtMs), asc(users.id));

      expect(itself.filter(({ account }) => account === null)).toHaveLength(1);
      expect(await accountsOf(at().db, { ids })).toEqual(itself);
      expect(await accountsOf(at().db, { ids: ids.slice(0, 1) })).toHaveLength(1);
      await at().db.transaction(async (tx) => {
        await tx.delete(marketplaceAccounts).where(eq(marketplaceAccounts.userId, connected.id));
        expect(await accountsOf(tx, { ids })).toMatchObject([{ account: null }, { account: null }]);
      });
      expect(await accountsOf(at().db, { ids })).toMatchObject([{ account: null }, { account: null }]);
      expect(wordings).toBe(1);
    });
  });
}
