import { and, asc, count, desc, eq, ne, not, sql } from "drizzle-orm";
import { NO_RULES } from "#domain/buying-rules.ts";
import {
  choiceCount,
  criteriaOf,
  type Filter,
  type FilterCriteria,
  type WordGroup,
} from "#domain/market/filter.ts";
import type { FilterId, UserId } from "#domain/ids.ts";
import { foldText } from "#catalogue/fold-text.ts";
import type { Db, Tx } from "../engines/db.ts";
import { ALTERNATIVES, insertFilter, isOwn, replaceFilter } from "./filter-writes.ts";
import { importFilters } from "./import-filters.ts";
import { filterActivity } from "./filter-activity.ts";
import { dropEmptyGroups } from "./groups.ts";
import { lockPerson } from "../purchases/locks.ts";
import { isOneOfTexts } from "../sql/rows.ts";
import { filters, users } from "../schema/tables.ts";
import { isStorable } from "../sql/storable-text.ts";
import type { FilterStore, NewFilter, PublicFilter } from "../store.ts";

export function createFilterStore({ db }: { db: Db }): FilterStore {
  return {
    async ofUser(userId) {
      const isTheirs = eq(filters.userId, userId);
      const rows = await db
        .select()
        .from(filters)
        .where(isTheirs)
        .orderBy(...newestFirst);
      return rows.map(filterOf);
    },
    async byId(userId, id) {
      if (!isStorable(id)) return null;
      const [row] = await db.select().from(filters).where(isOwn(userId, id));
      return row === undefined ? null : filterOf(row);
    },
    add: (filter, limit, maxChoices) => addWithinLimit(db, filter, { limit, maxChoices }),
    async replace(filter, maxChoices) {
      if (!isStorable(filter.id)) return false;
      return await db.transaction(
        async (tx) =>
          (await lockPerson(tx, filter.userId)) &&
          (maxChoices === undefined || (await hasRoomFor(tx, filter, maxChoices))) &&
          (await replaceFilter(tx, filter)),
      );
    },
    importAll: (userId, wanted, bounds) => importFilters(db, userId, wanted, bounds),
    change: (userId, ids, change) => changeAllOrNone(db, userId, ids, change),
    remove: (userId, ids) => removeAllOrNone(db, userId, ids),
    async stopAutobuy(userId, ids) {
      return await db.transaction(async (tx) => {
        await lockPerson(tx, userId);
        const stopped = await tx
          .update(filters)
          .set({ isAutobuy: false })
          .where(and(eq(filters.userId, userId), filters.isAutobuy, among(ids)))
          .returning({ id: filters.id });
        return stopped.map(({ id }) => id);
      });
    },
    publicOnes: (exceptUserId, text, limit) => searchPublic(db, exceptUserId, { text, limit }),
    takePublic: (userId, id) => takePublic(db, userId, id),
    activity: (userId, sinceMs) => filterActivity(db, userId, sinceMs),
    async countActive() {
      const [all] = await db.select({ n: count() }).from(filters).where(and(filters.isActive));
      return all?.n ?? 0;
    },
    activePages: (pageSize) => activePages(db, pageSize),
    async activeOf(userId) {
      const rows = await db
        .select()
        .from(filters)
        .where(and(eq(filters.userId, userId), filters.isActive))
        .orderBy(...newestFirst);
      return rows.map(filterOf);
    },
  };
}

type FilterRow = typeof filters.$inferSelect;

const newestFirst = [desc(filters.createdAtMs), desc(filters.id)] as const;

const among = (ids: readonly FilterId[] | undefined) =>
  ids === undefined ? undefined : isOneOfTexts(filters.id, ids);

/** Whether the filter's selections fit into the person's total allowance. */
async function hasRoomFor(tx: Tx, filter: NewFilter, maxChoices: number): Promise<boolean> {
  const [others] = await tx
    .select({
      choices: sql<number>`coalesce(sum(cardinality(${filters.categoryIds}) + cardinality(${filters.brandIds})
        + cardinality(${filters.sizeIds}) + cardinality(${filters.conditionIds})), 0)::int`,
    })
    .from(filters)
    .where(and(eq(filters.userId, filter.userId), ne(filters.id, filter.id)));
  return (others?.choices ?? 0) + choiceCount(filter) <= maxChoices;
}

interface Bounds {
  readonly limit: number;
  readonly maxChoices: number | undefined;
}

async function addWithinLimit(db: Db, filter: NewFilter, { limit, maxChoices }: Bounds): Promise<boolean> {
  return await db.transaction(async (tx) => {
    if (!(await lockPerson(tx, filter.userId))) return false;
    const [has] = await tx.select({ n: count() }).from(filters).where(eq(filters.userId, filter.userId));
    if (has === undefined || has.n >= limit) return false;
    if (maxChoices !== undefined && !(await hasRoomFor(tx, filter, maxChoices))) return false;
    await insertFilter(tx, filter);
    return true;
  });
}

async function changeAllOrNone(
  db: Db,
  userId: UserId,
  ids: readonly FilterId[],
  change: (filter: Filter) => NewFilter,
): Promise<readonly Filter[] | null> {
  const wanted = [...new Set(ids)];
  if (!wanted.every(isStorable)) return null;
  return await db.transaction(async (tx) => {
    if (!(await lockPerson(tx, userId))) return null;
    const rows = await tx
      .select()
      .from(filters)
      .where(and(eq(filters.userId, userId), isOneOfTexts(filters.id, wanted)));
    const rowById = new Map(rows.map((row) => [row.id, row]));
    const changed: Filter[] = [];
    for (const id of wanted) {
      const row = rowById.get(id);
      if (row === undefined) return null;
      const known = filterOf(row);
      const next = change(known);
      changed.push({ ...known, ...next, autobuyEnd: next.isAutobuy ? null : known.autobuyEnd });
    }
    for (const filter of changed) await replaceFilter(tx, filter);
    return changed;
  });
}

async function removeAllOrNone(db: Db, userId: UserId, ids: readonly FilterId[]): Promise<number> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0 || !wanted.every(isStorable)) return 0;
  const isWanted = and(eq(filters.userId, userId), isOneOfTexts(filters.id, wanted));
  return await db.transaction(async (tx) => {
    // A concurrent removal of some of them either committed before or finds none.
    await lockPerson(tx, userId);
    const found = await tx.select({ id: filters.id }).from(filters).where(isWanted);
    if (found.length < wanted.length) return 0;
    const removed = await tx.delete(filters).where(isWanted).returning({ groupId: filters.groupId });
    const groupIds = removed.map(({ groupId }) => groupId).filter((id) => id !== null);
    if (groupIds.length > 0) await dropEmptyGroups(tx, userId);
    return found.length;
  });
}

/** Public, and owned by another person who is not suspended. */
const isPublicFor = (userId: UserId) =>
  and(
    not(filters.isPrivate),
    ne(filters.userId, userId),
    sql`exists (select 1 from ${users} where ${users.id} = ${filters.userId} and not ${users.isSuspended})`,
  );

async function searchPublic(
  db: Db,
  exceptUserId: UserId,
  { text, limit }: { text: string; limit: number },
): Promise<readonly PublicFilter[]> {
  // Folding leaves letters, digits and spaces: no LIKE wildcard remains.
  const holdsText = sql`${filters.foldedTag} like ${`%${foldText(text)}%`}`;
  const rows = await db
    .select()
    .from(filters)
    .where(and(isPublicFor(exceptUserId), holdsText))
    .orderBy(desc(filters.copies), ...newestFirst)
    .limit(limit);
  return rows.map(publicFilterOf);
}

async function takePublic(db: Db, userId: UserId, id: FilterId): Promise<PublicFilter | null> {
  if (!isStorable(id)) return null;
  const [row] = await db
    .update(filters)
    .set({ copies: sql`${filters.copies} + 1` })
    .where(and(eq(filters.id, id), isPublicFor(userId)))
    .returning();
  return row === undefined ? null : publicFilterOf(row);
}

async function* activePages(db: Db, pageSize: number): AsyncIterable<readonly Filter[]> {
  let page: readonly FilterRow[] = [];
  do {
    const last = page.at(-1);
    page = await db
      .select()
      .from(filters)
      .where(and(filters.isActive, last === undefined ? undefined : standsBehind(last)))
      .orderBy(asc(filters.userId), asc(filters.createdAtMs), asc(filters.id))
      .limit(pageSize);
    if (page.length > 0) yield page.map(filterOf);
  } while (page.length === pageSize);
}

/** Keyset pagination in the order of the index `filters_by_user`. */
function standsBehind({ userId, createdAtMs, id }: FilterRow) {
  return sql`(${filters.userId}, ${filters.createdAtMs}, ${filters.id}) > (${userId}, ${createdAtMs}, ${id})`;
}

/** Columns have the names of the criteria; these differ in form. */
function criteriaOfRow(row: FilterRow): FilterCriteria {
  return criteriaOf({
    ...row,
    includeWords: row.includeWords.map(groupOf),
    excludeWords: row.excludeWords.map(groupOf),
    seller: {
      minRating: row.sellerMinRating,
      minReviews: row.sellerMinReviews,
      countryCodes: row.sellerCountryCodes,
      ifUnknown: row.sellerIfUnknown,
    },
  });
}

function groupOf(text: string): WordGroup {
  return text.split(ALTERNATIVES);
}

function filterOf(row: FilterRow): Filter {
  const { id, userId, tag, info, isActive, isAutobuy, isPrivate, isSimulation, paymentMethodId } = row;
  const { maxPurchases, createdAtMs, activatedAtMs, autobuySinceMs, copies, groupId } = row;
  const { endReason, endedAtMs } = row;
  return {
    id,
    userId,
    tag,
    info,
    ...criteriaOfRow(row),
    isActive,
    isAutobuy,
    isPrivate,
    isSimulation,
    paymentMethodId,
    maxPurchases,
    createdAtMs,
    activatedAtMs,
    autobuySinceMs,
    alertMode: row.alertMode,
    alertMaxPerHour: row.alertMaxPerHour,
    copies,
    groupId,
    rules: { ...NO_RULES, ...row.rules },
    autobuyEnd: endReason === null ? null : { reason: endReason, atMs: endedAtMs ?? 0 },
  };
}

function publicFilterOf(row: FilterRow): PublicFilter {
  return { id: row.id, tag: row.tag, criteria: criteriaOfRow(row), copies: row.copies };
}
