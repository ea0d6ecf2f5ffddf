import type { BlockedSeller } from "#domain/market/blocked-sellers.ts";
import { asksForFacts, type Filter } from "#domain/market/filter.ts";
import type { FilterId, ListingId, UserId } from "#domain/ids.ts";
import type { Seller, SeenListing } from "#domain/market/listing.ts";
import type { HeldMatch, UserMatch } from "#domain/market/match.ts";
import { asksForSeller } from "#domain/market/seller.ts";
import { DAY_MS } from "#domain/clock.ts";
import type { ExchangeRequest } from "#marketplace/exchange.ts";
import { type HeldKey, MAX_SELLER_REQUESTS } from "#store/market-store.ts";
import type { Machine } from "./machine.ts";
import type { NodeStore } from "./node.ts";
import type { Trace } from "./trace.ts";
import type { Violations } from "./violations.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** Checks held matches and every request for a seller's profile (I23), and what is published of blocked sellers (I21). */
export interface SellerWatch {
  /** Wraps the store of one process. */
  watched(store: NodeStore, machine: Machine): NodeStore;
  /** The process does not learn which matches its latest call of `takeDue` gave it. */
  missesTaken(machine: Machine): void;
  left(machine: Machine, request: ExchangeRequest): void;
  /** The process received an answer or timed out. */
  answered(request: ExchangeRequest): void;
  published(machine: Machine, matches: readonly UserMatch[]): void;
  /** The process learns that the person blocked or unblocked sellers. */
  learnsOfBlocks(machine: Machine, userId: UserId): void;
  /** Called at the end of a run. */
  judgeEnd(): void;
}

interface SellerWatchParts {
  readonly trace: Trace;
  readonly violations: Violations;
  /** World time, without the skew of machines. */
  readonly time: Pick<VirtualTime, "nowMs">;
}

/** A match held by a process until its facts are known. */
interface WaitingRow {
  readonly held: HeldMatch;
  /** The process that held it before died. */
  readonly isResumed: boolean;
}

interface Question {
  readonly machine: Machine;
  readonly sellerId: number;
  readonly leftAtMs: number;
}

const SELLER_PATH = /^\/api\/v2\/users\/(\d+)$/;
/** The maximum difference between two machines' clocks, by which a day may be shorter for one of them. */
const MOST_SKEW_MS = 600_000;
const SURE_DAY_MS = DAY_MS - MOST_SKEW_MS;
/** A process without an answer for this long has timed out. */
const GIVEN_UP_MS = 5_000;
const NEWLY_READ_MS = 5_000;
/** Allows for the last steps of a match after its deadline. */
const LATEST_END_MS = 60_000;
/** A process reads a block list again in less, even if it must first wait for a reading that is under way. */
const BLOCK_LIST_READ_MS = 2_000;

export function createSellerWatch(parts: SellerWatchParts): SellerWatch {
  return new SellerJudge(parts);
}

class SellerJudge implements SellerWatch {
  readonly #parts: SellerWatchParts;
  readonly #filters: FilterVersions;
  /** The process that wrote each row of the store. */
  readonly #holders = new Map<string, Machine>();
  readonly #waiting = new Map<Machine, Map<string, WaitingRow>>();
  /** The keys that the latest `takeDue` of each process added to its `#waiting`. */
  readonly #taken = new Map<Machine, readonly string[]>();
  readonly #questions = new Map<ExchangeRequest, Question>();
  readonly #askedAtMs = new Map<number, readonly number[]>();
  readonly #knownAtMs = new Map<number, number>();
  readonly #heldAtMs = new Map<string, number>();
  readonly #shown = new Set<string>();
  /** The list of each person as it is in the store. */
  readonly #blocked = new Map<UserId, readonly BlockedSeller[]>();
  /** When each process learned of each block. */
  readonly #learnedAtMs = new Map<string, number>();

  constructor(parts: SellerWatchParts) {
    this.#parts = parts;
    this.#filters = createFilterVersions(parts.time);
  }

  watched(store: NodeStore, machine: Machine): NodeStore {
    const { held: rows, sellerFacts, sellers } = store;
    // A process reads all lists when it starts.
    for (const userId of this.#blocked.keys()) this.learnsOfBlocks(machine, userId);
    return {
      ...store,
      filters: this.#filters.noted(store.filters),
      sellers: {
        ...sellers,
        block: async (userId, names, at) => {
          const list = await sellers.block(userId, names, at);
          if (list !== null) this.#blocked.set(userId, list);
          return list;
        },
        unblock: async (userId, login) => {
          const list = await sellers.unblock(userId, login);
          this.#blocked.set(userId, list);
          return list;
        },
      },
      held: {
        ...rows,
        hold: async (held, dueAtMs) => {
          await rows.hold(held, dueAtMs);
          for (const match of held) this.#noteHeld(machine, match);
        },
        takeDue: async (at) => {
          const taken = await rows.takeDue(at);
          const own = this.#waitingOn(machine);
          this.#taken.set(
            machine,
            taken.map(keyOf).filter((key) => !own.has(key)),
          );
          for (const held of taken) this.#noteTaken(machine, held);
          return taken;
        },
        end: async (keys) => {
          await rows.end(keys);
          for (const key of keys) this.#noteEnd(machine, storedKey(key));
        },
      },
      sellerFacts: {
        ...sellerFacts,
        save: async (sellerId, facts, nowMs) => {
          await sellerFacts.save(sellerId, facts, nowMs);
          this.#knownAtMs.set(sellerId, this.#parts.time.nowMs());
        },
      },
    };
  }

  missesTaken(machine: Machine): void {
    for (const key of this.#taken.get(machine) ?? []) this.#waitingOn(machine).delete(key);
  }

  left(machine: Machine, request: ExchangeRequest): void {
    const path = SELLER_PATH.exec(request.path);
    if (path === null) return;
    const sellerId = Number(path[1]);
    this.#judgeQuestion(machine, sellerId);
    this.#questions.set(request, { machine, sellerId, leftAtMs: this.#parts.time.nowMs() });
  }

  answered(request: ExchangeRequest): void {
    this.#questions.delete(request);
  }

  published(machine: Machine, matches: readonly UserMatch[]): void {
    for (const match of matches) {
      this.#judgePlain(machine, match);
      this.#judgeBlocked(machine, match);
    }
  }

  learnsOfBlocks(machine: Machine, userId: UserId): void {
    for (const entry of this.#blocked.get(userId) ?? []) {
      const key = blockKey(machine, userId, entry);
      if (!this.#learnedAtMs.has(key)) this.#learnedAtMs.set(key, this.#parts.time.nowMs());
    }
  }

  judgeEnd(): void {
    const latestMs = this.#parts.time.nowMs() - LATEST_END_MS;
    for (const [machine, own] of this.#waiting)
      for (const [key, { held }] of own)
        if (!machine.isDead && held.untilMs < latestMs)
          this.#report(`the match ${key} waits on ${machine.name} beyond its deadline`);
  }

  #noteHeld(machine: Machine, held: HeldMatch): void {
    const { listing, filterId } = held;
    this.#holders.set(keyOf(held), machine);
    this.#waitingOn(machine).set(keyOf(held), { held, isResumed: false });
    const news = newsKey(machine, listing);
    if (!this.#heldAtMs.has(news)) this.#heldAtMs.set(news, this.#parts.time.nowMs());
    if (!this.#filters.of(filterId).some((filter) => asksForFacts(filter) && isHolding(filter, listing)))
      this.#report(
        `${listing.listing.id} is held for ${filterId}, which does not hold it or asks for nothing`,
      );
  }

  #noteTaken(machine: Machine, held: HeldMatch): void {
    const holder = this.#holders.get(keyOf(held));
    const isResumed = holder !== machine && holder?.isDead === true;
    this.#waitingOn(machine).set(keyOf(held), { held, isResumed });
  }

  #noteEnd(machine: Machine, key: string): void {
    const row = this.#waitingOn(machine).get(key);
    this.#waitingOn(machine).delete(key);
    if (row === undefined) return;
    const { held, isResumed } = row;
    const { trace } = this.#parts;
    if (isResumed) trace.count("held match resumed after a crash");
    const isLate = machine.clock.nowMs() >= held.untilMs;
    if (isLate && this.#asksForSeller(held) && !this.#knownAtMs.has(held.listing.listing.seller.id))
      trace.count("seller unknown at the deadline");
  }

  #judgeQuestion(machine: Machine, sellerId: number): void {
    const nowMs = this.#parts.time.nowMs();
    const which = `${machine.name} asks about seller ${sellerId}`;
    const isWaitedFor = this.#waitingOn(machine)
      .values()
      .some(({ held }) => held.listing.listing.seller.id === sellerId && this.#asksForSeller(held));
    if (!isWaitedFor) this.#report(`${which}, for whom no match waits`);
    const knownMs = nowMs - (this.#knownAtMs.get(sellerId) ?? -Infinity);
    if (knownMs < SURE_DAY_MS) this.#report(`${which}, who is known for ${knownMs} ms`);
    for (const other of this.#questions.values())
      if (other.sellerId === sellerId && !other.machine.isDead && other.leftAtMs > nowMs - GIVEN_UP_MS)
        this.#report(`${which} while ${other.machine.name} does`);
    const before = (this.#askedAtMs.get(sellerId) ?? []).filter((atMs) => atMs > nowMs - SURE_DAY_MS);
    this.#askedAtMs.set(sellerId, [...before, nowMs]);
    if (before.length >= MAX_SELLER_REQUESTS)
      this.#report(`${which} for the ${before.length + 1}th time in a day`);
  }

  /** A match without conditions must not wait, so it must be published before its listing is first held. */
  #judgePlain(machine: Machine, { userId, listing, filterIds }: UserMatch): void {
    const nowMs = this.#parts.time.nowMs();
    const key = `${newsKey(machine, listing)} ${userId}`;
    const isFirst = !this.#shown.has(key);
    this.#shown.add(key);
    const latest = filterIds.flatMap((id) => this.#filters.of(id).at(-1) ?? []);
    const isPlain = latest.length > 0 && !latest.some(asksForFacts);
    const heldMs = this.#heldAtMs.get(newsKey(machine, listing));
    if (!isPlain || !isFirst || heldMs === undefined) return;
    // A person whose filters or blocked sellers were just reloaded is shown earlier listings.
    if (this.#filters.readAtMs(userId) < nowMs - NEWLY_READ_MS)
      this.#report(
        `${userId} is shown ${listing.listing.id} ${nowMs - heldMs} ms after others wait for facts`,
      );
  }

  #judgeBlocked(machine: Machine, { userId, listing: { listing } }: UserMatch): void {
    const latestMs = this.#parts.time.nowMs() - BLOCK_LIST_READ_MS;
    if (machine.wokeAtMs > latestMs) return;
    for (const entry of this.#blocked.get(userId) ?? []) {
      const learnedAtMs = this.#learnedAtMs.get(blockKey(machine, userId, entry)) ?? Infinity;
      if (isBy(entry, listing.seller) && learnedAtMs < latestMs)
        this.#parts.violations.report(
          "I21",
          `${userId} is shown ${listing.id} of ${entry.login} on ${machine.name}`,
        );
    }
  }

  #asksForSeller({ filterId }: HeldMatch): boolean {
    return this.#filters.of(filterId).some(({ seller }) => asksForSeller(seller));
  }

  #waitingOn(machine: Machine): Map<string, WaitingRow> {
    const own = this.#waiting.get(machine) ?? new Map<string, WaitingRow>();
    this.#waiting.set(machine, own);
    return own;
  }

  #report(text: string): void {
    this.#parts.violations.report("I23", text);
  }
}

const storedKey = ({ listingId, filterId }: HeldKey): string => `${listingId} ${filterId}`;
const keyOf = ({ listing, filterId }: HeldMatch): string =>
  storedKey({ listingId: listing.listing.id, filterId });

/** A further block of the same seller has another time. */
function blockKey({ name }: Machine, userId: UserId, { sellerId, login, sinceMs }: BlockedSeller): string {
  return `${name} ${userId} ${sellerId} ${login} ${sinceMs}`;
}

function isBy({ sellerId, login }: BlockedSeller, seller: Seller): boolean {
  return sellerId === null ? login.toLowerCase() === seller.login.toLowerCase() : sellerId === seller.id;
}

/** A listing at one price, as read by one process. */
function newsKey({ name }: Machine, { listing }: SeenListing): string {
  const { id, totalPriceCents }: { readonly id: ListingId; readonly totalPriceCents: number } = listing;
  return `${name} ${id} ${totalPriceCents}`;
}

/** Filters of the simulation have no other conditions. */
function isHolding(
  { priceFloorEur, priceCapEur, bargainPercent }: Filter,
  { listing: { totalPriceCents }, standing }: SeenListing,
): boolean {
  if (bargainPercent !== null && (standing?.rank ?? -1) < 100 - bargainPercent) return false;
  return totalPriceCents >= priceFloorEur * 100 && totalPriceCents <= priceCapEur * 100;
}

interface FilterVersions {
  /** Wraps the filter store and records what nodes read from it. */
  noted(filters: NodeStore["filters"]): NodeStore["filters"];
  /** All versions of a filter that any node read, the latest last. */
  of(id: FilterId): readonly Filter[];
  /** When a node last read this person's filters. */
  readAtMs(userId: UserId): number;
}

function createFilterVersions(time: SellerWatchParts["time"]): FilterVersions {
  const versions = new Map<FilterId, Filter[]>();
  const readAtMs = new Map<UserId, number>();
  const note = (filter: Filter): void => {
    const known = versions.get(filter.id) ?? [];
    versions.set(filter.id, known);
    const latest = known.at(-1);
    if (latest === undefined || JSON.stringify(latest) !== JSON.stringify(filter)) known.push(filter);
  };
  return {
    of: (id) => versions.get(id) ?? [],
    readAtMs: (userId) => readAtMs.get(userId) ?? -Infinity,
    noted: (filters) => ({
      ...filters,
      async activeOf(userId: UserId) {
        const active = await filters.activeOf(userId);
        readAtMs.set(userId, time.nowMs());
        active.forEach(note);
        return active;
      },
      async *activePages(size: number) {
        for await (const page of filters.activePages(size)) {
          page.forEach(note);
          yield page;
        }
      },
    }),
  };
}
