import { and, count, desc, eq, notExists, sql } from "drizzle-orm";
import { type GroupState, LEAST_LEFT_CENTS } from "#domain/buying-rules.ts";
import type { FilterId, GroupId, UserId } from "#domain/ids.ts";
import type { Db, Tx } from "../engines/db.ts";
import { endAutobuyAtLimit } from "./filter-rows.ts";
import { lockPerson } from "../purchases/buying-accounts.ts";
import { purchases } from "../schema/purchase-tables.ts";
import { filters, groups } from "../schema/tables.ts";
import { isOneOfTexts, isStorable, storableText } from "../sql/values.ts";
import type { GroupOutcome, GroupStore, SavedGroup } from "../market-store.ts";

/** Groups of filters, written under the person's lock (triggers raise the version of decisions). */
export function createGroupStore(db: Db): GroupStore {
  return {
    list: async (userId) => await db.transaction((tx) => groupsOf(tx, userId)),
    add: async (group, at) =>
      await db.transaction(async (tx) =>
        (await lockPerson(tx, group.userId)) ? await insertGroup(tx, group, at) : { kind: "unknown_group" },
      ),
    replace: async (group, nowMs) =>
      await db.transaction(async (tx) => {
        if (!isStorable(group.id) || !(await lockPerson(tx, group.userId))) return { kind: "unknown_group" };
        const isOwn = and(eq(groups.userId, group.userId), eq(groups.id, group.id));
        const [known] = await tx.select({ id: groups.id }).from(groups).where(isOwn);
        if (known === undefined) return { kind: "unknown_group" };
        const refusal = await refusalOf(tx, group);
        if (refusal !== null) return refusal;
        await tx.update(groups).set(columnsOf(group)).where(isOwn);
        const outcome = await saved(tx, group);
        await endAutobuyAtLimit(tx, group.userId, nowMs);
        return outcome;
      }),
    remove: async (userId, id) => {
      if (!isStorable(id)) return null;
      return await db.transaction(async (tx) => {
        await lockPerson(tx, userId);
        const left = await leave(tx, { userId, id, filterIds: [] });
        const removed = await tx
          .delete(groups)
          .where(and(eq(groups.userId, userId), eq(groups.id, id)))
          .returning({ id: groups.id });
        return removed.length === 0 ? null : left;
      });
    },
  };
}

/** Adds a group; the caller holds the person's lock. */
export async function insertGroup(
  tx: Tx,
  group: SavedGroup,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<GroupOutcome> {
  const [has] = await tx.select({ n: count() }).from(groups).where(eq(groups.userId, group.userId));
  if (has === undefined || has.n >= limit) return { kind: "too_many" };
  const refusal = await refusalOf(tx, group);
  if (refusal !== null) return refusal;
  const { id, userId } = group;
  await tx.insert(groups).values({ id, userId, createdAtMs: nowMs, ...columnsOf(group) });
  return await saved(tx, group);
}

/** A group is deleted with its last filter. */
export async function dropEmptyGroups(tx: Tx, userId: UserId): Promise<void> {
  const members = tx.select({ id: filters.id }).from(filters).where(eq(filters.groupId, groups.id));
  await tx.delete(groups).where(and(eq(groups.userId, userId), notExists(members)));
}

function columnsOf({ name, maxPurchases, budgetEur }: SavedGroup) {
  return { name: storableText(name), maxPurchases, budgetEur };
}

/** Why these filters cannot be members of the group; null if they can. */
async function refusalOf(tx: Tx, { userId, id, filterIds }: SavedGroup): Promise<GroupOutcome | null> {
  if (!filterIds.every(isStorable)) return { kind: "unknown_filter" };
  const found = await tx
    .select({ id: filters.id, groupId: filters.groupId })
    .from(filters)
    .where(and(eq(filters.userId, userId), isOneOfTexts(filters.id, filterIds)));
  if (found.length < new Set(filterIds).size) return { kind: "unknown_filter" };
  const elsewhere = found.find(({ groupId }) => groupId !== null && groupId !== id);
  return elsewhere === undefined ? null : { kind: "in_another_group", filterId: elsewhere.id };
}

type Members = Pick<SavedGroup, "userId" | "id" | "filterIds">;

async function saved(tx: Tx, group: Members): Promise<GroupOutcome> {
  const { userId, id, filterIds } = group;
  const left = await leave(tx, group);
  await tx
    .update(filters)
    .set({ groupId: id })
    .where(
      and(
        eq(filters.userId, userId),
        isOneOfTexts(filters.id, filterIds),
        sql`${filters.groupId} is distinct from ${id}`,
      ),
    );
  const state = (await groupsOf(tx, userId)).find((each) => each.id === id);
  return state === undefined ? { kind: "unknown_group" } : { kind: "saved", group: state, left };
}

/** Removes the members that are not among `filterIds`, which stop buying automatically. @returns them */
async function leave(tx: Tx, { userId, id, filterIds }: Members): Promise<readonly FilterId[]> {
  const left = await tx
    .update(filters)
    .set({ groupId: null, isAutobuy: false })
    .where(
      and(
        eq(filters.userId, userId),
        eq(filters.groupId, id),
        sql`not ${isOneOfTexts(filters.id, filterIds)}`,
      ),
    )
    .returning({ id: filters.id });
  return left.map((filter) => filter.id);
}

async function groupsOf(tx: Tx, userId: UserId): Promise<readonly GroupState[]> {
  const rows = await tx
    .select()
    .from(groups)
    .where(eq(groups.userId, userId))
    .orderBy(desc(groups.createdAtMs), desc(groups.id));
  if (rows.length === 0) return [];
  const members = await tx
    .select({ id: filters.id, groupId: filters.groupId })
    .from(filters)
    .where(and(eq(filters.userId, userId), sql`${filters.groupId} is not null`))
    .orderBy(filters.createdAtMs, filters.id);
  const sums = new Map(
    (
      await sumsOf(
        tx,
        rows.map(({ id }) => id),
      )
    ).map((sum) => [sum.groupId, sum]),
  );
  return rows.map((row) => {
    const { taken = 0, takenCents = 0, paid = 0, paidCents = 0 } = sums.get(row.id) ?? {};
    const leftCents = row.budgetEur === null ? Infinity : row.budgetEur * 100 - paidCents;
    return {
      ...row,
      filterIds: members.filter(({ groupId }) => groupId === row.id).map(({ id }) => id),
      taken: { count: taken, cents: takenCents },
      isComplete: paid >= row.maxPurchases || leftCents < LEAST_LEFT_CENTS,
    };
  });
}

/** Over live purchases that are neither failed nor cancelled; `paid` as in move.sql. */
async function sumsOf(tx: Tx, groupIds: readonly GroupId[]) {
  const cents = sql`${purchases.holdCents} + coalesce(${purchases.chargedCents}, 0)`;
  const isPaid = sql`${purchases.state} in ('confirmed', 'cancelling', 'cancel_unknown')`;
  return await tx
    .select({
      groupId: purchases.groupId,
      taken: count(),
      takenCents: sql`coalesce(sum(${cents}), 0)`.mapWith(Number),
      paid: sql`count(*) filter (where ${isPaid})`.mapWith(Number),
      paidCents: sql`coalesce(sum(${cents}) filter (where ${isPaid}), 0)`.mapWith(Number),
    })
    .from(purchases)
    .where(
      and(
        isOneOfTexts(purchases.groupId, groupIds),
        eq(purchases.mode, "live"),
        sql`${purchases.state} not in ('failed', 'cancelled')`,
      ),
    )
    .groupBy(purchases.groupId);
}
