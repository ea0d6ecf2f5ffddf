import type { Clock } from "#domain/clock.ts";
import type { UserId } from "#domain/ids.ts";
import type { UserMatch } from "#domain/match.ts";
import type { ListingStore } from "#store/store.ts";
import { firstCursorOf, isAfter, isCursor } from "./cursors.ts";

/** How long a person may be away without losing a match (contract §4). */
export const REPLAY_MS = 5 * 60_000;

/** Kept in memory for one person; the store completes what is more. */
const MAX_KEPT_PER_USER = 500;

/** The most that one replay answers. */
const MAX_REPLAYED = 2_000;

interface KeptMatches {
  /** By cursor, the oldest first. */
  matches: UserMatch[];
  /** Every match behind this cursor is kept. */
  completeAfter: string;
}

/** Everybody's matches of the last minutes: told before they are recorded, so memory knows them first. */
export class UserFeeds {
  readonly #store: Pick<ListingStore, "matchesAfter">;
  readonly #clock: Clock;
  readonly #keptByUser = new Map<UserId, KeptMatches>();
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

  /** Something may have been missed: what is known by now is believed no more, and the store is asked. */
  beginAgain(): void {
    this.#keptByUser.clear();
    this.#startedAt = firstCursorOf(this.#clock.nowMs());
  }

  /** Forgets what nobody may ask for any more. */
  sweep(): void {
    const sinceMs = this.#clock.nowMs() - REPLAY_MS;
    for (const [userId, kept] of this.#keptByUser) {
      kept.matches = kept.matches.filter(({ matchedAtMs }) => matchedAtMs >= sinceMs);
      if (kept.matches.length === 0 && isAfter(firstCursorOf(sinceMs), kept.completeAfter))
        this.#keptByUser.delete(userId);
    }
  }

  /** The oldest first; a cursor that is none counts as null. */
  async replay(userId: UserId, afterCursor: string | null): Promise<readonly UserMatch[]> {
    const sinceMs = this.#clock.nowMs() - REPLAY_MS;
    const cursor = afterCursor !== null && isCursor(afterCursor) ? afterCursor : null;
    // Nothing is told from before that moment, however far back a browser asks.
    const oldest = firstCursorOf(sinceMs);
    const from = cursor !== null && isAfter(cursor, oldest) ? cursor : oldest;
    const completeAfter = this.#keptByUser.get(userId)?.completeAfter ?? this.#startedAt;
    const recorded = !isAfter(completeAfter, from)
      ? []
      : await this.#store.matchesAfter(userId, { cursor, sinceMs, limit: MAX_REPLAYED });
    // Memory is asked after the store, so that nothing told in between is lost.
    const kept = (this.#keptByUser.get(userId)?.matches ?? []).filter(
      (match) => match.matchedAtMs >= sinceMs && (cursor === null || isAfter(match.cursor, cursor)),
    );
    const keptCursors = new Set(kept.map((match) => match.cursor));
    return [...recorded.toReversed().filter((match) => !keptCursors.has(match.cursor)), ...kept]
      .toSorted((one, other) => (isAfter(one.cursor, other.cursor) ? 1 : -1))
      .slice(-MAX_REPLAYED);
  }
}

function trim(kept: KeptMatches): void {
  const dropped = kept.matches.length - MAX_KEPT_PER_USER;
  const lastDropped = kept.matches[dropped - 1];
  kept.matches = kept.matches.slice(dropped);
  if (lastDropped !== undefined) kept.completeAfter = lastDropped.cursor;
}
