import { asksForFacts, type Filter } from "#domain/market/filter.ts";
import type { FilterId, ListingId, UserId } from "#domain/ids.ts";
import type { SeenListing } from "#domain/market/listing.ts";
import type { HeldMatch, UserMatch } from "#domain/market/match.ts";
import { asksForSeller } from "#domain/market/seller.ts";
import type { ExchangeRequest } from "#marketplace/exchange.ts";
import { candidateIn, readListing } from "#matching/candidate.ts";
import { compileFilter, filterHolds } from "#matching/compile-filter.ts";
import { type HeldKey, MAX_SELLER_REQUESTS } from "#store/facts-store.ts";
import type { Machine } from "./machine.ts";
import type { NodeStore } from "./node.ts";
import type { Trace } from "./trace.ts";
import type { Violations } from "./violations.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** Judges matches that wait for facts, and every question about a seller when it leaves: I23. */
export interface SellerWatch {
  /** The store as one process uses it. */
  watched(store: NodeStore, machine: Machine): NodeStore;
  left(machine: Machine, request: ExchangeRequest): void;
  /** The process has an answer, or has given up. */
  heard(request: ExchangeRequest): void;
  /** A process publishes matches to pages. */
  published(machine: Machine, matches: readonly UserMatch[]): void;
  /** After the calm. */
  judgeEnd(): void;
}

interface SellerWatchParts {
  readonly trace: Trace;
  readonly violations: Violations;
  /** The world's own. */
  readonly time: Pick<VirtualTime, "nowMs">;
}

/** A match that a process establishes the facts of. */
interface WaitingRow {
  readonly held: HeldMatch;
  /** Another process held it, and died. */
  readonly isResumed: boolean;
}

interface Question {
  readonly machine: Machine;
  readonly sellerId: number;
  readonly leftAtMs: number;
}

const SELLER_PATH = /^\/api\/v2\/users\/(\d+)$/;
const DAY_MS = 24 * 3_600_000;
/** Clocks of two machines differ by so much at most: a day of one may be shorter for the other. */
const MOST_SKEW_MS = 600_000;
const SURE_DAY_MS = DAY_MS - MOST_SKEW_MS;
/** A process that has heard nothing for so long has given up. */
const GIVEN_UP_MS = 5_000;
const NEWLY_READ_MS = 5_000;
/** For the last steps of a match after its deadline. */
const LATEST_END_MS = 60_000;

export function createSellerWatch({ trace, violations, time }: SellerWatchParts): SellerWatch {
  const filters = createFilterVersions(time);
  /** Of the store's rows: the process that wrote each. */
  const holders = new Map<string, Machine>();
  const waiting = new Map<Machine, Map<string, WaitingRow>>();
  const questions = new Map<ExchangeRequest, Question>();
  const askedAtMs = new Map<number, number[]>();
  const knownAtMs = new Map<number, number>();
  const heldAtMs = new Map<string, number>();
  const shown = new Set<string>();
  const report = (text: string): void => violations.report("I23", text);
  const waitingOn = (machine: Machine): Map<string, WaitingRow> => {
    const own = waiting.get(machine) ?? new Map<string, WaitingRow>();
    waiting.set(machine, own);
    return own;
  };

  const noteHeld = (machine: Machine, held: HeldMatch): void => {
    const { listing, filterId } = held;
    holders.set(keyOf(held), machine);
    waitingOn(machine).set(keyOf(held), { held, isResumed: false });
    const news = newsKey(machine, listing);
    if (!heldAtMs.has(news)) heldAtMs.set(news, time.nowMs());
    if (!filters.of(filterId).some((filter) => asksForFacts(filter) && isHolding(filter, listing)))
      report(`${listing.listing.id} is held for ${filterId}, which does not hold it or asks for nothing`);
  };

  const noteTaken = (machine: Machine, held: HeldMatch): void => {
    const holder = holders.get(keyOf(held));
    waitingOn(machine).set(keyOf(held), { held, isResumed: holder !== machine && holder?.isDead === true });
  };

  const noteEnd = (machine: Machine, key: string): void => {
    const row = waitingOn(machine).get(key);
    waitingOn(machine).delete(key);
    if (row === undefined) return;
    if (row.isResumed) trace.count("held match resumed after a crash");
    const { held } = row;
    const isAsking = filters.of(held.filterId).some(({ seller }) => asksForSeller(seller));
    const isLate = machine.clock.nowMs() >= held.untilMs;
    if (isAsking && isLate && !knownAtMs.has(held.listing.listing.seller.id))
      trace.count("seller unknown at the deadline");
  };

  const judgeQuestion = (machine: Machine, sellerId: number): void => {
    const nowMs = time.nowMs();
    const which = `${machine.name} asks about seller ${sellerId}`;
    const isWaitedFor = [...waitingOn(machine).values()].some(
      ({ held }) =>
        held.listing.listing.seller.id === sellerId &&
        filters.of(held.filterId).some(({ seller }) => asksForSeller(seller)),
    );
    if (!isWaitedFor) report(`${which}, for whom no match waits`);
    const answeredAtMs = knownAtMs.get(sellerId) ?? -Infinity;
    if (answeredAtMs > nowMs - SURE_DAY_MS) report(`${which}, who is known for ${nowMs - answeredAtMs} ms`);
    for (const other of questions.values())
      if (other.sellerId === sellerId && !other.machine.isDead && other.leftAtMs > nowMs - GIVEN_UP_MS)
        report(`${which} while ${other.machine.name} does`);
    const before = (askedAtMs.get(sellerId) ?? []).filter((atMs) => atMs > nowMs - SURE_DAY_MS);
    askedAtMs.set(sellerId, [...before, nowMs]);
    if (before.length >= MAX_SELLER_REQUESTS) report(`${which} for the ${before.length + 1}th time in a day`);
  };

  /** The look-up of a listing's seller begins once it is held: a plain match that comes only then has waited. */
  const judgePlain = (machine: Machine, match: UserMatch): void => {
    const { userId, listing, filterIds } = match;
    const latest = filterIds.map((id) => filters.of(id).at(-1)).filter((filter) => filter !== undefined);
    const heldMs = heldAtMs.get(newsKey(machine, listing));
    const isPlain = latest.length > 0 && !latest.some(asksForFacts);
    const key = `${newsKey(machine, listing)} ${userId}`;
    const isFirst = !shown.has(key);
    shown.add(key);
    if (!isPlain || !isFirst || heldMs === undefined) return;
    // Whose filters or blocked sellers have just been read anew is shown earlier listings.
    if (filters.readAtMs(userId) < time.nowMs() - NEWLY_READ_MS)
      report(
        `${userId} is shown ${listing.listing.id} ${time.nowMs() - heldMs} ms after others wait for facts`,
      );
  };

  return {
    watched: (store, machine) => ({
      ...store,
      filters: filters.noted(store.filters),
      held: {
        ...store.held,
        async hold(held, dueAtMs) {
          await store.held.hold(held, dueAtMs);
          for (const match of held) noteHeld(machine, match);
        },
        async takeDue(at) {
          const taken = await store.held.takeDue(at);
          for (const held of taken) noteTaken(machine, held);
          return taken;
        },
        async end(keys) {
          await store.held.end(keys);
          for (const key of keys) noteEnd(machine, storedKey(key));
        },
      },
      sellerFacts: {
        ...store.sellerFacts,
        async save(sellerId, facts, nowMs) {
          await store.sellerFacts.save(sellerId, facts, nowMs);
          knownAtMs.set(sellerId, time.nowMs());
        },
      },
    }),
    left(machine, request) {
      const sellerId = SELLER_PATH.exec(request.path)?.[1];
      if (sellerId === undefined) return;
      judgeQuestion(machine, Number(sellerId));
      questions.set(request, { machine, sellerId: Number(sellerId), leftAtMs: time.nowMs() });
    },
    heard: (request) => void questions.delete(request),
    published(machine, matches) {
      for (const match of matches) judgePlain(machine, match);
    },
    judgeEnd() {
      for (const [machine, own] of waiting)
        for (const [key, { held }] of own)
          if (!machine.isDead && held.untilMs < time.nowMs() - LATEST_END_MS)
            report(`the match ${key} waits on ${machine.name} beyond its deadline`);
    },
  };
}

const storedKey = ({ listingId, filterId }: HeldKey): string => `${listingId} ${filterId}`;
const keyOf = ({ listing, filterId }: HeldMatch): string =>
  storedKey({ listingId: listing.listing.id, filterId });

/** A listing at a price, as one process read it. */
function newsKey({ name }: Machine, { listing }: SeenListing): string {
  const { id, totalPriceCents }: { readonly id: ListingId; readonly totalPriceCents: number } = listing;
  return `${name} ${id} ${totalPriceCents}`;
}

/** By the plain definition; no filter of a simulated market asks for a category, a size or a colour. */
function isHolding(filter: Filter, { listing }: SeenListing): boolean {
  const spec = compileFilter(filter);
  return spec !== null && filterHolds(spec, candidateIn(readListing(listing), null, []));
}

interface FilterVersions {
  /** The same store, what nodes read from which is noted. */
  noted(filters: NodeStore["filters"]): NodeStore["filters"];
  /** All that any node ever matched by, the latest last. */
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
