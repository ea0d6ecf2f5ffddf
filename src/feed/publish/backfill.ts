import { sleep, type Clock } from "#domain/clock.ts";
import { filterHolds } from "#matching/naive-match.ts";
import type { ActiveFilter } from "./active-filters.ts";
import { buysSinceMs, candidatesOf, isNewSince, PAST_MATCH_AGE_MS, type PastMatches } from "./fan-out.ts";
import { appearedAtMs, byId, type SeenEntry, type SeenListings } from "../read/seen-listings.ts";
import type { SliceDemand } from "../schedule/slice-demand.ts";

/** Listings looked at before everything else gets its turn. */
const CHUNK_SIZE = 250;

/**
 * Looks for what filters that just began to match, or were edited, newly hold among the listings of the last hour.
 * Works in small portions: reading and matching go on meanwhile.
 */
export async function findPastMatches(
  begun: readonly ActiveFilter[],
  parts: { readonly memory: SeenListings; readonly demand: SliceDemand; readonly clock: Clock },
): Promise<readonly PastMatches[]> {
  const { memory, demand, clock } = parts;
  const found = new Map(begun.map((active) => [active, new Array<SeenEntry>()]));
  const entries = [...memory.all()];
  for (let start = 0; start < entries.length; start += CHUNK_SIZE) {
    const oldestMs = clock.nowMs() - PAST_MATCH_AGE_MS;
    for (const entry of entries.slice(start, start + CHUNK_SIZE)) {
      if ((appearedAtMs(entry) ?? -Infinity) < oldestMs) continue;
      const candidates = candidatesOf(entry.seen, demand);
      for (const [active, own] of found) {
        const { spec, formerSpec } = active;
        if (!candidates.every((candidate) => filterHolds(spec, candidate))) continue;
        const wasHeld =
          formerSpec !== null && candidates.every((candidate) => filterHolds(formerSpec, candidate));
        if (!wasHeld) own.push(entry);
      }
    }
    await sleep(clock, 0);
  }
  return Array.from(found, ([active, own]) => latestOf(active, own));
}

/**
 * The latest ones that the filter may still show. First of all what came since it buys; the rest by their ids, the
 * market's own order: of a reading of several pages the newest were seen first.
 */
function latestOf(active: ActiveFilter, found: readonly SeenEntry[]): PastMatches {
  const isToBuy = (entry: SeenEntry): boolean => isNewSince(buysSinceMs(active), entry);
  const inOrder = found.toSorted(
    (one, other) => Number(isToBuy(one)) - Number(isToBuy(other)) || byId(one, other),
  );
  const entries = active.pastMatchesLeft === 0 ? [] : inOrder.slice(-active.pastMatchesLeft);
  active.pastMatchesLeft -= entries.length;
  return { active, entries };
}
