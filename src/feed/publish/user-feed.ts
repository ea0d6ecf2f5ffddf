import type { Clock } from "#domain/clock.ts";
import type { PriceRise, ProductEvent } from "#domain/events.ts";
import type { ListingId, UserId } from "#domain/ids.ts";
import { type ListingBackground, type SeenListing, withRisenPrice } from "#domain/market/listing.ts";
import type { UserMatch } from "#domain/market/match.ts";
import type { ListingStore, RelistStore } from "#store/market-store.ts";
import type { KnownBackground } from "../feed.ts";
import { withBackgrounds } from "../facts/backgrounds.ts";
import { firstCursorOf, isAfter, isCursor } from "./cursors.ts";

/** How long a person may be disconnected without losing a match (contract §4). */
export const REPLAY_MS = 5 * 60_000;

/** Kept in memory per person; older ones are read from the store. */
const MAX_KEPT_PER_USER = 500;

/** Upper bound of one replay: half of what a stream holds, which leaves room for the matches that come meanwhile. */
const MAX_REPLAYED = 10_000;

interface KeptMatches {
  /** Ascending by cursor. */
  matches: UserMatch[];
  /** Every match after this cursor is in memory. */
  completeAfter: string;
}

interface UserFeedStore {
  readonly listings: Pick<ListingStore, "matchesAfter">;
  readonly relists: Pick<RelistStore, "backgrounds">;
}

interface Listed {
  readonly sellerId: number;
  readonly atMs: number;
  background: ListingBackground | undefined;
}

type Rise = Pick<PriceRise, "totalPriceCents" | "seenAtMs" | "standing">;

/** Each person's latest matches. They are published before they are recorded: memory has them first. */
export class UserFeeds {
  readonly #store: UserFeedStore;
  readonly #clock: Clock;
  /** Listings published in the last minutes, with their facts. */
  readonly #listed = new Map<ListingId, Listed>();
  readonly #keptByUser = new Map<UserId, KeptMatches>();
  readonly #rises = new Map<ListingId, Rise>();
  #startedAt: string;

  constructor(store: UserFeedStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#startedAt = firstCursorOf(clock.nowMs());
  }

  add(matches: readonly UserMatch[]): void {
    // The matches of one listing are adjacent and share its object.
    let last: SeenListing | null = null;
    for (const match of matches) {
      if (match.listing !== last) this.#list(match);
      last = match.listing;
      const kept = this.#keptByUser.get(match.userId);
      if (kept === undefined) {
        this.#keptByUser.set(match.userId, { matches: [match], completeAfter: this.#startedAt });
        continue;
      }
      kept.matches.push(match);
      if (kept.matches.length > 2 * MAX_KEPT_PER_USER) trim(kept);
    }
  }

  /** A price rise does not send the match again, but later replays show the new price. */
  priceRose({ listingId, ...rise }: Rise & { readonly listingId: ListingId }): void {
    const known = this.#rises.get(listingId);
    if (known === undefined || known.seenAtMs < rise.seenAtMs) this.#rises.set(listingId, rise);
  }

  /** Takes a fact that catalogue pages lack, if the event is one. @returns the listings that it concerns */
  learn(event: ProductEvent): readonly KnownBackground[] {
    if (event.kind === "seller_known")
      return [...this.#listed]
        .filter(([, { sellerId }]) => sellerId === event.sellerId)
        .map(([listingId, listed]) => ({ listingId, background: learned(listed, { seller: event.seller }) }));
    if (event.kind === "relist_known") {
      const { listingId, relist } = event;
      const listed = this.#listed.get(listingId);
      return listed === undefined ? [] : [{ listingId, background: learned(listed, { relist }) }];
    }
    if (event.kind !== "availability_known") return [];
    // Pages may show it although it was published too long ago to be replayed.
    const { listingId, isGone } = event;
    return [{ listingId, background: learned(this.#listed.get(listingId) ?? {}, { isGone }) }];
  }

  #list({ listing: { listing, background }, matchedAtMs }: UserMatch): void {
    const before = this.#listed.get(listing.id);
    const known = {
      relist: background?.relist ?? before?.background?.relist ?? null,
      seller: background?.seller ?? before?.background?.seller ?? null,
    };
    const isKnown = known.relist !== null || known.seller !== null;
    this.#listed.set(listing.id, {
      sellerId: listing.seller.id,
      atMs: matchedAtMs,
      background: isKnown ? known : undefined,
    });
  }

  /** Messages may have been lost: discards everything, so that replays read the store. */
  reset(): void {
    this.#keptByUser.clear();
    this.#startedAt = firstCursorOf(this.#clock.nowMs());
  }

  /** Drops state that is too old to be replayed. */
  sweep(): void {
    const sinceMs = this.#clock.nowMs() - REPLAY_MS;
    for (const [id, { atMs }] of this.#listed) if (atMs < sinceMs) this.#listed.delete(id);
    for (const [id, { seenAtMs }] of this.#rises) if (seenAtMs < sinceMs) this.#rises.delete(id);
    for (const [userId, kept] of this.#keptByUser) {
      kept.matches = kept.matches.filter(({ matchedAtMs }) => matchedAtMs >= sinceMs);
      if (kept.matches.length === 0 && isAfter(firstCursorOf(sinceMs), kept.completeAfter))
        this.#keptByUser.delete(userId);
    }
  }

  /** Oldest first; an invalid cursor counts as null. */
  async replay(userId: UserId, afterCursor: string | null): Promise<readonly UserMatch[]> {
    const sinceMs = this.#clock.nowMs() - REPLAY_MS;
    const cursor = afterCursor !== null && isCursor(afterCursor) ? afterCursor : null;
    // Matches older than `REPLAY_MS` are never replayed, even for an older cursor.
    const oldest = firstCursorOf(sinceMs);
    const from = cursor !== null && isAfter(cursor, oldest) ? cursor : oldest;
    const completeAfter = this.#keptByUser.get(userId)?.completeAfter ?? this.#startedAt;
    const recorded = !isAfter(completeAfter, from)
      ? []
      : await this.#recorded(userId, { cursor, sinceMs, limit: MAX_REPLAYED });
    // Memory is read after the store, so that matches published in between are included.
    const kept = (this.#keptByUser.get(userId)?.matches ?? []).filter(
      (match) => match.matchedAtMs >= sinceMs && (cursor === null || isAfter(match.cursor, cursor)),
    );
    const keptCursors = new Set(kept.map((match) => match.cursor));
    return [...recorded.toReversed().filter((match) => !keptCursors.has(match.cursor)), ...kept]
      .toSorted((one, other) => (isAfter(one.cursor, other.cursor) ? 1 : -1))
      .slice(-MAX_REPLAYED)
      .map((match) => this.#withBackground(this.#atPriceNow(match)));
  }

  async #recorded(
    userId: UserId,
    after: Parameters<ListingStore["matchesAfter"]>[1],
  ): Promise<readonly UserMatch[]> {
    const matches = await this.#store.listings.matchesAfter(userId, after);
    return await withBackgrounds(matches, this.#store.relists, this.#clock.nowMs());
  }

  #withBackground(match: UserMatch): UserMatch {
    const background = this.#listed.get(match.listing.listing.id)?.background;
    return background === undefined ? match : { ...match, listing: { ...match.listing, background } };
  }

  #atPriceNow(match: UserMatch): UserMatch {
    const { listing: seen } = match;
    const rise = this.#rises.get(seen.listing.id);
    if (rise === undefined || rise.seenAtMs <= seen.seenAtMs) return match;
    return { ...match, listing: withRisenPrice(seen, rise) };
  }
}

function learned(listed: Partial<Listed>, fact: Partial<ListingBackground>): ListingBackground {
  const background = { relist: null, seller: null, ...listed.background, ...fact };
  listed.background = background;
  return background;
}

function trim(kept: KeptMatches): void {
  const dropped = kept.matches.length - MAX_KEPT_PER_USER;
  const lastDropped = kept.matches[dropped - 1];
  kept.matches = kept.matches.slice(dropped);
  if (lastDropped !== undefined) kept.completeAfter = lastDropped.cursor;
}
