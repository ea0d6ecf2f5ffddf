import { BESIDE, bugsIn, type Mutant } from "./mutant.ts";

/** Bugs in the index: its tables, cells, strata, keys and memory. */
export const matching: readonly Mutant[] = [
  ...bugsIn("src/matching/cube/slot-table.ts", BESIDE, [
    [
      "matching: a removal tears a key from those behind it",
      "if (((place - home) & wrap) < ((place - gap) & wrap)) continue;",
      "",
    ],
    [
      "matching: keys that differ in a size are taken for one",
      "words[slot] === categoryAndSize && (",
      "(",
      { tests: ["src/matching/cube/cube-index.test.ts"] },
    ],
  ]),
  ...bugsIn("src/matching/cube/cell.ts", { tests: ["src/matching/cube/cube-index.test.ts"] }, [
    [
      "matching: Acquire's part of a flat cell does not move behind Thunder's",
      "? 0x1_0001 : 0x1_0000",
      "? 0x1 : 0x1_0000",
    ],
  ]),
  ...bugsIn("src/matching/cube/strata.ts", { tests: ["src/matching/cube/cube-index.test.ts"] }, [
    [
      "matching: strata lose an entry when they become flat again",
      "; place < count",
      "; place < Math.min(count, 40)",
    ],
  ]),
  ...bugsIn("src/matching/cube/scan.ts", { tests: ["src/matching/cube/cube-index.test.ts"] }, [
    ["matching: only the first rows of a large directory are looked at", "row = until;", "row = end;"],
    [
      "matching: a run is taken whole though its last cap is below the price",
      "& LOWEST_CAP_MASK) >= price",
      "& LOWEST_CAP_MASK) >= price - 1",
    ],
    [
      "matching: what must be verified is not, in a cell scanned for its conditions",
      "passed & VERIFY) ==",
      "passed & VERIFY) >",
    ],
    [
      "matching: an entry alone under its key is found though its cap is below the price",
      "|| meta < leastMetaOf(classNumber, this.price)",
      "",
    ],
  ]),
  ...bugsIn("src/matching/cube/cube-index.ts", BESIDE, [
    [
      "matching: a filter of more than 64 combinations is never asked for what its keys leave out",
      "matchClass, isWhole",
      "matchClass, true",
    ],
    [
      "matching: a filter of words is stored under the first alternative's word only",
      "this.#keyWords.take(spec.includeWords)",
      "this.#keyWords.take(spec.includeWords).slice(0, 1)",
    ],
  ]),
  ...bugsIn("src/matching/cube/entry-meta.ts", { tests: ["src/matching/cube/cube-index.test.ts"] }, [
    [
      "matching: a price beyond what an entry holds wraps around",
      "min(Math.ceil(totalPriceCents / 100), MAX_CAP)",
      "ceil(totalPriceCents / 100) & MAX_CAP",
    ],
  ]),
  ...bugsIn("src/matching/cube/traits.ts", { tests: ["src/matching/cube/cube-index.test.ts"] }, [
    [
      "matching: a filter with several traits is found by one of them",
      "required === 1 && traitOf",
      "required >= 1 && traitOf",
    ],
    [
      "matching: a price a euro below the floor is taken",
      "FIRST_FLOOR + Math.floor",
      "FIRST_FLOOR + Math.ceil",
    ],
  ]),
  ...bugsIn("src/matching/cube/filter-book.ts", { tests: ["src/matching/cube/cube-index.test.ts"] }, [
    [
      "matching: a filter of words is found once for every alternative in the title",
      "if (titleWords.isInTitle(word)) return false;",
      "",
    ],
  ]),
  ...bugsIn("src/matching/cube/used-keys.ts", BESIDE, [
    [
      "matching: a key with a word is unused as soon as one of its filters is gone",
      "known + change === 0",
      "change === -1",
    ],
    ["matching: a count of used keys wraps around", "if (known === MAX_COUNT) continue;", ""],
  ]),
  ...bugsIn("src/matching/compile-filter.ts", { tests: ["src/matching/naive-match.test.ts"] }, [
    [
      "matching: all alternatives of a word must be in the title",
      "if (!hasAny(candidate, groups[index] ?? [])) return false;",
      "for (const word of groups[index] ?? []) if (!hasAny(candidate, [word])) return false;",
    ],
    [
      "matching: a price a cent below the floor is held",
      "candidate.totalPriceCents >= spec.priceFloorEur * 100",
      "Math.ceil(candidate.totalPriceCents / 100) >= spec.priceFloorEur",
    ],
  ]),
];
