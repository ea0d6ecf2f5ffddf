import type { FilterStore, NewFilter, SaveOutcome } from "#store/market-store.ts";

/** Saves a filter as it is, whatever is stored; autobuy whose end is reached stays off. */
export async function replaceFilter(
  filters: Pick<FilterStore, "change">,
  filter: NewFilter,
  nowMs: number,
): Promise<SaveOutcome> {
  const changed = await filters.change(filter.userId, [filter.id], () => filter, { nowMs });
  return typeof changed === "string" ? changed : "saved";
}
