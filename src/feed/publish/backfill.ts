import { type Clock, sleep } from "#domain/clock.ts";
import type { ListingId } from "#domain/ids.ts";
import { appearedAtMs, byId, type SeenEntry, type SeenListings } from "../read/seen-listings.ts";
import type { SliceDemand } from "../schedule/slice-demand.ts";
import type { ActiveFilter } from "./active-filters.ts";
import { candidatesOf, holdsAll, PAST_MATCH_AGE_MS, type PastMatches } from "./fan-out.ts";
import { FormerCriteria, readingOf } from "./former-criteria.ts";
import { buysSinceMs, isNewSince } from "./wishes.ts";

/** Listings tested between two yields to the event loop. */
const CHUNK_SIZE = 250;

export interface BackfillParts {
  readonly memory: SeenListings;
  readonly demand: SliceDemand;
  readonly clock: Clock;
  /** The listings that were published to the filter since a moment. */
  readonly published: (active: ActiveFilter, sinceMs: number) => Promise<ReadonlySet<ListingId>>;
}

/**
 * Finds the listings of the last hour that newly active or edited filters hold. Works in chunks, so that it
 * does not block reading and matching.
 */
export async function findPastMatches(
  started: readonly ActiveFilter[],
  parts: BackfillParts,
): Promise<readonly PastMatches[]> {
  const { memory, demand, clock } = parts;
  const formerCriteria = new FormerCriteria();
  const found = new Map(started.map((active) => [active, new Array<SeenEntry>()]));
  // As they are now: what changes meanwhile is news, which the started filters already receive.
  const entries = Array.from(memory.all(), (entry) => ({ entry, seen: entry.seen }));
  const publishedOf = await publishedByThose(started, parts);
  for (let start = 0; start < entries.length; start += CHUNK_SIZE) {
    const oldestMs = clock.nowMs() - PAST_MATCH_AGE_MS;
    for (const { entry, seen } of entries.slice(start, start + CHUNK_SIZE)) {
      if ((appearedAtMs(entry) ?? -Infinity) < oldestMs) continue;
      const reading = readingOf(seen);
      const candidates = candidatesOf(seen, demand, reading);
      for (const [active, own] of found) {
        const { spec, owner, course } = active;
        if (owner.blocked.has(seen.listing.seller)) continue;
        if (!holdsAll(spec, candidates)) continue;
        const { former } = course;
        // What changed later, while the filter was withheld, was not matched as it is now.
        const wasMatched =
          former !== null &&
          seen.seenAtMs <= former.untilMs &&
          formerCriteria.hold(former.spec, seen, reading);
        const isPublished = publishedOf.get(active)?.has(seen.listing.id) ?? true;
        if (!wasMatched || !isPublished) own.push(entry);
      }
    }
    await sleep(clock, 0);
  }
  return Array.from(found, ([active, own]) => latestOf(active, own));
}

/** For filters that asked other facts before: what they held may have been refused for those. */
async function publishedByThose(
  started: readonly ActiveFilter[],
  { published, clock }: BackfillParts,
): Promise<ReadonlyMap<ActiveFilter, ReadonlySet<ListingId>>> {
  const asked = started.filter(({ course }) => course.former?.askedOtherwise === true);
  const sinceMs = clock.nowMs() - PAST_MATCH_AGE_MS;
  return new Map(
    await Promise.all(asked.map(async (active) => [active, await published(active, sinceMs)] as const)),
  );
}

/**
 * The latest listings that the filter may still show: those that it may buy have priority; the rest is
 * ordered by id, because a reading of several pages sees the newest first.
 */
function latestOf(active: ActiveFilter, found: readonly SeenEntry[]): PastMatches {
  const isToBuy = (entry: SeenEntry): boolean => isNewSince(buysSinceMs(active), entry);
  const inOrder = found.toSorted(
    (one, other) => Number(isToBuy(one)) - Number(isToBuy(other)) || byId(one, other),
  );
  const { course } = active;
  const entries = course.pastMatchesLeft === 0 ? [] : inOrder.slice(-course.pastMatchesLeft);
  course.pastMatchesLeft -= entries.length;
  return { active, entries };
}
