/** Pure functions on the live list, so that every order of arrival can be tested. */
import type { ProduitDuFlux, Republication } from "#contract/produit.ts";

/** More than a person scrolls through; older listings are dropped. */
export const MAX_STREAM_ITEMS = 5_000;
/** More than a person catches up with; older held listings are dropped. */
export const MAX_HELD_ITEMS = MAX_STREAM_ITEMS / 2;
/** The shown list is trimmed in steps, so that it rarely changes under a reader. */
const ROOM_STEP = MAX_STREAM_ITEMS / 10;

export interface StreamItem extends ProduitDuFlux {
  /** The amount before the price fell; absent if it never fell. */
  readonly previousAmount?: string;
}

/** Prepends arrivals, newest first; a listing that arrives again replaces the known one. */
export function withArrivals(
  known: readonly StreamItem[],
  arrivals: readonly StreamItem[],
): readonly StreamItem[] {
  if (arrivals.length === 0) return known;
  const freshIds = new Set(arrivals.map(({ id }) => id));
  // Few arrive while thousands are known: indexing only the repeated ones avoids a map of the whole list.
  const again = new Map(known.filter(({ id }) => freshIds.has(id)).map((item) => [item.id, item]));
  const fresh = onlyFirstOfEachId(arrivals).map((item) => mergedWith(item, again.get(item.id)));
  const others = again.size === 0 ? known : known.filter(({ id }) => !freshIds.has(id));
  return [...fresh, ...others].slice(0, MAX_STREAM_ITEMS);
}

/** Adds arrivals to the held listings; beyond `MAX_HELD_ITEMS` the oldest are dropped. */
export function withHeld(
  held: readonly StreamItem[],
  arrivals: readonly StreamItem[],
): readonly StreamItem[] {
  return withArrivals(held, arrivals).slice(0, MAX_HELD_ITEMS);
}

/** Trims the shown listings, so that shown and held together take no more memory than a full list. */
export function withRoomFor(shown: readonly StreamItem[], heldCount: number): readonly StreamItem[] {
  if (shown.length + heldCount <= MAX_STREAM_ITEMS + ROOM_STEP) return shown;
  return shown.slice(0, MAX_STREAM_ITEMS - heldCount);
}

/**
 * Inserts listings from before the stream opened by id, which is the marketplace's own order. Known listings keep
 * their place and content, so that no two cards on the screen change places; they gain the filters of the earlier
 * ones.
 */
export function withEarlier(
  known: readonly StreamItem[],
  earlier: readonly StreamItem[],
): readonly StreamItem[] {
  const missing = notAmong(onlyFirstOfEachId(earlier), known).toSorted((one, other) => one.id - other.id);
  const shown = withFilters(known, earlier);
  if (missing.length === 0) return shown;
  const oldestFirst: StreamItem[] = [];
  let taken = 0;
  for (const item of shown.toReversed()) {
    for (let next = missing[taken]; next !== undefined && next.id < item.id; next = missing[taken]) {
      oldestFirst.push(next);
      taken += 1;
    }
    oldestFirst.push(item);
  }
  return [...oldestFirst, ...missing.slice(taken)].toReversed().slice(0, MAX_STREAM_ITEMS);
}

/** Adds the filters of the same listings among the others. */
function withFilters(known: readonly StreamItem[], others: readonly StreamItem[]): readonly StreamItem[] {
  const filtersById = new Map(others.map(({ id, filtres }) => [id, filtres]));
  const isComplete = ({ id, filtres }: StreamItem): boolean =>
    filtersById.get(id)?.every((filter) => filtres.includes(filter)) ?? true;
  if (known.every(isComplete)) return known;
  return known.map((item) =>
    isComplete(item) ? item : { ...item, filtres: union(item.filtres, filtersById.get(item.id) ?? []) },
  );
}

/** The listings from before the stream opened that are newer than all shown ones, newest first. */
export function inFrontOf(
  shown: readonly StreamItem[],
  earlier: readonly StreamItem[],
): readonly StreamItem[] {
  if (shown.length === 0) return [];
  const newestId = shown.reduce((newest, { id }) => Math.max(newest, id), 0);
  return earlier.filter(({ id }) => id > newestId).toSorted((one, other) => other.id - one.id);
}

/** The listings from before the stream opened that belong between shown ones. */
export function insideOf(
  shown: readonly StreamItem[],
  earlier: readonly StreamItem[],
): readonly StreamItem[] {
  const last = shown.at(-1);
  return last === undefined ? [] : notAmong(earlier, shown).filter(({ id }) => id > last.id);
}

/** The items whose id is not among the others. */
export function notAmong(items: readonly StreamItem[], others: readonly StreamItem[]): readonly StreamItem[] {
  const otherIds = new Set(others.map(({ id }) => id));
  return items.filter(({ id }) => !otherIds.has(id));
}

/**
 * Sets the price of a listing, and clears `previousAmount` and the usual price, which no longer apply. It counts as seen
 * after the known version, whose price an answer that was sent earlier may still have.
 */
export function atPrice(
  known: readonly StreamItem[],
  id: number,
  price: StreamItem["total_item_price"],
): readonly StreamItem[] {
  if (!known.some((item) => item.id === id && item.total_item_price.amount !== price.amount)) return known;
  return known.map((item) => {
    if (item.id !== id) return item;
    const { previousAmount: _fellFrom, ...rest } = item;
    return { ...rest, total_item_price: price, prix: null, vu_a: item.vu_a + 1 };
  });
}

/** What becomes known of a listing after it arrived; absent fields keep their value. */
export interface ArticleFacts {
  readonly id: number;
  /** Further filters that hold it. */
  readonly filtres?: readonly string[] | undefined;
  readonly republication?: Republication | undefined;
  readonly vendu?: boolean | undefined;
  readonly user?: Pick<StreamItem["user"], "note" | "avis" | "pays"> | undefined;
}

export function withFacts(
  known: readonly StreamItem[],
  { id, filtres = [], republication, vendu, user }: ArticleFacts,
): readonly StreamItem[] {
  const before = known.find((item) => item.id === id);
  if (before === undefined) return known;
  const saysMore =
    republication !== undefined || (vendu ?? before.vendu) !== before.vendu || user !== undefined;
  // Each further match repeats the filters that are known already.
  if (!saysMore && filtres.every((filtre) => before.filtres.includes(filtre))) return known;
  return known.map((item) =>
    item === before
      ? {
          ...item,
          filtres: union(item.filtres, filtres),
          ...(republication === undefined ? {} : { republication }),
          ...(vendu === undefined ? {} : { vendu }),
          user: { ...item.user, ...user },
        }
      : item,
  );
}

/** How many further listings each seller has, by seller id; sellers with only one are left out. */
export function othersOfSellers(items: readonly StreamItem[]): ReadonlyMap<number, number> {
  const others = new Map<number, number>();
  const seen = new Set<number>();
  for (const { user } of items) {
    if (user.id === null) continue;
    if (seen.has(user.id)) others.set(user.id, (others.get(user.id) ?? 0) + 1);
    seen.add(user.id);
  }
  return others;
}

/** The known items that now cost less. */
export function fallenAmong(
  known: readonly StreamItem[],
  items: readonly StreamItem[],
): readonly StreamItem[] {
  return againAmong(known, items, isCheaper);
}

/** The known items that now cost more. */
export function risenAmong(
  known: readonly StreamItem[],
  items: readonly StreamItem[],
): readonly StreamItem[] {
  return againAmong(known, items, (item, before) => item.vu_a > before.vu_a && isDearer(item, before));
}

function againAmong(
  known: readonly StreamItem[],
  items: readonly StreamItem[],
  differs: (item: StreamItem, before: StreamItem) => boolean,
): readonly StreamItem[] {
  const knownById = new Map(known.map((item) => [item.id, item]));
  return items.filter((item) => {
    const before = knownById.get(item.id);
    return before !== undefined && differs(item, before);
  });
}

/** Drops the listings that only the deleted filters matched. */
export function withoutFilters(
  known: readonly StreamItem[],
  goneIds: readonly string[],
): readonly StreamItem[] {
  return known.filter(({ filtres }) => filtres.length === 0 || filtres.some((id) => !goneIds.includes(id)));
}

function union(some: readonly string[], others: readonly string[]): string[] {
  return [...new Set([...some, ...others])];
}

function onlyFirstOfEachId(items: readonly StreamItem[]): readonly StreamItem[] {
  const seen = new Set<number>();
  return items.filter(({ id }) => !seen.has(id) && seen.add(id));
}

/** The new version of a known item, with the filters of both and, unless the price rose, the one before it fell. */
function mergedWith(newItem: StreamItem, before: StreamItem | undefined): StreamItem {
  if (before === undefined) return newItem;
  const filtres = union(before.filtres, newItem.filtres);
  if (newItem.vu_a < before.vu_a) return { ...before, filtres };
  const item = { ...newItem, filtres };
  if (isCheaper(item, before)) return { ...item, previousAmount: before.total_item_price.amount };
  if (before.previousAmount === undefined || isDearer(item, before)) return item;
  return { ...item, previousAmount: before.previousAmount };
}

/** An item with an earlier `vu_a` is no proof of a fall: its price is the older one. */
function isCheaper(item: StreamItem, before: StreamItem): boolean {
  if (item.vu_a < before.vu_a) return false;
  return isDearer(before, item);
}

function isDearer(one: StreamItem, other: StreamItem): boolean {
  return amountOf(one) > amountOf(other);
}

function amountOf({ total_item_price: { amount } }: StreamItem): number {
  return Number(amount);
}
