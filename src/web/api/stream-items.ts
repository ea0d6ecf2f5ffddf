/** How the list of listings grows: pure, so that every order of arrival can be tested. */
import type { ProduitDuFlux } from "#contract/produit.ts";

/** More than anybody scrolls through; what is older leaves the memory. */
export const MAX_STREAM_ITEMS = 5_000;
/** More than anybody catches up with: of what is held, too, the oldest leaves. */
export const MAX_HELD_ITEMS = MAX_STREAM_ITEMS / 2;
/** The shown list makes room for the held one in steps, so that it changes seldom while somebody reads it. */
const ROOM_STEP = MAX_STREAM_ITEMS / 10;

/** A listing on the screen. */
export interface StreamItem extends ProduitDuFlux {
  /** The amount it had before it fell; absent while it never did. */
  readonly previousAmount?: string;
}

/** Puts what just arrived in front, newest first; a listing that comes again replaces its older self. */
export function withArrivals(
  known: readonly StreamItem[],
  arrivals: readonly StreamItem[],
): readonly StreamItem[] {
  if (arrivals.length === 0) return known;
  const freshIds = new Set(arrivals.map(({ id }) => id));
  // A few come while thousands are known: those are walked through, but nothing is built of them.
  const again = new Map(known.filter(({ id }) => freshIds.has(id)).map((item) => [item.id, item]));
  const fresh = onlyFirstOfEachId(arrivals).map((item) => withPreviousAmount(item, again.get(item.id)));
  const stay = again.size === 0 ? known : known.filter(({ id }) => !freshIds.has(id));
  return [...fresh, ...stay].slice(0, MAX_STREAM_ITEMS);
}

/** What is held once more came: the newest of it. */
export function withHeld(
  held: readonly StreamItem[],
  arrivals: readonly StreamItem[],
): readonly StreamItem[] {
  return withArrivals(held, arrivals).slice(0, MAX_HELD_ITEMS);
}

/** What is still shown while so many are held: shown and held together take no more memory than a full list. */
export function withRoomFor(shown: readonly StreamItem[], heldCount: number): readonly StreamItem[] {
  if (shown.length + heldCount <= MAX_STREAM_ITEMS + ROOM_STEP) return shown;
  return shown.slice(0, MAX_STREAM_ITEMS - heldCount);
}

/**
 * Puts what was there before the stream opened in its place among what is known: a listing's id is the marketplace's
 * own order. What is known stays as it is and keeps its order, so that nothing on the screen changes places.
 */
export function withEarlier(
  known: readonly StreamItem[],
  earlier: readonly StreamItem[],
): readonly StreamItem[] {
  const missing = notAmong(onlyFirstOfEachId(earlier), known).toSorted((one, other) => one.id - other.id);
  if (missing.length === 0) return known;
  const oldestFirst: StreamItem[] = [];
  let taken = 0;
  for (const item of known.toReversed()) {
    for (let next = missing[taken]; next !== undefined && next.id < item.id; next = missing[taken]) {
      oldestFirst.push(next);
      taken += 1;
    }
    oldestFirst.push(item);
  }
  return [...oldestFirst, ...missing.slice(taken)].toReversed().slice(0, MAX_STREAM_ITEMS);
}

/** Those of what was there before the stream opened that would stand in front of all that is shown, newest first. */
export function inFrontOf(
  shown: readonly StreamItem[],
  earlier: readonly StreamItem[],
): readonly StreamItem[] {
  if (shown.length === 0) return [];
  const newestId = shown.reduce((newest, { id }) => Math.max(newest, id), 0);
  return earlier.filter(({ id }) => id > newestId).toSorted((one, other) => other.id - one.id);
}

/** Those that the others do not hold. */
export function notAmong(items: readonly StreamItem[], others: readonly StreamItem[]): readonly StreamItem[] {
  const otherIds = new Set(others.map(({ id }) => id));
  return items.filter(({ id }) => !otherIds.has(id));
}

/** The listing at a price that a later answer said: what it cost before a fall is no news any more. */
export function atPrice(
  known: readonly StreamItem[],
  id: number,
  price: StreamItem["total_item_price"],
): readonly StreamItem[] {
  if (!known.some((item) => item.id === id && item.total_item_price.amount !== price.amount)) return known;
  return known.map((item) => {
    if (item.id !== id) return item;
    const { previousAmount: _fellFrom, ...rest } = item;
    return { ...rest, total_item_price: price };
  });
}

/** Those of what comes again that cost less than when they were last seen. */
export function fallenAmong(
  known: readonly StreamItem[],
  items: readonly StreamItem[],
): readonly StreamItem[] {
  const knownById = new Map(known.map((item) => [item.id, item]));
  return items.filter((item) => {
    const before = knownById.get(item.id);
    return before !== undefined && isCheaper(item, before);
  });
}

/** What is left once these filters are gone: a listing stays while another filter still holds it. */
export function withoutFilters(
  known: readonly StreamItem[],
  goneIds: readonly string[],
): readonly StreamItem[] {
  return known.filter(({ filtres }) => filtres.length === 0 || filtres.some((id) => !goneIds.includes(id)));
}

function onlyFirstOfEachId(items: readonly StreamItem[]): readonly StreamItem[] {
  const seen = new Set<number>();
  return items.filter(({ id }) => !seen.has(id) && seen.add(id));
}

function withPreviousAmount(item: StreamItem, before: StreamItem | undefined): StreamItem {
  if (before === undefined) return item;
  if (item.vu_a < before.vu_a)
    return { ...item, total_item_price: before.total_item_price, vu_a: before.vu_a };
  if (isCheaper(item, before)) return { ...item, previousAmount: before.total_item_price.amount };
  return before.previousAmount === undefined ? item : { ...item, previousAmount: before.previousAmount };
}

/** A version that was seen earlier proves no fall: its price is the older one. */
function isCheaper(item: StreamItem, before: StreamItem): boolean {
  if (item.vu_a < before.vu_a) return false;
  return Number(item.total_item_price.amount) < Number(before.total_item_price.amount);
}
