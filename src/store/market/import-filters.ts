/** Filters of a file and their groups, all or none. */
import { count, eq, sql } from "drizzle-orm";
import { choiceCount } from "#domain/market/filter.ts";
import type { UserId } from "#domain/ids.ts";
import type { Db, Tx } from "../engines/db.ts";
import { lockPerson } from "../purchases/locks.ts";
import { filters } from "../schema/tables.ts";
import type { FilterImport, ImportBounds, ImportOutcome } from "../store.ts";
import { insertFilter, replaceFilter } from "./filter-writes.ts";
import { insertGroup } from "./groups.ts";

/** The bounds are checked on what stands at the end, under the lock of the person's changes. */
export async function importFilters(
  db: Db,
  userId: UserId,
  wanted: FilterImport,
  bounds: ImportBounds,
): Promise<ImportOutcome> {
  return await db
    .transaction(async (tx): Promise<ImportOutcome> => {
      if (!(await lockPerson(tx, userId))) return "gone";
      for (const filter of wanted.replaced) if (!(await replaceFilter(tx, filter))) throw new Undone("gone");
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
  const [has] = await tx
    .select({
      n: count(),
      choices: sql<number>`coalesce(sum(cardinality(${filters.categoryIds}) + cardinality(${filters.brandIds})
        + cardinality(${filters.sizeIds}) + cardinality(${filters.conditionIds})), 0)::int`,
    })
    .from(filters)
    .where(eq(filters.userId, userId));
  if (added.length > 0 && (has?.n ?? 0) > bounds.filters) return "too_many_filters";
  // As for single filters: small ones are saved regardless of the others.
  const isLarge = [...added, ...replaced].some((filter) => choiceCount(filter) > bounds.fewChoices);
  return isLarge && (has?.choices ?? 0) > bounds.choices ? "too_many_choices" : null;
}
