import { type Clock, DAY_MS } from "#domain/clock.ts";
import { z } from "zod";
import type { MarketDatabase } from "../database/market-database.ts";
import type { PastTable } from "../database/past-table.ts";
import type { ListingFacts, MarketListing } from "./listing.ts";
import { drawPastListing } from "../world/draw-listing.ts";

/**
 * Listings sold before the market opened. A client can read them to learn usual prices; no page of the market
 * shows them. Generated ones are not stored: each is derived from its number.
 */
export interface History {
  /** More may be added: no listing has been published yet. */
  readonly isOpen: boolean;
  /** The number of past listings. */
  readonly given: number;
  /** The highest number that a client has acknowledged storing. */
  readonly read: number;
  /** Adds generated listings, spread evenly over the last days but not before earlier additions. */
  draw(days: number, count: number): void;
  /**
   * Adds listings, numbered in order of time, and returns them in the order given. Returns null, adding none, when one
   * is older than earlier additions.
   */
  give(
    listings: readonly { readonly facts: ListingFacts; readonly atMs: number }[],
  ): readonly MarketListing[] | null;
  /** The page of listings after this number, each generated when it is read; acknowledges those up to the number. */
  page(after: number): Iterable<{ readonly number: number; readonly listing: MarketListing }>;
}

const PAGE_SIZE = 500;
/** Below the ids of published listings. */
const FIRST_ID = 4_000_000_000;

const part = z.object({
  /** The number of its first listing. */
  first: z.number(),
  count: z.number(),
  fromMs: z.number(),
  toMs: z.number(),
  isDrawn: z.boolean(),
});
const record = z.object({ parts: z.array(part), read: z.number() });
type HistoryRecord = z.infer<typeof record>;

export function createHistory(
  database: Pick<MarketDatabase, "state" | "write" | "listings"> & { readonly past: PastTable },
  { clock, seed }: { readonly clock: Clock; readonly seed: number },
): History {
  let kept: HistoryRecord = readRecord(database.state.get("history"));
  const given = (): number => kept.parts.reduce((sum, { count }) => sum + count, 0);
  const keep = (next: HistoryRecord): void => {
    database.state.set("history", JSON.stringify(next));
    kept = next;
  };
  const add = (fromMs: number, toMs: number, of: { count: number; isDrawn: boolean }): void =>
    keep({ ...kept, parts: [...kept.parts, { first: given() + 1, fromMs, toMs, ...of }] });

  return {
    get isOpen() {
      return database.listings.lastId() === 0;
    },
    get given() {
      return given();
    },
    get read() {
      return kept.read;
    },
    draw(days, count) {
      const toMs = clock.nowMs();
      const earliestMs = kept.parts.at(-1)?.toMs ?? 0;
      add(Math.max(earliestMs, toMs - days * DAY_MS), toMs, { count, isDrawn: true });
    },
    give(listings) {
      const firstNumber = given() + 1;
      const stored = listings
        .map((listing, givenAs) => ({ ...listing, givenAs }))
        .toSorted((one, other) => one.atMs - other.atMs)
        .map((listing, index) => ({ ...listing, number: firstNumber + index }));
      const [first, last] = [stored[0], stored.at(-1)];
      if (first === undefined || last === undefined) return [];
      const before = kept.parts.at(-1);
      if (before !== undefined && first.atMs < before.toMs) return null;
      database.write(() => {
        for (const one of stored) database.past.insert(one);
        add(first.atMs, last.atMs, { count: stored.length, isDrawn: false });
      });
      return stored
        .toSorted((one, other) => one.givenAs - other.givenAs)
        .map(({ number, facts, atMs }) => pastListing(number, facts, atMs));
    },
    *page(after) {
      if (after > kept.read) keep({ ...kept, read: Math.min(after, given()) });
      const last = Math.min(given(), after + PAGE_SIZE);
      for (let number = after + 1; number <= last; number += 1) {
        const listing = listingAt(number);
        if (listing !== null) yield { number, listing };
      }
    },
  };

  function listingAt(number: number): MarketListing | null {
    const own = kept.parts.find(({ first, count }) => number >= first && number < first + count);
    if (own === undefined) return null;
    if (!own.isDrawn) {
      const stored = database.past.byNumber(number);
      return stored === null ? null : pastListing(number, stored.facts, stored.atMs);
    }
    const share = (number - own.first + 0.5) / own.count;
    const atMs = Math.floor(own.fromMs + share * (own.toMs - own.fromMs));
    return pastListing(number, drawPastListing({ seed, number, atMs }), atMs);
  }
}

function pastListing(number: number, facts: ListingFacts, atMs: number): MarketListing {
  return {
    ...facts,
    isPromoted: false,
    id: FIRST_ID + number,
    serial: null,
    publishedAtMs: atMs,
    state: "sold",
    reservedUntilMs: null,
  };
}

function readRecord(text: string | null): HistoryRecord {
  const read = text === null ? null : record.safeParse(JSON.parse(text));
  return read?.success === true ? read.data : { parts: [], read: 0 };
}
