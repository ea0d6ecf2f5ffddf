import { and, desc, eq, isNull, or } from "drizzle-orm";
import {
  type BlockedSeller,
  BlockedSellers,
  foldLogin,
  type SellerName,
  withBlocked,
} from "#domain/market/blocked-sellers.ts";
import { batchCalls } from "#domain/concurrency.ts";
import type { UserId } from "#domain/ids.ts";
import type { Db, Tx } from "../engines/db.ts";
import { isLockedPerson, lockPerson } from "../purchases/buying-accounts.ts";
import { blockedSellers } from "../schema/tables.ts";
import { isOneOfTexts, storableText } from "../sql/values.ts";
import type { SellerStore } from "../store.ts";

const MAX_BATCH = 1_000;

const columns = {
  sellerId: blockedSellers.sellerId,
  login: blockedSellers.login,
  sinceMs: blockedSellers.sinceMs,
};

export function createSellerStore(db: Db): SellerStore {
  const ofPeople = async (userIds: readonly UserId[]): Promise<(userId: UserId) => BlockedSellers> => {
    const rows = await db
      .select({ userId: blockedSellers.userId, ...columns })
      .from(blockedSellers)
      .where(isOneOfTexts(blockedSellers.userId, userIds));
    const byPerson = Map.groupBy(rows, ({ userId }) => userId);
    return (userId) => {
      const own = byPerson.get(userId);
      return own === undefined ? BlockedSellers.NONE : new BlockedSellers(own);
    };
  };
  return {
    list: async (userId) => await listOf(db, userId),
    // Read for every open page: concurrent reads are batched into one statement.
    blockedOf: batchCalls(ofPeople, MAX_BATCH),
    blockedOfAll: ofPeople,
    async block(userId, sellers, { nowMs, limit }) {
      return await db.transaction(async (tx) => {
        // The lock of purchase decisions: none that commits later can have read the former list.
        if (!(await lockPerson(tx, userId))) return [];
        const before = await listOf(tx, userId);
        const after = withBlocked(before, sellers.map(storableName), nowMs);
        if (after.length > Math.max(limit, before.length)) return null;
        await replace(tx, userId, { before, after });
        return await listOf(tx, userId);
      });
    },
    async unblock(userId, login) {
      await db
        .delete(blockedSellers)
        .where(
          and(
            eq(blockedSellers.userId, userId),
            eq(blockedSellers.foldedLogin, foldLogin(storableText(login))),
            isLockedPerson(userId),
          ),
        );
      return await listOf(db, userId);
    },
  };
}

function storableName({ sellerId, login }: SellerName): SellerName {
  return { sellerId, login: storableText(login) };
}

async function listOf(db: Db | Tx, userId: UserId): Promise<readonly BlockedSeller[]> {
  return await db
    .select(columns)
    .from(blockedSellers)
    .where(eq(blockedSellers.userId, userId))
    .orderBy(desc(blockedSellers.sinceMs), blockedSellers.foldedLogin);
}

interface Lists {
  readonly before: readonly BlockedSeller[];
  readonly after: readonly BlockedSeller[];
}

/** Entries that stay are the same objects in both lists. */
async function replace(tx: Tx, userId: UserId, { before, after }: Lists): Promise<void> {
  const [kept, known] = [new Set(after), new Set(before)];
  const dropped = before.filter((entry) => !kept.has(entry));
  const added = after.filter((entry) => !known.has(entry));
  if (dropped.length > 0)
    await tx
      .delete(blockedSellers)
      .where(and(eq(blockedSellers.userId, userId), or(...dropped.map(isEntry))));
  if (added.length > 0)
    await tx
      .insert(blockedSellers)
      .values(added.map((entry) => ({ ...entry, userId, foldedLogin: foldLogin(entry.login) })));
}

function isEntry({ sellerId, login }: BlockedSeller) {
  return sellerId === null
    ? and(isNull(blockedSellers.sellerId), eq(blockedSellers.foldedLogin, foldLogin(login)))
    : eq(blockedSellers.sellerId, sellerId);
}
