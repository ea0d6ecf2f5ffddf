import { swap, type Mutant } from "./mutant.ts";

/** What would make the feed lose listings, or tell them twice. */
const INGEST = "src/feed/read/ingest.ts";
const PASSES = ["src/feed/read/slice-pass.test.ts"];
const EMPTY_PAGES = ["src/feed/read/empty-pages.test.ts"];
const FURTHER_PAGES = ["src/feed/read/further-pages.test.ts"];
const SERVICE = ["src/feed/feed-service.test.ts"];

export const feed: readonly Mutant[] = [
  {
    name: "feed: what overflows the first page is left out",
    patches: swap(
      "src/feed/read/further-pages.ts",
      "  while (!reading.reachesKnown &&",
      "  while (pageCount < 1 &&",
    ),
    tests: FURTHER_PAGES,
  },
  {
    name: "feed: nothing at all is believed when it is shown for the first time",
    patches: swap(
      "src/feed/read/slice-pass.ts",
      "state.lastPageSize > 0 || wasEmpty",
      "state.lastPageSize >= 0 || wasEmpty",
    ),
    tests: [...EMPTY_PAGES, "src/feed/model/lossless.test.ts"],
  },
  {
    name: "feed: old stock that two empty readings hid counts as new",
    patches: swap(INGEST, "if (mark.highestListingId === 0) return", "if (mark.highestListingId < 0) return"),
    tests: EMPTY_PAGES,
  },
  {
    name: "feed: a mark moves over further pages that were not shown",
    patches: swap("src/feed/read/slice-pass.ts", "hiddenPasses < MAX_HIDDEN_PASSES", "hiddenPasses < 0"),
    tests: FURTHER_PAGES,
  },
  {
    name: "feed: further pages that are never shown hold the mark for ever",
    patches: swap(
      "src/feed/read/slice-pass.ts",
      "hiddenPasses < MAX_HIDDEN_PASSES",
      "hiddenPasses < Infinity",
    ),
    tests: FURTHER_PAGES,
  },
  {
    name: "feed: an empty page is the end of the list, whatever a look across its edge shows",
    patches: swap("src/feed/read/page-overlap.ts", "bridge.listings.length < length &&", "length > 0 &&"),
    tests: FURTHER_PAGES,
  },
  {
    name: "feed: how far several pages were read is written down later than what they told",
    patches: swap(
      "src/feed/read/market-reader.ts",
      " || isMarkDue(state, nowMs)",
      " || state.recorded === null",
    ),
    tests: ["src/feed/read/market-reader.test.ts"],
  },
  {
    name: "feed: what was hidden a while ago still counts when it is hidden again",
    patches: swap(
      "src/feed/read/slice-pass.ts",
      'if (coverage !== "hidden") state.hiddenPasses = 0;',
      'if (coverage !== "hidden") state.hiddenPasses += 0;',
    ),
    tests: FURTHER_PAGES,
  },
  {
    name: "feed: a slice that fails alone is all that is asked for",
    patches: swap("src/feed/schedule/planner.ts", "preferNotFailed(due).reduce(", "due.reduce("),
    tests: ["src/feed/read/market-reader.test.ts"],
    only: "does not delay the others",
  },
  {
    name: "feed: a slice that fails alone is asked for at each of its turns",
    patches: swap(
      "src/feed/schedule/slice-backoff.ts",
      "pausedUntilMs: nowMs + pauseMsAfter(failuresAlone + 1)",
      "pausedUntilMs: nowMs",
    ),
    tests: ["src/feed/schedule/slice-backoff.test.ts"],
  },
  {
    name: "feed: old stock that rises above a known listing counts as new",
    patches: swap(INGEST, "coveredFrom !== null && id > coveredFrom &&", "coveredFrom !== undefined &&"),
    tests: PASSES,
  },
  {
    name: "feed: an answer that is cut short is taken at its word",
    patches: swap(
      "src/feed/read/further-pages.ts",
      "  if (isEndUnconfirmed) coverage",
      "  if (pageCount < 1) coverage",
    ),
    tests: FURTHER_PAGES,
  },
  {
    name: "feed: what another slice showed above the mark counts as the overlap",
    patches: swap(INGEST, " || known.seen.listing.id > mark.highestListingId", ""),
    tests: PASSES,
  },
  {
    name: "feed: a page that is taken late brings an older version back",
    patches: swap(INGEST, "isLate ? before.listing : listing", "listing"),
    tests: ["src/feed/read/ingest.test.ts"],
  },
  {
    name: "feed: what a page that is taken late proves is recorded as older than what the store has",
    patches: swap(INGEST, "Math.max(nowMs, before.seenAtMs)", "nowMs"),
    tests: ["src/feed/read/ingest.test.ts", "src/feed/model/lossless.test.ts"],
  },
  {
    name: "feed: what a filter catches up with is what was seen last, not what is newest",
    patches: swap(
      "src/feed/read/seen-listings.ts",
      "  return one.seen.listing.id - other.seen.listing.id;",
      "  return one.seen.firstSeenAtMs - other.seen.firstSeenAtMs;",
    ),
    tests: SERVICE,
    only: "up to fifty listings",
  },
  {
    name: "feed: a restart forgets how far the slices were read",
    patches: swap(
      "src/feed/read/market-reader.ts",
      "new Map(marks.map((mark) => [mark.key, readMarkOf(mark, nowMs)]))",
      "new Map(marks.slice(0, 0).map((mark) => [mark.key, readMarkOf(mark, nowMs)]))",
    ),
    tests: SERVICE,
    only: "dies while it catches up|restart loses",
  },
  {
    name: "feed: a listing that gained a fact is not matched again",
    patches: swap(
      INGEST,
      "if (facts === before.facts && !isEdited(before.listing, newest)) return null;",
      "if (!isEdited(before.listing, newest)) return null;",
    ),
    tests: SERVICE,
    only: "once its category is proven",
  },
  {
    name: "feed: a promoted listing counts as the overlap",
    patches: swap(
      INGEST,
      "  if (isKnownSince(state, memory.get(last.id))) return true;\n",
      "  if (page.listings.some(({ id, isPromoted }) => (isPromoted || id === last.id) && isKnownSince(state, memory.get(id)))) return true;\n",
    ),
    tests: PASSES,
  },
  {
    name: "feed: what another slice showed meanwhile counts as the overlap",
    patches: swap(INGEST, " && known.firstSlice === slice.key;", ";"),
    tests: PASSES,
  },
  {
    name: "feed: what a restart left out of memory is told again",
    patches: swap(
      "src/feed/read/market-reader.ts",
      "await loadForgotten(this.#deps.listings, this.memory, page)",
      "void loadForgotten(this.#deps.listings, this.memory, { ...page, listings: [] })",
    ),
    tests: SERVICE,
    only: "do not fit into memory",
  },
  {
    name: "feed: pages that were not joined count as one instant",
    patches: swap("src/feed/read/further-pages.ts", "    coverage = worstOf(coverage, next.coverage);\n", ""),
    tests: FURTHER_PAGES,
  },
  {
    name: "feed: a promoted listing that stands on two pages joins them",
    patches: swap(
      "src/feed/read/page-overlap.ts",
      "listings.filter(({ isPromoted }) => !isPromoted).map(({ id }) => id)",
      "listings.map(({ id }) => id)",
    ),
    tests: FURTHER_PAGES,
  },
  {
    name: "feed: filters that could not be read go on as they were",
    patches: swap("src/feed/publish/filter-sync.ts", "      if (isStale) this.#withhold(userId);\n", ""),
    tests: ["src/feed/publish/filter-sync.test.ts"],
    only: "could not be read",
  },
];
