/** How filters are written: their columns, a new one and another state of a known one. */
import { and, eq, sql } from "drizzle-orm";
import { foldText } from "#catalogue/fold-text.ts";
import { criteriaOf, type WordGroup } from "#domain/market/filter.ts";
import type { FilterId, UserId } from "#domain/ids.ts";
import type { Tx } from "../engines/db.ts";
import { filters } from "../schema/tables.ts";
import { storableText } from "../sql/storable-text.ts";
import type { NewFilter } from "../store.ts";

export const isOwn = (userId: UserId, id: FilterId) => and(eq(filters.userId, userId), eq(filters.id, id));

export async function insertFilter(tx: Tx, filter: NewFilter): Promise<void> {
  const { id, userId, createdAtMs } = filter;
  await tx.insert(filters).values({ id, userId, createdAtMs, ...changeableColumns(filter) });
}

/** False when it is not the person's. */
export async function replaceFilter(tx: Tx, filter: NewFilter): Promise<boolean> {
  // Autobuy that ended since the filter was read stays off: what is saved had it on from the same moment.
  const hasEnded = sql`(not ${filters.isAutobuy} and coalesce(${filters.autobuySinceMs} = ${filter.autobuySinceMs}, false))`;
  const isAutobuy = sql<boolean>`(${filter.isAutobuy}::boolean and not ${hasEnded})`;
  const changed = await tx
    .update(filters)
    .set({
      ...changeableColumns(filter),
      isAutobuy,
      endReason: sql`case when ${isAutobuy} then null else ${filters.endReason} end`,
      endedAtMs: sql`case when ${isAutobuy} then null else ${filters.endedAtMs} end`,
    })
    .where(isOwn(filter.userId, filter.id))
    .returning({ id: filters.id });
  return changed.length > 0;
}

function changeableColumns(
  filter: NewFilter,
): Required<
  Omit<
    typeof filters.$inferInsert,
    "id" | "userId" | "createdAtMs" | "copies" | "no" | "groupId" | "endReason" | "endedAtMs"
  >
> {
  const tag = storableText(filter.tag);
  // Columns have the names of the criteria; these differ in form.
  const { categoryIds, brandIds, sizeIds, conditionIds, includeWords, excludeWords, seller, ...plain } =
    criteriaOf(filter);
  return {
    ...plain,
    tag,
    foldedTag: foldText(tag),
    info: storableText(filter.info),
    categoryIds: [...categoryIds],
    brandIds: [...brandIds],
    sizeIds: [...sizeIds],
    conditionIds: [...conditionIds],
    includeWords: includeWords.map(textOfGroup),
    excludeWords: excludeWords.map(textOfGroup),
    isActive: filter.isActive,
    isAutobuy: filter.isAutobuy,
    isPrivate: filter.isPrivate,
    isSimulation: filter.isSimulation,
    paymentMethodId: filter.paymentMethodId,
    maxPurchases: filter.maxPurchases,
    sellerMinRating: seller.minRating,
    sellerMinReviews: seller.minReviews,
    sellerCountryCodes: [...seller.countryCodes],
    sellerIfUnknown: seller.ifUnknown,
    rules: filter.rules,
    autobuySinceMs: filter.autobuySinceMs,
    activatedAtMs: filter.activatedAtMs,
    alertMode: filter.alertMode,
    alertMaxPerHour: filter.alertMaxPerHour,
  };
}

/** Folded words hold no such character. */
export const ALTERNATIVES = " | ";

function textOfGroup(group: WordGroup): string {
  return storableText(group.join(ALTERNATIVES));
}
