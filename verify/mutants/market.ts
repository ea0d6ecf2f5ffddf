import { BESIDE, bugsIn, type Mutant } from "./mutant.ts";

/** Bugs in usual prices and backtests. */
export const market: readonly Mutant[] = [
  ...bugsIn("src/market/prices/appraiser.ts", BESIDE, [
    [
      "market: a listing is counted before its price is judged",
      "const standing = thing === null ? null : this.#book.standingOf(thing, cents);",
      "if (thing !== null) this.#book.count(thing, cents, day); const standing = thing === null ? null : this.#book.standingOf(thing, cents);",
    ],
    ["market: what is offered again is counted again", "      !isRelist &&\n", ""],
    ["market: several things at one price are compared with one", "isLot(reading) ? null : ", ""],
  ]),
  ...bugsIn("src/market/prices/rebuild.ts", BESIDE, [
    [
      "market: what two readers archived counts twice",
      "if (thing === null || this.#counted.has(number)) return;",
      "if (thing === null) return;",
    ],
    [
      "market: a new process forgets who has used up their share",
      "    this.#shares.take(block.sellers()[index] ?? 0, thing, day);\n",
      "",
    ],
  ]),
  ...bugsIn("src/market/prices/recent-keys.ts", { tests: ["src/market/prices/rebuild.test.ts"] }, [
    ["market: an earlier sighting ages a key", "if (day > noted) ", ""],
  ]),
  ...bugsIn("src/market/prices/seller-shares.ts", BESIDE, [
    [
      "market: one seller's prices of a day count without end",
      "if (today === MAX_PER_DAY) return false;",
      "",
    ],
    [
      "market: one seller alone makes a usual price",
      "place <= MAX_PER_WINDOW;",
      "place <= 30 * MAX_PER_WINDOW;",
      { tests: ["src/market/prices/appraiser.test.ts"] },
    ],
  ]),
  ...bugsIn("src/market/prices/price-book.ts", BESIDE, [
    [
      "market: a rank counts what is cheaper",
      "binOf(placeOf(cents)) + 1);",
      "0) - massFrom(this.#mass, binOf(placeOf(cents)) + 1);",
    ],
    [
      "market: wide cells are not moved to what is expected",
      "const shift = this.#expected(keys) - this.#cells.meanOf(wider);",
      "const shift = 0;",
    ],
    [
      "market: a type without prices is compared with its root",
      "return parentId === null || categoryById(parentId)?.parentId === null ? null : parentId;",
      "return parentId;",
    ],
    [
      "market: what is rare in a known type is compared with the type above",
      "standing !== null || this.#wellKnown(keysOfType.type) >= 0",
      "standing !== null",
    ],
  ]),
  ...bugsIn("src/feed/schedule/slice-demand.ts", BESIDE, [
    ["market: types of two roots are read together", "(id) => categoryPath(id)[0]?.id", "() => 0"],
  ]),
  ...bugsIn("src/market/backtest/replay-run.ts", BESIDE, [
    ["market: an entry that closes a listing's story counts", '|| block.kindAt(index) === "closing"', ""],
    [
      "market: what may have been there before counts as news",
      "&& !isNewSince(sinceMs, block, index)",
      "&& false",
    ],
    ["market: every edit counts as news", '&& kind !== "changed") this.#found', ") this.#found"],
    [
      "market: blocked sellers' listings are found",
      "!isOfSeller(this.#blocked, block, index)",
      "!isOfSeller(new Set(), block, index)",
    ],
    ["market: a backtest looks beyond its end", "if (seenAtMs > untilMs ||", "if ("],
  ]),
  ...bugsIn("src/market/backtest/edit-stories.ts", { tests: ["src/market/backtest/replay-run.test.ts"] }, [
    ["market: what was forgotten decides an edit", "&& last.seenAtMs >= version.firstSeenAtMs", ""],
  ]),
  ...bugsIn("src/market/backtest/ignored-relists.ts", { tests: ["src/market/backtest/replay-run.test.ts"] }, [
    [
      "market: a backtest leaves out a relist that is the cheapest",
      "!isIgnoredRelist(relist, article.totalPriceCents)",
      "relist === null",
    ],
  ]),
  ...bugsIn("src/market/backtest/replay-purchases.ts", BESIDE, [
    [
      "market: a backtest buys what is offered again",
      "article.isRelist && this.#relistKeys.has(keyOf(article))",
      "false",
    ],
    [
      "market: a backtest buys what was on the market before",
      "if (article.isNew) run.offer(article);",
      "run.offer(article);",
      { tests: ["src/market/backtest/replay-run.test.ts"] },
    ],
    [
      "market: a backtest looks ahead to the end of its month",
      "month: this.#spentByMonth.get(month) ?? NOTHING",
      "month: NOTHING",
    ],
    [
      "market: a backtest forgets what it has just bought",
      "this.#relistKeys.add(keyOf(article));\n    this.#facts = null;",
      "this.#relistKeys.add(keyOf(article));",
    ],
    [
      "market: a backtest counts the purchases of any seller",
      "if (this.#facts?.ruleFacts.taken.sellerCount !== sellerCount)",
      "if (this.#facts === null)",
    ],
    [
      "market: a backtest's days end in UTC",
      "const number = this.#dayOf(atMs);",
      "const number = Math.floor(atMs / 86_400_000);",
    ],
  ]),
  ...bugsIn("src/market/archive/coverage.ts", BESIDE, [
    [
      "market: a day counts on which a part was not read",
      "if (part === undefined) return null;",
      "if (part === undefined) continue;",
    ],
  ]),
  ...bugsIn("src/market/market-reading.ts", { tests: ["src/market/market-memory.test.ts"] }, [
    ["market: a history that was not stored counts", "if (this.#isAhead) await this.#restoreAnew();", ""],
    [
      "market: a history's days are noted after its listings",
      "await archive.change({ tail: [], blocks: [], made });\n  }",
      "}",
    ],
  ]),
  ...bugsIn("src/purchasing/decide/admit.ts", BESIDE, [
    [
      "market: a filter buys by a price that is hardly known",
      "bargainPercent !== null &&",
      "bargainPercent === null &&",
    ],
    ["market: what is too good to be true is bought", "isTooGood(wish, standing)", "standing.sampleSize < 0"],
  ]),
  ...bugsIn(
    "src/store/purchases/stories.ts",
    { tests: ["src/store/store.test.ts"], only: "do not delete what awaits" },
    [
      [
        "market: later missed wishes delete a question about a price",
        'reason === "too_good" ? isAsked : not(isAsked)',
        "undefined",
      ],
    ],
  ),
  ...bugsIn("src/http/routes/purchase.ts", { tests: ["src/http/missed-purchases.test.ts"] }, [
    [
      "market: later missed wishes hide a question about a price",
      "Number(other.a_confirmer) - Number(one.a_confirmer)",
      "0",
    ],
  ]),
];
