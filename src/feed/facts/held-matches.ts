/**
 * Matches of filters that require facts beyond the listing. They are stored before any fact is requested and
 * published once the facts allow it, by another node after a crash. Other matches are not delayed.
 */
import type { Clock } from "#domain/clock.ts";
import { BackgroundTasks, batchCalls } from "#domain/concurrency.ts";
import type { PriceRise } from "#domain/events.ts";
import type { FilterId, UserId } from "#domain/ids.ts";
import { describeError, type Log } from "#domain/log.ts";
import { type ListingBackground, type SeenListing, withRisenPrice } from "#domain/market/listing.ts";
import type { HeldMatch, UserMatch } from "#domain/market/match.ts";
import { isIgnoredRelist, type Relist } from "#domain/market/relist.ts";
import { asksForSeller, judgeSeller, type SellerFacts } from "#domain/market/seller.ts";
import type { HeldKey, HeldMatchStore, ListingStore } from "#store/market-store.ts";
import type { MatchBatch } from "../feed.ts";
import type { ActiveFilter } from "../publish/active-filters.ts";
import type { RelistBook } from "./relist-book.ts";
import type { SellerLookUps } from "./seller-look-ups.ts";

type AskingFilter = Pick<ActiveFilter, "filter" | "matchClass">;

export interface HeldMatchesParts {
  readonly store: HeldMatchStore;
  readonly listings: Pick<ListingStore, "byIds">;
  readonly relists: Pick<RelistBook, "of">;
  readonly lookUps: Pick<SellerLookUps, "ask">;
  readonly filters: {
    readonly ofPerson: (userId: UserId) => ReadonlyMap<FilterId, AskingFilter> | undefined;
    /** Whether it is unknown which filters of the person are active: their matches are neither dropped nor released. */
    readonly isWithheld: (userId: UserId) => boolean;
  };
  /** Whether the filter holds the listing now, and its person may be shown it. */
  readonly holds: (held: HeldMatch) => boolean;
  /** The matches and wishes of filters whose facts allow a listing, without those that no longer hold it. */
  readonly batchOf: (seen: SeenListing, allowed: readonly HeldMatch[]) => MatchBatch;
  readonly publish: (batch: MatchBatch) => Promise<readonly UserMatch[]>;
  /** Never rejects. */
  readonly record: (matches: readonly UserMatch[]) => Promise<void>;
  /** Other nodes share the store. */
  readonly isShared: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** A match whose facts are being established on this node. */
interface Waiting {
  /** Its listing has the latest known price. */
  held: HeldMatch;
}

interface Allowed {
  readonly waiting: Waiting;
  readonly background: ListingBackground;
}

/** Lease of a stored row: another node takes it over once it was not renewed for this long. */
const HELD_LEASE_MS = 10_000;
const TICK_MS = 1_000;
/** Matches in memory; further rows stay in the store until there is room. */
const MAX_WAITING = 20_000;
const TAKEN_AT_ONCE = 1_000;
const MAX_RELEASED_AT_ONCE = 500;

export class HeldMatches {
  readonly #parts: HeldMatchesParts;
  readonly #waiting = new Map<string, Waiting>();
  /** Those whose person is withheld: settled again with a later tick. */
  readonly #delayed = new Set<Waiting>();
  /** Rows still to be deleted: their matches were published or dropped. */
  readonly #unended = new Map<string, HeldKey>();
  /** Deletions and writes in flight: they must not race on the same row. */
  readonly #ending = new Map<string, Promise<void>>();
  readonly #writing = new Set<ReadonlySet<string>>();
  readonly #background = new BackgroundTasks((error, task) => {
    this.#parts.log.warn({ task, ...describeError(error) }, "held matches could not be updated");
  });
  readonly #release = batchCalls(async (allowed: readonly Allowed[]) => {
    await this.#releaseAll(allowed);
    return () => undefined;
  }, MAX_RELEASED_AT_ONCE);
  #cancelTick: (() => void) | null = null;
  #hasMore = false;
  #isStopped = false;

  constructor(parts: HeldMatchesParts) {
    this.#parts = parts;
  }

  /** Resumes the matches of an earlier process. */
  async start(): Promise<void> {
    // Without other nodes no other process can own a row, so leases are ignored.
    await this.#takeDue(this.#parts.isShared ? this.#parts.clock.nowMs() : Number.MAX_SAFE_INTEGER);
    this.#tickLater();
  }

  /** Makes matches durable, then establishes their facts. Rejects if they cannot be stored. */
  async hold(held: readonly HeldMatch[]): Promise<void> {
    const { store, clock } = this.#parts;
    const keys = new Set(held.map(keyOf));
    // Before the wait, so that no further deletion begins during it.
    this.#writing.add(keys);
    try {
      await Promise.allSettled([...keys].flatMap((key) => this.#ending.get(key) ?? []));
      await store.hold(held, clock.nowMs() + HELD_LEASE_MS);
    } finally {
      this.#writing.delete(keys);
    }
    for (const key of keys) this.#unended.delete(key);
    const room = MAX_WAITING - this.#waiting.size;
    if (held.length > room) this.#hasMore = true;
    for (const match of held.slice(0, Math.max(0, room))) this.#begin(match);
    this.#tickLater();
  }

  /** No seller is requested for a listing that its filter no longer holds at the new price. */
  priceRose({ listingId, totalPriceCents, seenAtMs, standing = null }: Omit<PriceRise, "kind">): void {
    for (const waiting of this.#waiting.values()) {
      const { held } = waiting;
      const { listing: seen } = held;
      const isRisen = seen.listing.id === listingId && seen.listing.totalPriceCents < totalPriceCents;
      if (!isRisen || seenAtMs < seen.seenAtMs) continue;
      // Not seen later than before: the store's version, which is complete, still counts as the later one.
      const risen = withRisenPrice(seen, { totalPriceCents, seenAtMs: seen.seenAtMs, standing });
      waiting.held = { ...held, listing: risen };
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTick?.();
    this.#waiting.clear();
    await this.#background.settled();
  }

  #begin(held: HeldMatch): void {
    const waiting = { held };
    this.#waiting.set(keyOf(held), waiting);
    void this.#settle(waiting).catch((error: unknown) => {
      this.#parts.log.error(describeError(error), "a held match could not be settled");
    });
  }

  async #settle(waiting: Waiting): Promise<void> {
    const { held } = waiting;
    if (this.#activeOf(held) === undefined) return this.#drop(waiting);
    // Relists are recorded and shown even if this filter does not ignore them.
    const relist = await this.#parts.relists.of(held.listing);
    const asking = this.#activeOf(held);
    if (asking === undefined || isLeftOut(asking, relist, held.listing)) return this.#drop(waiting);
    const seller = asksForSeller(asking.filter.seller) ? await this.#sellerFor(waiting, asking) : null;
    // The filter may have been edited meanwhile.
    const present = this.#activeOf(held);
    if (present === undefined || isLeftOut(present, relist, held.listing)) return this.#drop(waiting);
    const { filter } = present;
    const verdict = judgeSeller(filter.seller, seller);
    if (verdict === "refuses" || (verdict === "unknown" && filter.seller.ifUnknown === "hold"))
      return this.#drop(waiting);
    if (this.#isStopped || this.#waiting.get(keyOf(held)) !== waiting) return undefined;
    return await this.#release({ waiting, background: { seller, relist } });
  }

  async #sellerFor(waiting: Waiting, active: AskingFilter): Promise<SellerFacts | null> {
    const { held } = waiting;
    return await this.#parts.lookUps.ask(held.listing.listing.seller.id, {
      rank: active.matchClass,
      firstSeenAtMs: held.listing.firstSeenAtMs,
      untilMs: held.untilMs,
      mayEndEarly: active.filter.seller.ifUnknown === "pass",
      // If the match was held again, a newer entry waits for the same facts.
      isWanted: () => this.#waiting.get(keyOf(held)) === waiting && this.#parts.holds(waiting.held),
    });
  }

  #activeOf({ userId, filterId }: HeldMatch): AskingFilter | undefined {
    return this.#parts.filters.ofPerson(userId)?.get(filterId);
  }

  #drop(waiting: Waiting): void {
    if (this.#parts.filters.isWithheld(waiting.held.userId)) return this.#delay(waiting);
    if (!this.#leave(waiting)) return;
    this.#background.start("drop", () => this.#end([heldKey(waiting.held)]));
  }

  #delay(waiting: Waiting): void {
    const key = keyOf(waiting.held);
    // Not if the match was held again meanwhile.
    if (this.#isStopped || (this.#waiting.get(key) ?? waiting) !== waiting) return;
    this.#waiting.set(key, waiting);
    this.#delayed.add(waiting);
    this.#tickLater();
  }

  #settleDelayed(): void {
    for (const waiting of this.#delayed) {
      if (this.#parts.filters.isWithheld(waiting.held.userId)) continue;
      this.#delayed.delete(waiting);
      if (this.#waiting.get(keyOf(waiting.held)) === waiting) this.#begin(waiting.held);
    }
  }

  /** False: the match was held again meanwhile, or this node is stopping. */
  #leave(waiting: Waiting): boolean {
    const key = keyOf(waiting.held);
    if (this.#isStopped || this.#waiting.get(key) !== waiting) return false;
    this.#waiting.delete(key);
    return true;
  }

  /** Publishes, then records, then deletes the held rows. */
  async #releaseAll(allowed: readonly Allowed[]): Promise<void> {
    const { publish, record, filters } = this.#parts;
    const leaving = allowed.filter(({ waiting }) => this.#leave(waiting));
    if (leaving.length === 0) return;
    const latest = await this.#latestOf(leaving);
    const { delayed = [], current = [] } = Object.groupBy(leaving, ({ waiting }) =>
      filters.isWithheld(waiting.held.userId) ? "delayed" : "current",
    );
    for (const { waiting } of delayed) this.#delay(waiting);
    if (current.length === 0) return;
    const wanted = current.filter((one) => this.#isStillWanted(one, latest));
    const byListing = Map.groupBy(wanted, ({ waiting }) => waiting.held.listing.listing.id);
    const batches = Array.from(byListing, ([id, own]) => {
      const seen = latest.get(id);
      return seen === undefined
        ? null
        : this.#parts.batchOf(
            seen,
            own.map(({ waiting }) => waiting.held),
          );
    }).filter((batch) => batch !== null);
    const published = await publish({
      wishes: batches.flatMap(({ wishes }) => wishes),
      matches: batches.flatMap(({ matches }) => matches),
    });
    this.#background.start("record", async () => {
      await record(published);
      await this.#end(current.map(({ waiting }) => heldKey(waiting.held)));
    });
  }

  /** False: the price rose meanwhile, so that the relist is no longer cheaper than the earlier listings. */
  #isStillWanted(
    { waiting: { held }, background }: Allowed,
    latest: ReadonlyMap<number, SeenListing>,
  ): boolean {
    const present = this.#activeOf(held);
    const seen = latest.get(held.listing.listing.id);
    return present === undefined || seen === undefined || !isLeftOut(present, background.relist, seen);
  }

  /** The latest known versions of the listings, with the facts that were established. */
  async #latestOf(allowed: readonly Allowed[]): Promise<ReadonlyMap<number, SeenListing>> {
    const latest = new Map(allowed.map(({ waiting: { held } }) => [held.listing.listing.id, held.listing]));
    try {
      for (const seen of await this.#parts.listings.byIds([...latest.keys()])) {
        const held = latest.get(seen.listing.id);
        if (held !== undefined && isLater(seen, held)) latest.set(seen.listing.id, seen);
      }
    } catch (error) {
      this.#parts.log.warn(describeError(error), "held matches are published as they were first seen");
    }
    for (const { waiting, background } of allowed) {
      const { id } = waiting.held.listing.listing;
      const seen = latest.get(id);
      if (seen !== undefined) latest.set(id, { ...seen, background: combined(seen.background, background) });
    }
    return latest;
  }

  /** Deletes rows; retried with each tick until it succeeds. */
  async #end(keys: readonly HeldKey[]): Promise<void> {
    for (const key of keys) this.#unended.set(storedKey(key), key);
    this.#tickLater();
    // No second deletion while one is in flight: it could delete a row that was written after the first.
    const current = keys.filter((key) => {
      const stored = storedKey(key);
      return !this.#ending.has(stored) && !this.#isHeldAgain(stored);
    });
    if (current.length === 0) return;
    const ending = this.#parts.store.end(current);
    for (const key of current) this.#ending.set(storedKey(key), ending);
    try {
      await ending;
      for (const key of current) this.#unended.delete(storedKey(key));
    } finally {
      for (const key of current) this.#ending.delete(storedKey(key));
    }
  }

  #isHeldAgain(key: string): boolean {
    return this.#waiting.has(key) || this.#writing.values().some((keys) => keys.has(key));
  }

  async #takeDue(nowMs: number): Promise<void> {
    const { store, clock } = this.#parts;
    const limit = Math.min(TAKEN_AT_ONCE, MAX_WAITING - this.#waiting.size);
    if (limit <= 0 || this.#isStopped) return;
    const due = await store.takeDue({ nowMs, dueAtMs: clock.nowMs() + HELD_LEASE_MS, limit });
    this.#hasMore = due.length === limit;
    for (const held of due)
      if (!this.#waiting.has(keyOf(held)) && !this.#unended.has(keyOf(held))) this.#begin(held);
  }

  async #tick(): Promise<void> {
    const { store, clock, isShared } = this.#parts;
    const nowMs = clock.nowMs();
    this.#settleDelayed();
    const old = [...this.#waiting.values()].filter(({ held }) => held.heldAtMs < nowMs - HELD_LEASE_MS / 4);
    await store.renew(
      old.map(({ held }) => heldKey(held)),
      nowMs + HELD_LEASE_MS,
    );
    if (this.#unended.size > 0) await this.#end([...this.#unended.values()]);
    if (isShared || this.#hasMore) await this.#takeDue(nowMs);
  }

  /** A single process ticks only while it has work; one of several also takes over rows of others. */
  #tickLater(): void {
    const isBusy = this.#waiting.size > 0 || this.#unended.size > 0 || this.#hasMore;
    const isIdle = !this.#parts.isShared && !isBusy;
    if (this.#cancelTick !== null || isIdle || this.#isStopped) return;
    this.#cancelTick = this.#parts.clock.schedule(TICK_MS, () => {
      this.#background.start("tick", async () => {
        try {
          await this.#tick();
        } finally {
          this.#cancelTick = null;
          this.#tickLater();
        }
      });
    });
  }
}

function isLeftOut({ filter }: AskingFilter, relist: Relist | null, { listing }: SeenListing): boolean {
  return filter.ignoresRelists && isIgnoredRelist(relist, listing.totalPriceCents);
}

function heldKey({ listing, filterId }: HeldMatch): HeldKey {
  return { listingId: listing.listing.id, filterId };
}

function keyOf(held: HeldMatch): string {
  return storedKey(heldKey(held));
}

function storedKey({ listingId, filterId }: HeldKey): string {
  return `${listingId} ${filterId}`;
}

function combined(one: ListingBackground | undefined, other: ListingBackground): ListingBackground {
  const relist: Relist | null = other.relist ?? one?.relist ?? null;
  return { relist, seller: other.seller ?? one?.seller ?? null };
}

/** Of one moment the dearer: a rise may be known before it is stored. */
function isLater(seen: SeenListing, held: SeenListing): boolean {
  if (seen.seenAtMs !== held.seenAtMs) return seen.seenAtMs > held.seenAtMs;
  return seen.listing.totalPriceCents >= held.listing.totalPriceCents;
}
