import {
  type AnyColumn,
  and,
  asc,
  count,
  countDistinct,
  desc,
  eq,
  inArray,
  ne,
  not,
  or,
  sql,
  type SQL,
} from "drizzle-orm";
import { choiceCount, type Filter, type FilterActivity, type PublicFilter } from "#domain/market/filter.ts";
import type { FilterId, UserId } from "#domain/ids.ts";
import { foldText } from "#catalogue/fold-text.ts";
import type { Db, Tx } from "../engines/db.ts";
import {
  endAutobuyAtLimit,
  filterOf,
  type FilterRow,
  insertFilter,
  isOwn,
  publicFilterOf,
  replaceFilter,
} from "./filter-rows.ts";
import { dropEmptyGroups, insertGroup } from "./groups.ts";
import { lockPerson } from "../purchases/buying-accounts.ts";
import { isOneOfTexts, isStorable } from "../sql/values.ts";
import { filters, matchEvents, seenListings, users } from "../schema/tables.ts";
import type {
  ChoiceBounds,
  FilterChange,
  FilterImport,
  FilterStore,
  ImportBounds,
  ImportOutcome,
  NewFilter,
  PublicSearch,
  SaveOutcome,
} from "../market-store.ts";
import type { PurchaseState } from "#domain/purchase.ts";
import { purchases } from "../schema/purchase-tables.ts";
import { isMatchOf } from "./listings.ts";

export function createFilterStore(db: Db): FilterStore {
  return {
    ofUser: (userId) => filtersWhere(db, eq(filters.userId, userId)),
    async byId(userId, id) {
      if (!isStorable(id)) return null;
      const [row] = await db.select().from(filters).where(isOwn(userId, id));
      return row === undefined ? null : filterOf(row);
    },
    add: (filter, limit, bounds, copiedId) => addWithinLimit(db, filter, { limit, bounds, copiedId }),
    importAll: (userId, wanted, bounds) => importFilters(db, userId, wanted, bounds),
    change: (userId, ids, change, at) => changeAllOrNone(db, userId, ids, { ...at, change }),
    remove: (userId, ids) => removeAllOrNone(db, userId, ids),
    async stopAutobuy(userId) {
      return await db.transaction(async (tx) => {
        await lockPerson(tx, userId);
        const stopped = await tx
          .update(filters)
          .set({ isAutobuy: false })
          .where(and(eq(filters.userId, userId), filters.isAutobuy))
          .returning({ id: filters.id });
        return stopped.map(({ id }) => id);
      });
    },
    publicOnes: (exceptUserId, search, limit) => searchPublic(db, exceptUserId, { ...search, limit }),
    publicOne: (userId, id) => publicOne(db, userId, id),
    activity: (userId, sinceMs) => filterActivity(db, userId, sinceMs),
    async countActive() {
      const [all] = await db.select({ n: count() }).from(filters).where(and(filters.isActive));
      return all?.n ?? 0;
    },
    activePages: (pageSize) => activePages(db, pageSize),
    activeOf: (userId) => filtersWhere(db, and(eq(filters.userId, userId), filters.isActive)),
  };
}

const newestFirst = [desc(filters.createdAtMs), desc(filters.id)] as const;

async function filtersWhere(db: Db, condition: SQL | undefined): Promise<readonly Filter[]> {
  const rows = await db
    .select()
    .from(filters)
    .where(condition)
    .orderBy(...newestFirst);
  return rows.map(filterOf);
}

/** The number of the person's filters and the choices of all of them. */
async function totalsOf(tx: Tx, userId: UserId) {
  const choices = sql`cardinality(${filters.categoryIds}) + cardinality(${filters.brandIds})
    + cardinality(${filters.sizeIds}) + cardinality(${filters.conditionIds})`;
  const [totals] = await tx
    .select({ count: count(), choices: sql<number>`coalesce(sum(${choices}), 0)::int` })
    .from(filters)
    .where(eq(filters.userId, userId));
  return totals ?? { count: 0, choices: 0 };
}

/** @param others choices of the person's other filters */
function exceeds(others: number, saved: readonly NewFilter[], bounds: ChoiceBounds | undefined): boolean {
  if (bounds === undefined || saved.every((filter) => choiceCount(filter) <= bounds.fewChoices)) return false;
  return others + choicesOf(saved) > bounds.choices;
}

const choicesOf = (some: readonly NewFilter[]): number =>
  some.reduce((sum, filter) => sum + choiceCount(filter), 0);

interface AddOptions {
  readonly limit: number;
  readonly bounds: ChoiceBounds | undefined;
  readonly copiedId: FilterId | undefined;
}

async function addWithinLimit(
  db: Db,
  filter: NewFilter,
  { limit, bounds, copiedId }: AddOptions,
): Promise<SaveOutcome> {
  return await db.transaction(async (tx) => {
    if (!(await lockPerson(tx, filter.userId))) return "gone";
    const before = await totalsOf(tx, filter.userId);
    if (exceeds(before.choices, [filter], bounds)) return "too_many_choices";
    if (before.count >= limit) return "too_many_filters";
    await insertFilter(tx, filter);
    if (copiedId !== undefined)
      await tx
        .update(filters)
        .set({ copies: sql`${filters.copies} + 1` })
        .where(eq(filters.id, copiedId));
    return "saved";
  });
}

/** The bounds are checked after the changes, under the lock of the person's changes. */
async function importFilters(
  db: Db,
  userId: UserId,
  wanted: FilterImport,
  bounds: ImportBounds,
): Promise<ImportOutcome> {
  return await db
    .transaction(async (tx): Promise<ImportOutcome> => {
      if (!(await lockPerson(tx, userId))) return "gone";
      for (const filter of wanted.replaced)
        if (!(await replaceFilter(tx, filter, bounds.nowMs))) throw new Undone("gone");
      for (const filter of wanted.added) await insertFilter(tx, filter);
      const excess = await excessOf(tx, userId, wanted, bounds);
      if (excess !== null) throw new Undone(excess);
      for (const group of wanted.groups) {
        const outcome = await insertGroup(tx, group, { nowMs: bounds.nowMs, limit: bounds.groups });
        if (outcome.kind !== "saved")
          throw new Undone(outcome.kind === "too_many" ? "too_many_groups" : "gone");
      }
      return "saved";
    })
    .catch((error: unknown) => {
      if (error instanceof Undone) return error.outcome;
      throw error;
    });
}

/** Rolls the transaction back. */
class Undone extends Error {
  readonly outcome: ImportOutcome;

  constructor(outcome: ImportOutcome) {
    super(`undone: ${outcome}`);
    this.outcome = outcome;
  }
}

async function excessOf(
  tx: Tx,
  userId: UserId,
  { added, replaced }: FilterImport,
  bounds: ImportBounds,
): Promise<ImportOutcome | null> {
  const has = await totalsOf(tx, userId);
  if (added.length > 0 && has.count > bounds.filters) return "too_many_filters";
  const saved = [...added, ...replaced];
  return exceeds(has.choices - choicesOf(saved), saved, bounds) ? "too_many_choices" : null;
}

async function changeAllOrNone(
  db: Db,
  userId: UserId,
  ids: readonly FilterId[],
  { change, nowMs, bounds }: FilterChange & { readonly change: (known: Filter) => NewFilter },
): Promise<readonly Filter[] | "gone" | "too_many_choices"> {
  const wanted = [...new Set(ids)];
  if (!wanted.every(isStorable)) return "gone";
  return await db.transaction(async (tx) => {
    if (!(await lockPerson(tx, userId))) return "gone";
    const known = await filtersIn(tx, userId, wanted);
    if (known.length < wanted.length) return "gone";
    const changed = known.map(change);
    if (bounds !== undefined) {
      const before = await totalsOf(tx, userId);
      if (exceeds(before.choices - choicesOf(known), changed, bounds)) return "too_many_choices";
    }
    for (const filter of changed) await replaceFilter(tx, filter, nowMs);
    if (changed.some(({ isAutobuy }) => isAutobuy)) await endAutobuyAtLimit(tx, userId, nowMs);
    return await filtersIn(tx, userId, wanted);
  });
}

/** Those of the person, in the order of the ids. */
async function filtersIn(tx: Tx, userId: UserId, ids: readonly FilterId[]): Promise<readonly Filter[]> {
  const found = await filtersWhere(tx, and(eq(filters.userId, userId), isOneOfTexts(filters.id, ids)));
  const byId = new Map(found.map((filter) => [filter.id, filter]));
  return ids.flatMap((id) => byId.get(id) ?? []);
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
  { text, brandIds = [], categoryIds = [], limit }: PublicSearch & { readonly limit: number },
): Promise<readonly PublicFilter[]> {
  // Folding leaves letters, digits and spaces: no LIKE wildcard remains.
  const holdsText = sql`${filters.foldedTag} like ${`%${foldText(text)}%`}`;
  const rows = await db
    .select()
    .from(filters)
    .where(
      and(
        isPublicFor(exceptUserId),
        or(holdsText, holdsAny(filters.brandIds, brandIds), holdsAny(filters.categoryIds, categoryIds)),
      ),
    )
    .orderBy(desc(filters.copies), ...newestFirst)
    .limit(limit);
  return rows.map(publicFilterOf);
}

const holdsAny = (column: AnyColumn, ids: readonly number[]): SQL =>
  sql`${column} && ${sql.param(ids)}::integer[]`;

async function publicOne(db: Db, userId: UserId, id: FilterId): Promise<PublicFilter | null> {
  if (!isStorable(id)) return null;
  const [row] = await db
    .select()
    .from(filters)
    .where(and(eq(filters.id, id), isPublicFor(userId)));
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

/** Upper bound of the cost of one read: a very broad filter matches more than this within hours. */
const MAX_COUNTED_MATCHES = 10_000;

/** What each filter found since a moment and bought in all, in one statement for all filters. */
async function filterActivity(
  db: Db,
  userId: UserId,
  sinceMs: number,
): Promise<{ readonly filters: readonly FilterActivity[]; readonly isPartial: boolean }> {
  const recent = recentMatches(db, userId);
  const finds = findsIn(db, recent, { userId, sinceMs });
  const bought = boughtBy(db, userId);
  const rows = await db
    .with(recent, finds, bought)
    .select({
      filterId: filters.id,
      foundCount: finds.foundCount,
      latestAtMs: sql<number | null>`(${finds.latest})[1]`.mapWith(Number),
      listingId: seenListings.id,
      document: seenListings.document,
      purchaseCount: bought.purchaseCount,
      recentCount: sql<number>`(select count(*) from ${recent})`.mapWith(Number),
    })
    .from(filters)
    .leftJoin(finds, eq(finds.filterId, filters.id))
    .leftJoin(seenListings, eq(seenListings.id, sql`(${finds.latest})[2]`))
    .leftJoin(bought, eq(bought.filterId, filters.id))
    .where(eq(filters.userId, userId))
    .orderBy(desc(filters.createdAtMs), desc(filters.id));
  return {
    filters: rows.map(({ filterId, foundCount, purchaseCount, latestAtMs, listingId, document }) => ({
      filterId,
      foundCount: foundCount ?? 0,
      latest:
        latestAtMs === null || listingId === null || document === null
          ? null
          : { listingId, title: document.listing.title, foundAtMs: latestAtMs },
      purchaseCount: purchaseCount ?? 0,
    })),
    isPartial: (rows[0]?.recentCount ?? 0) >= MAX_COUNTED_MATCHES,
  };
}

function recentMatches(db: Db, userId: UserId) {
  const { listingId, filterNos, matchedAtMs } = matchEvents;
  return db
    .$with("recent")
    .as(
      db
        .select({ listingId, filterNos, matchedAtMs })
        .from(matchEvents)
        .where(isMatchOf(userId))
        .orderBy(desc(matchEvents.cursor))
        .limit(MAX_COUNTED_MATCHES),
    );
}

/** A listing whose price fell matches once per price, but counts as one find. */
function findsIn(db: Db, recent: ReturnType<typeof recentMatches>, at: { userId: UserId; sinceMs: number }) {
  const { listingId, filterNos, matchedAtMs } = recent;
  return db.$with("finds").as(
    db
      .select({
        filterId: filters.id,
        foundCount: countDistinct(sql`case when ${matchedAtMs} >= ${at.sinceMs} then ${listingId} end`).as(
          "found_count",
        ),
        latest: sql`max(array[${matchedAtMs}, ${listingId}])`.as("latest"),
      })
      .from(recent)
      .innerJoin(filters, and(eq(filters.userId, at.userId), sql`${filters.no} = any(${filterNos})`))
      .groupBy(filters.id),
  );
}

/** Accepted by the marketplace, or possibly (quarantine); intents and attempts may still fail. */
const ACCEPTED: readonly PurchaseState[] = [
  "awaiting",
  "confirmed",
  "cancelling",
  "cancel_unknown",
  "quarantine",
];

function boughtBy(db: Db, userId: UserId) {
  return db.$with("bought").as(
    db
      .select({ filterId: purchases.filterId, purchaseCount: count().as("purchase_count") })
      .from(purchases)
      .innerJoin(filters, eq(filters.id, purchases.filterId))
      .where(
        and(
          eq(filters.userId, userId),
          eq(purchases.mode, sql`case when ${filters.isSimulation} then 'simulation' else 'live' end`),
          inArray(purchases.state, [...ACCEPTED]),
        ),
      )
      .groupBy(purchases.filterId),
  );
}
