import { BESIDE, bugsIn, type Mutant } from "./mutant.ts";

/** Bugs that make the feed lose or duplicate listings. */
export const feed: readonly Mutant[] = [
  ...bugsIn("src/feed/read/further-pages.ts", BESIDE, [
    ["feed: what overflows the first page is left out", "(!reading.reachesKnown", "(pageCount < 1"],
    ["feed: an answer that is cut short is taken at its word", "(isEndUnconfirmed", "(pageCount < 1"],
    [
      "feed: pages that were not joined count as one instant",
      "coverage = worstOf(coverage, next.coverage);",
      "",
    ],
  ]),
  ...bugsIn(
    "src/feed/read/slice-pass.ts",
    { tests: ["src/feed/read/empty-pages.test.ts", "src/feed/model/lossless.test.ts"] },
    [
      [
        "feed: nothing at all is believed when it is shown for the first time",
        "lastPageSize >",
        "lastPageSize >=",
      ],
      [
        "feed: a mark moves over further pages that were not shown",
        "< MAX_HIDDEN_PASSES",
        "< 0",
        { tests: ["src/feed/read/further-pages.test.ts"] },
      ],
    ],
  ),
  ...bugsIn("src/feed/publish/recorder.ts", BESIDE, [
    ["feed: what a full disk refuses is skipped", "isStoreAway(error) || ", ""],
    ["feed: reading goes on however much waits for the store", ">= MAX_WAITING", "=== Infinity"],
  ]),
  ...bugsIn(
    "src/feed/publish/active-filters.ts",
    { tests: ["src/feed/facts/match-facts.test.ts"], only: "edited in that alone" },
    [
      [
        "feed: an edit of what a filter asks of sellers shows nothing of before",
        "asksOtherwise || !isSame(course.spec, next.spec)",
        "!isSame(course.spec, next.spec)",
      ],
    ],
  ),
  ...bugsIn("src/feed/read/market-reader.ts", BESIDE, [
    [
      "feed: how far several pages were read is written down later than what they told",
      "|| isMarkDue(state, nowMs)",
      "|| state.recorded === null",
    ],
    [
      "feed: a restart forgets how far the slices were read",
      "new Map(marks.",
      "new Map(marks.slice(0, 0).",
      { tests: ["src/feed/feed-service.test.ts"], only: "dies while it catches up|restart loses" },
    ],
  ]),
  ...bugsIn(
    "src/feed/schedule/planner.ts",
    { tests: ["src/feed/read/market-reader.test.ts"], only: "does not delay the others" },
    [
      [
        "feed: a slice that fails alone is all that is asked for",
        "preferNotFailed(due).reduce(",
        "due.reduce(",
      ],
    ],
  ),
  ...bugsIn("src/feed/read/ingest.ts", BESIDE, [
    [
      "feed: old stock that rises above a known listing counts as new",
      "null && id > coveredFrom",
      "undefined",
      { tests: ["src/feed/read/slice-pass.test.ts"] },
    ],
    [
      "feed: a promoted listing counts as the overlap",
      "isKnownSince(state, memory.get(last.id",
      "page.listings.some(({ id, isPromoted }) => (isPromoted || id === last.id) && isKnownSince(state, memory.get(id)",
      { tests: ["src/feed/read/slice-pass.test.ts"] },
    ],
    [
      "feed: what another slice showed meanwhile counts as the overlap",
      "&& known.firstSlice === slice.key",
      "",
      { tests: ["src/feed/read/slice-pass.test.ts"] },
    ],
    [
      "feed: a page that is taken late brings an older version back",
      "isLate ? before.listing : listing",
      "listing",
    ],
    [
      "feed: a listing that gained a fact is not matched again",
      "if (facts === before.facts && !",
      "if (!",
      { tests: ["src/feed/feed-service.test.ts"], only: "once its category is proven" },
    ],
  ]),
  ...bugsIn("src/feed/publish/fan-out.ts", BESIDE, [
    [
      "feed: the listings of blocked sellers are matched",
      "owner.paidUntilMs > nowMs && !owner.blocked.has(listing.seller)",
      "owner.paidUntilMs > nowMs",
      { only: "a blocked seller" },
    ],
    [
      "feed: plain matches wait for facts too",
      "return active.isAsking;",
      "return active.filter.id !== '';",
      { tests: ["src/feed/facts/match-facts.test.ts"] },
    ],
    [
      "feed: what was held is bought however long ago it was seen",
      "const isFresh = nowMs - seen.seenAtMs <= BOUGHT_WITHIN_MS;",
      "const isFresh = nowMs - seen.seenAtMs <= DROPPED_AFTER_MS;",
      { tests: ["src/feed/facts/match-facts.test.ts"] },
    ],
    [
      "feed: a match is bought that its filter held before it began to buy",
      "&& boughtAt(active, row.heldAtMs)",
      "",
      { tests: ["src/feed/facts/match-facts.test.ts"], only: "before its automatic buying" },
    ],
    [
      "feed: a restart buys what a filter matched in simulation",
      "&& boughtAt(active, matchedAtMs)",
      "",
      { tests: ["src/feed/feed-service.test.ts"], only: "half minute again, to" },
    ],
  ]),
  ...bugsIn("src/realtime/flux-stream.ts", { only: "blocked by now" }, [
    [
      "a match of a seller who was blocked since is sent",
      "if (blocked.has(match.listing.listing.seller)) continue;",
      "",
    ],
  ]),
  ...bugsIn(
    "src/purchasing/moves.ts",
    { tests: ["src/server/purchases.test.ts"], only: "tells everybody that the listing is gone" },
    [
      [
        "what somebody bought stays for sale on open pages",
        "if (isListingGone(before) !== isListingGone(after))",
        "if (isListingGone(before) && !isListingGone(after))",
      ],
    ],
  ),
  ...bugsIn(
    "src/store/market/facts.ts",
    { tests: ["src/store/store.test.ts"], only: "say which listings are gone" },
    [["what was seen again after its sale stays sold", "?? -Infinity) >= seenAtMs", "?? -Infinity) >= 0"]],
  ),
  ...bugsIn(
    "src/realtime/flux-handler.ts",
    { tests: ["src/realtime/socket-server.test.ts"], only: "blocked meanwhile|from the moment at which" },
    [
      ["a purchase is to be confirmed although the seller was blocked", "if (!blocked.has(seller))", ""],
      [
        "a block list that was read before the block is used after it",
        "if (readVersion === version) return list;",
        "return list;",
      ],
    ],
  ),
  ...bugsIn("src/feed/publish/filter-sync.ts", { only: "could not be read" }, [
    ["feed: filters that could not be read go on as they were", "if (isStale) this.#withhold(userId);", ""],
  ]),
  ...bugsIn("src/feed/facts/held-matches.ts", { tests: ["src/feed/facts/match-facts.test.ts"] }, [
    [
      "feed: an unknown seller passes whatever the filter says",
      '(verdict === "unknown" && filter.seller.ifUnknown === "hold")',
      "held.untilMs < 0",
    ],
    [
      "feed: a seller is asked about for a filter that no longer holds the listing",
      "this.#parts.holds(waiting.held)",
      "this.#activeOf(held) !== undefined",
    ],
    [
      "feed: a relist is left out although it is cheaper than ever",
      "isIgnoredRelist(relist, listing.totalPriceCents)",
      "relist !== null",
    ],
    [
      "feed: a held relist is released at whatever price it has by then",
      "!isLeftOut(present, background.relist, seen)",
      "background !== null",
    ],
    [
      "feed: what an earlier process held is forgotten",
      "await this.#takeDue(this.#parts.isShared ? this.#parts.clock.nowMs() : Number.MAX_SAFE_INTEGER);",
      "",
    ],
  ]),
  ...bugsIn("src/feed/facts/seller-look-ups.ts", { tests: ["src/feed/facts/match-facts.test.ts"] }, [
    ["feed: a refused look-up is repeated like a failed one", 'case "blocked":', 'case "sold":'],
    [
      "feed: a seller who is asked about is asked about again",
      "if (open !== undefined) {",
      "if (open?.sellerId === 0) {",
    ],
    [
      "feed: a seller is asked about for a filter that was switched off",
      "return waiters.values().some((waiter) => waiter.isWanted());",
      "return waiters.size > 0;",
    ],
  ]),
  ...bugsIn(
    "src/store/market/facts.ts",
    { tests: ["src/store/store.test.ts"], only: "are looked up by one node" },
    [
      [
        "feed: the claim of another node is ignored",
        "and ${sellerFacts.claimedUntilMs} in (0, ${lapsedUntilMs ?? 0}::bigint)",
        "",
      ],
    ],
  ),
];
