/** Which parts of the market were read on which days, and whether they cover a filter. */
import { leafIdsWithSizeGroup } from "#catalogue/categories.ts";
import { sizeById } from "#catalogue/sizes.ts";
import { MINUTE_MS } from "#domain/clock.ts";
import { leafIdsOf, type FilterSpec } from "#matching/compile-filter.ts";
import type { CoveredLeaves, DayCoverage } from "#store/market-store.ts";
import { createDayCounter, dayOfNumber } from "../paris-days.ts";

/** Any colour, and the whole market, which proves no category. */
const ANY = 0;

/** Collects readings until they are stored. */
export class CoverageNotes {
  readonly #dayOf = createDayCounter();
  #byDay = new Map<string, Map<string, CoveredLeaves>>();
  readonly #known = new Set<string>();

  /** @returns whether this was read for the first time today */
  note(leafIds: readonly number[], colourIds: readonly number[], atMs: number): boolean {
    const day = dayOfNumber(this.#dayOf(atMs));
    const minute = Math.floor(atMs / MINUTE_MS);
    const leaves = leafIds.length === 0 ? [ANY] : leafIds;
    const colourId = colourIds[0] ?? ANY;
    const key = keyOf({ colourId, leafIds: leaves });
    this.#add(day, {
      colourId,
      leafIds: leaves,
      firstMinute: minute,
      lastMinute: minute,
      isExample: false,
    });
    const dayKey = `${day} ${key}`;
    if (this.#known.has(dayKey)) return false;
    if (this.#known.size > MAX_KNOWN) this.#known.clear();
    this.#known.add(dayKey);
    return true;
  }

  taken(): ReadonlyMap<string, readonly CoveredLeaves[]> {
    const all = new Map(Array.from(this.#byDay, ([day, ofDay]) => [day, [...ofDay.values()]]));
    this.#byDay = new Map();
    return all;
  }

  /** For what was taken and could not be stored. */
  putBack(taken: Iterable<readonly [day: string, covered: readonly CoveredLeaves[]]>): void {
    for (const [day, covered] of taken) for (const one of covered) this.#add(day, one);
  }

  #add(day: string, one: CoveredLeaves): void {
    const ofDay = this.#byDay.get(day) ?? new Map<string, CoveredLeaves>();
    this.#byDay.set(day, ofDay);
    const key = keyOf(one);
    const { firstMinute, lastMinute } = ofDay.get(key) ?? one;
    ofDay.set(key, {
      ...one,
      firstMinute: Math.min(firstMinute, one.firstMinute),
      lastMinute: Math.max(lastMinute, one.lastMinute),
    });
  }
}

function keyOf({ colourId, leafIds }: Pick<CoveredLeaves, "colourId" | "leafIds">): string {
  return `${colourId}:${leafIds.join()}`;
}

const MAX_KNOWN = 100_000;

/** Adds readings to a day's coverage; leaves that were read during the same minutes are grouped. */
export function mergeCoverage(before: DayCoverage, added: readonly CoveredLeaves[]): DayCoverage {
  const byLeaf = new Map<
    string,
    { colourId: number; leafId: number; first: number; last: number; isExample: boolean }
  >();
  for (const { colourId, leafIds, firstMinute, lastMinute, isExample } of [...before, ...added]) {
    for (const leafId of leafIds) {
      const key = `${colourId} ${leafId} ${isExample}`;
      const known = byLeaf.get(key);
      byLeaf.set(key, {
        colourId,
        leafId,
        isExample,
        first: Math.min(known?.first ?? firstMinute, firstMinute),
        last: Math.max(known?.last ?? lastMinute, lastMinute),
      });
    }
  }
  const groups = Map.groupBy(byLeaf.values(), ({ colourId, first, last, isExample }) =>
    [colourId, first, last, isExample].join(" "),
  );
  return [...groups.values()].flatMap((own) => {
    const [one] = own;
    if (one === undefined) return [];
    const { colourId, first, last, isExample } = one;
    const leafIds = own.map(({ leafId }) => leafId).toSorted((a, b) => a - b);
    return [{ colourId, leafIds, firstMinute: first, lastMinute: last, isExample }];
  });
}

/** The days on which everything was read that a filter needs. */
export interface FilterCoverage {
  /** Null: never. */
  readonly sinceMs: number | null;
  readonly dayCount: number;
  /** The last day that includes the sandbox's generated history: "2026-11-03"; null: none does. */
  readonly exampleUntil: string | null;
}

export function coverageOf(
  spec: FilterSpec | null,
  days: readonly { readonly day: string; readonly coverage: DayCoverage }[],
): FilterCoverage {
  const wanted = spec === null ? null : wantedBy(spec);
  let sinceMs: number | null = null;
  let dayCount = 0;
  let exampleUntil: string | null = null;
  for (const { day, coverage } of days) {
    const covering = wanted === null ? null : coveringParts(coverage, wanted);
    if (covering === null) continue;
    dayCount += 1;
    const isLater = exampleUntil === null || day > exampleUntil;
    if (isLater && covering.some((part) => part.isExample)) exampleUntil = day;
    const firstMs = Math.max(...covering.map(({ firstMinute }) => firstMinute)) * MINUTE_MS;
    sinceMs = sinceMs === null ? firstMs : Math.min(sinceMs, firstMs);
  }
  return { sinceMs, dayCount, exampleUntil };
}

interface Wanted {
  /** [0]: the whole market. */
  readonly leafIds: readonly number[];
  readonly colourIds: readonly number[];
}

function wantedBy(spec: FilterSpec): Wanted {
  const { marketplaceColourIds, sizeIds } = spec;
  const colourIds = marketplaceColourIds.length === 0 ? [ANY] : marketplaceColourIds;
  if (spec.categoryIds.length > 0) return { leafIds: leafIdsOf(spec), colourIds };
  // A size title is only unique within known leaves.
  const groups = new Set(sizeIds.map((id) => sizeById(id)?.sizeGroupId).filter((id) => id !== undefined));
  const leafIds = [...groups].flatMap(leafIdsWithSizeGroup);
  return { leafIds: leafIds.length === 0 ? [ANY] : leafIds, colourIds };
}

/** The parts of a day's coverage that together cover all that is wanted; null: something is missing. */
function coveringParts(
  coverage: DayCoverage,
  { leafIds, colourIds }: Wanted,
): readonly CoveredLeaves[] | null {
  const example = coverage.filter(({ isExample }) => isExample);
  if (example.length > 0) return example;
  const used = new Set<CoveredLeaves>();
  const inAnyColour = partsByLeaf(coverage, ANY);
  for (const colourId of colourIds) {
    const byLeaf = partsByLeaf(coverage, colourId);
    for (const leafId of leafIds) {
      const own = byLeaf.get(leafId);
      // The whole market in a colour proves no type: it covers a leaf that was also read in any colour.
      const both = own === undefined ? [inAnyColour.get(leafId), byLeaf.get(ANY)] : [own];
      for (const part of both) {
        if (part === undefined) return null;
        used.add(part);
      }
    }
  }
  return [...used];
}

function partsByLeaf(coverage: DayCoverage, colourId: number): ReadonlyMap<number, CoveredLeaves> {
  const parts = coverage.filter((part) => part.colourId === colourId);
  return new Map(parts.flatMap((part) => part.leafIds.map((leafId) => [leafId, part])));
}
