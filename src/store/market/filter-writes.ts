/** How filters are written: their columns, a new one and another state of a known one. */
import { and, eq, sql } from "drizzle-orm";
import { foldText } from "#catalogue/fold-text.ts";
import type { WordGroup } from "#domain/market/filter.ts";
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
  return {
    tag,
    foldedTag: foldText(tag),
    info: storableText(filter.info),
    categoryIds: [...filter.categoryIds],
    brandIds: [...filter.brandIds],
    sizeIds: [...filter.sizeIds],
    conditionIds: [...filter.conditionIds],
    colourName: filter.colourName,
    priceCapEur: filter.priceCapEur,
    priceFloorEur: filter.priceFloorEur,
    bargainPercent: filter.bargainPercent,
    includeWords: filter.includeWords.map(textOfGroup),
    excludeWords: filter.excludeWords.map(textOfGroup),
    isActive: filter.isActive,
    isAutobuy: filter.isAutobuy,
    isPrivate: filter.isPrivate,
    isSimulation: filter.isSimulation,
    paymentMethodId: filter.paymentMethodId,
    maxPurchases: filter.maxPurchases,
    sellerMinRating: filter.seller.minRating,
    sellerMinReviews: filter.seller.minReviews,
    sellerCountryCodes: [...filter.seller.countryCodes],
    sellerIfUnknown: filter.seller.ifUnknown,
    ignoresRelists: filter.ignoresRelists,
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
