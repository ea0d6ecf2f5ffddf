/** Conversion between filters and rows of their table. */
import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { foldText } from "#catalogue/fold-text.ts";
import { LEAST_LEFT_CENTS, NO_RULES } from "#domain/buying-rules.ts";
import {
  criteriaOf,
  type Filter,
  type FilterCriteria,
  type PublicFilter,
  type WordGroup,
} from "#domain/market/filter.ts";
import type { FilterId, UserId } from "#domain/ids.ts";
import type { Tx } from "../engines/db.ts";
import { filters } from "../schema/tables.ts";
import { parsedRows, storableText } from "../sql/values.ts";
import { z } from "zod";
import type { NewFilter } from "../market-store.ts";

export const isOwn = (userId: UserId, id: FilterId) => and(eq(filters.userId, userId), eq(filters.id, id));

export async function insertFilter(tx: Tx, filter: NewFilter): Promise<void> {
  const { id, userId, createdAtMs } = filter;
  await tx.insert(filters).values({ id, userId, createdAtMs, ...changeableColumns(filter) });
}

/** False if it is not the person's. */
export async function replaceFilter(tx: Tx, filter: NewFilter, nowMs: number): Promise<boolean> {
  // Autobuy that ended since the filter was read stays off: the saved filter has the same start of autobuy.
  const hasEnded = sql`(not ${filters.isAutobuy} and coalesce(${filters.autobuySinceMs} = ${filter.autobuySinceMs}, false))`;
  const isAutobuy = sql<boolean>`(${filter.isAutobuy}::boolean and not ${hasEnded})`;
  const beginsToPay = sql`(${filters.isSimulation} and not ${filter.isSimulation}::boolean and ${isAutobuy})`;
  const changed = await tx
    .update(filters)
    .set({
      ...changeableColumns(filter),
      isAutobuy,
      autobuySinceMs: sql`case when ${beginsToPay} then ${nowMs}::bigint else ${filter.autobuySinceMs}::bigint end`,
      criteriaSinceMs: sql`case when ${differsFrom(criteriaColumns(filter))} then ${nowMs}::bigint else ${filters.criteriaSinceMs} end`,
      endReason: sql`case when ${isAutobuy} then null else ${filters.endReason} end`,
      endedAtMs: sql`case when ${isAutobuy} then null else ${filters.endedAtMs} end`,
    })
    .where(isOwn(filter.userId, filter.id))
    .returning({ id: filters.id });
  return changed.length > 0;
}

/**
 * Switches autobuy off where its end (as in move.sql) is already reached: a maximum or a budget was lowered,
 * or the filter was switched on again. Not audited: the answer to the change shows it to the person.
 */
export async function endAutobuyAtLimit(
  tx: Tx,
  userId: UserId,
  nowMs: number,
): Promise<readonly z.infer<typeof endedRow>[]> {
  const paid = sql`select count(*) as n, coalesce(sum(p.charged_cents), 0) as cents from purchases p
    where p.state in ('confirmed', 'cancelling', 'cancel_unknown')`;
  return await parsedRows(
    tx,
    endedRow,
    sql`
    update filters f set is_autobuy = false, end_reason = reached.reason, ended_at_ms = ${nowMs}
    from (
      select f.id, case
        when g.max_purchases <= of_group.n or g.budget_eur * 100 - of_group.cents < ${LEAST_LEFT_CENTS} then 'group'
        when f.max_purchases <= of_filter.n then 'max_purchases'
        when not f.is_simulation
          and (f.rules ->> 'totalBudgetEur')::int * 100 - of_filter.cents < ${LEAST_LEFT_CENTS} then 'total_budget'
        when (f.rules ->> 'maxFailures')::int <= (select count(*) from purchases p where p.filter_id = f.id
          and p.is_setback and p.decided_at_ms >= coalesce(f.autobuy_since_ms, 0)) then 'failures' end as reason
      from filters f left join groups g on g.id = f.group_id
      cross join lateral (${paid} and p.group_id = g.id and p.mode = 'live') of_group
      cross join lateral (${paid} and p.filter_id = f.id
        and p.mode = case when f.is_simulation then 'simulation' else 'live' end) of_filter
      where f.user_id = ${userId} and f.is_autobuy
    ) reached
    where f.id = reached.id and reached.reason is not null
    returning f.id, f.group_id, reached.reason`,
  );
}

const endedRow = z.object({ id: z.string(), group_id: z.string().nullable(), reason: z.string() });

function changeableColumns(
  filter: NewFilter,
): Required<
  Omit<
    typeof filters.$inferInsert,
    | "id"
    | "userId"
    | "createdAtMs"
    | "copies"
    | "no"
    | "groupId"
    | "endReason"
    | "endedAtMs"
    | "criteriaSinceMs"
  >
> {
  const tag = storableText(filter.tag);
  return {
    ...criteriaColumns(filter),
    priceCapEur: filter.priceCapEur,
    priceFloorEur: filter.priceFloorEur,
    tag,
    foldedTag: foldText(tag),
    info: storableText(filter.info),
    isActive: filter.isActive,
    isAutobuy: filter.isAutobuy,
    isPrivate: filter.isPrivate,
    isSimulation: filter.isSimulation,
    paymentMethodId: filter.paymentMethodId,
    maxPurchases: filter.maxPurchases,
    rules: filter.rules,
    autobuySinceMs: filter.autobuySinceMs,
    activatedAtMs: filter.activatedAtMs,
    alertMode: filter.alertMode,
    alertMaxPerHour: filter.alertMaxPerHour,
  };
}

/** The criteria besides the price, which every decision to buy compares itself. */
function criteriaColumns(filter: NewFilter) {
  // Columns have the names of the criteria, except for those below, whose form differs.
  const { categoryIds, brandIds, sizeIds, conditionIds, includeWords, excludeWords, seller, ...others } =
    criteriaOf(filter);
  const { priceCapEur: _cap, priceFloorEur: _floor, ...plain } = others;
  return {
    ...plain,
    categoryIds: [...categoryIds],
    brandIds: [...brandIds],
    sizeIds: [...sizeIds],
    conditionIds: [...conditionIds],
    includeWords: includeWords.map(textOfGroup),
    excludeWords: excludeWords.map(textOfGroup),
    sellerMinRating: seller.minRating,
    sellerMinReviews: seller.minReviews,
    sellerCountryCodes: [...seller.countryCodes],
    sellerIfUnknown: seller.ifUnknown,
  };
}

function differsFrom(values: ReturnType<typeof criteriaColumns>): SQL {
  const columns: Readonly<Record<string, PgColumn>> = getTableColumns(filters);
  const differences = Object.entries(values).map(([name, value]) => {
    const column = columns[name];
    return sql`${column} is distinct from ${sql.param(value, column)}`;
  });
  return sql`(${sql.join(differences, sql` or `)})`;
}

/** Separates the alternatives of a group; folded words cannot contain it. */
const ALTERNATIVES = " | ";

const textOfGroup = (group: WordGroup): string => storableText(group.join(ALTERNATIVES));
const groupOf = (text: string): WordGroup => text.split(ALTERNATIVES);

export type FilterRow = typeof filters.$inferSelect;

export function filterOf(row: FilterRow): Filter {
  const {
    foldedTag: _folded,
    no: _no,
    sellerMinRating: _rating,
    sellerMinReviews: _reviews,
    sellerCountryCodes: _countries,
    sellerIfUnknown: _unknown,
    criteriaSinceMs: _criteria,
    endReason,
    endedAtMs,
    ...columns
  } = row;
  return {
    ...columns,
    ...criteriaOfRow(row),
    rules: { ...NO_RULES, ...row.rules },
    autobuyEnd: endReason === null ? null : { reason: endReason, atMs: endedAtMs ?? 0 },
  };
}

export function publicFilterOf(row: FilterRow): PublicFilter {
  return { id: row.id, tag: row.tag, criteria: criteriaOfRow(row), copies: row.copies };
}

/** Columns have the names of the criteria, except for those below, whose form differs. */
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
