import type { Clock } from "#domain/clock.ts";
import type { PriceRise } from "#domain/events.ts";
import type { ListingId, UserId } from "#domain/ids.ts";
import type { UserMatch } from "#domain/match.ts";
import type { ListingStore } from "#store/store.ts";
import { firstCursorOf, isAfter, isCursor } from "./cursors.ts";

/** How long a person may be disconnected without losing a match (contract §4). */
export const REPLAY_MS = 5 * 60_000;

/** Kept in memory per person; older ones are read from the store. */
const MAX_KEPT_PER_USER = 500;

/** Upper bound of one replay. */
const MAX_REPLAYED = 2_000;

interface KeptMatches {
  /** By cursor, the oldest first. */
  matches: UserMatch[];
  /** Every match after this cursor is in memory. */
  completeAfter: string;
}

type Rise = Pick<PriceRise, "totalPriceCents" | "seenAtMs">;

/** Everyone's matches of the last minutes. They are published before they are recorded, so memory has them first. */
export class UserFeeds {
  readonly #store: Pick<ListingStore, "matchesAfter">;
  readonly #clock: Clock;
  readonly #keptByUser = new Map<UserId, KeptMatches>();
  readonly #rises = new Map<ListingId, Rise>();
  #startedAt: string;

  constructor(store: Pick<ListingStore, "matchesAfter">, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#startedAt = firstCursorOf(clock.nowMs());
  }

  add(matches: readonly UserMatch[]): void {
    for (const match of matches) {
      const kept = this.#keptByUser.get(match.userId);
      if (kept === undefined) {
        this.#keptByUser.set(match.userId, { matches: [match], completeAfter: this.#startedAt });
        continue;
      }
      kept.matches.push(match);
      if (kept.matches.length > 2 * MAX_KEPT_PER_USER) trim(kept);
    }
  }

  /** A match is not sent again when its listing costs more, but every replay from now on has the new price. */
  priceRose({ listingId, ...rise }: Rise & { readonly listingId: ListingId }): void {
    const known = this.#rises.get(listingId);
    if (known === undefined || known.seenAtMs < rise.seenAtMs) this.#rises.set(listingId, rise);
  }

  /** Messages may have been lost: discards everything, so that replays read the store. */
  reset(): void {
    this.#keptByUser.clear();
    this.#startedAt = firstCursorOf(this.#clock.nowMs());
  }

  /** Drops matches that can no longer be asked for. */
  sweep(): void {
    const sinceMs = this.#clock.nowMs() - REPLAY_MS;
    for (const [id, { seenAtMs }] of this.#rises) if (seenAtMs < sinceMs) this.#rises.delete(id);
    for (const [userId, kept] of this.#keptByUser) {
      kept.matches = kept.matches.filter(({ matchedAtMs }) => matchedAtMs >= sinceMs);
      if (kept.matches.length === 0 && isAfter(firstCursorOf(sinceMs), kept.completeAfter))
        this.#keptByUser.delete(userId);
    }
  }

  /** The oldest first; an invalid cursor counts as null. */
  async replay(userId: UserId, afterCursor: string | null): Promise<readonly UserMatch[]> {
    const sinceMs = this.#clock.nowMs() - REPLAY_MS;
    const cursor = afterCursor !== null && isCursor(afterCursor) ? afterCursor : null;
    // Matches older than `REPLAY_MS` are never replayed, even for an older cursor.
    const oldest = firstCursorOf(sinceMs);
    const from = cursor !== null && isAfter(cursor, oldest) ? cursor : oldest;
    const completeAfter = this.#keptByUser.get(userId)?.completeAfter ?? this.#startedAt;
    const recorded = !isAfter(completeAfter, from)
      ? []
      : await this.#store.matchesAfter(userId, { cursor, sinceMs, limit: MAX_REPLAYED });
    // Memory is read after the store, so that matches published in between are included.
    const kept = (this.#keptByUser.get(userId)?.matches ?? []).filter(
      (match) => match.matchedAtMs >= sinceMs && (cursor === null || isAfter(match.cursor, cursor)),
    );
    const keptCursors = new Set(kept.map((match) => match.cursor));
    return [...recorded.toReversed().filter((match) => !keptCursors.has(match.cursor)), ...kept]
      .toSorted((one, other) => (isAfter(one.cursor, other.cursor) ? 1 : -1))
      .slice(-MAX_REPLAYED)
      .map((match) => this.#atPriceNow(match));
  }

  #atPriceNow(match: UserMatch): UserMatch {
    const { listing: seen } = match;
    const rise = this.#rises.get(seen.listing.id);
    if (rise === undefined || rise.seenAtMs <= seen.seenAtMs) return match;
    const listing = { ...seen.listing, totalPriceCents: rise.totalPriceCents };
    return { ...match, listing: { ...seen, listing, seenAtMs: rise.seenAtMs } };
  }
}

function trim(kept: KeptMatches): void {
  const dropped = kept.matches.length - MAX_KEPT_PER_USER;
  const lastDropped = kept.matches[dropped - 1];
  kept.matches = kept.matches.slice(dropped);
  if (lastDropped !== undefined) kept.completeAfter = lastDropped.cursor;
}
