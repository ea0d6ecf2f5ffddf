import { swap, type Mutant } from "./mutant.ts";

/** What the index keeps or finds wrongly: its tables, cells, strata, keys and memory. */
const CUBE = "src/matching/cube/";
const SLOTS = ["src/matching/cube/slot-table.test.ts"];
const INDEX = ["src/matching/cube/cube-index.test.ts"];

export const matching: readonly Mutant[] = [
  {
    name: "matching: a removal tears a key from those behind it",
    patches: swap(
      `${CUBE}slot-table.ts`,
      "if (((place - home) & wrap) < ((place - gap) & wrap)) continue;",
      "",
    ),
    tests: SLOTS,
  },
  {
    name: "matching: a segment that grew keeps its old memory",
    patches: swap(
      `${CUBE}slot-table.ts`,
      "this.#arena.free(oldSegment, classFor(oldCapacity * SLOT_WORDS));",
      "",
    ),
    tests: SLOTS,
  },
  {
    name: "matching: keys that differ in a size are taken for one",
    patches: swap(`${CUBE}slot-table.ts`, "words[slot] === categoryAndSize && (", "("),
    tests: INDEX,
  },
  {
    name: "matching: Acquire's part of a flat cell does not move behind Thunder's",
    patches: swap(`${CUBE}cell.ts`, "? 0x1_0001 : 0x1_0000", "? 0x1 : 0x1_0000"),
    tests: INDEX,
  },
  {
    name: "matching: a flat cell that grows forgets where its classes end",
    patches: swap(
      `${CUBE}cell.ts`,
      "words[resized.offset - FLAT_HEADER_WORDS] = words[cell.offset - FLAT_HEADER_WORDS] ?? 0;",
      "",
    ),
    tests: INDEX,
  },
  {
    name: "matching: strata lose an entry when they become flat again",
    patches: swap(
      `${CUBE}strata.ts`,
      "for (let place = 0; place < count; place += 1) {",
      "for (let place = 0; place < Math.min(count, 40); place += 1) {",
    ),
    tests: INDEX,
  },
  {
    name: "matching: an entry of an equal cap may stand in another run than it is looked for in",
    patches: swap(
      `${CUBE}strata.ts`,
      "if (cap !== lowestCap) return cap < lowestCap;",
      "if (cap !== lowestCap || entry.number > 0) return cap <= lowestCap;",
    ),
    tests: INDEX,
  },
  {
    name: "matching: the second half of a run has the caps of whatever lay there before",
    patches: swap(`${CUBE}strata.ts`, "if (run.count > 0) noteCaps(words, at);", ""),
    tests: INDEX,
  },
  {
    name: "matching: the caps of a stratum are not those of its entries",
    patches: swap(
      `${CUBE}strata.ts`,
      "if (place === 0 || place === block.count) noteCaps(words, at);",
      "if (place === 0) noteCaps(words, at);",
    ),
    tests: INDEX,
  },
  {
    name: "matching: an entry stands behind the first row of its stratum that halving came upon",
    patches: swap(
      `${CUBE}strata.ts`,
      "const first = firstRowOf(words, strata, stratum);",
      "const first = Math.min(strata.rowCount, firstRowOf(words, strata, stratum) + 1);",
    ),
    tests: INDEX,
  },
  {
    name: "matching: a stratum that goes still counts among its class",
    patches: swap(`${CUBE}strata.ts`, "noteRow(words, strata, (words[at] ?? 0) & STRATUM_MASK, -1);", ""),
    tests: INDEX,
  },
  {
    name: "matching: only the first rows of a large directory are looked at",
    patches: swap(`${CUBE}scan.ts`, "      row = until;", "      row = end;"),
    tests: INDEX,
  },
  {
    name: "matching: a run is taken whole though its last cap is below the price",
    patches: swap(`${CUBE}scan.ts`, "& LOWEST_CAP_MASK) >= price", "& LOWEST_CAP_MASK) >= price - 1"),
    tests: INDEX,
  },
  {
    name: "matching: what must be verified is not, in a cell scanned for its conditions",
    patches: swap(
      `${CUBE}scan.ts`,
      "if ((passed & VERIFY) === 0) this.front",
      "if ((passed & VERIFY) >= 0) this.front",
    ),
    tests: INDEX,
  },
  {
    name: "matching: an entry alone under its key is found though its cap is below the price",
    patches: swap(`${CUBE}scan.ts`, " || meta < leastMetaOf(classNumber, this.price)) return;", ") return;"),
    tests: INDEX,
  },
  {
    name: "matching: a filter of more than 64 combinations is never asked for what its keys leave out",
    patches: swap(
      `${CUBE}cube-index.ts`,
      "metaOf(spec, matchClass, isWhole)",
      "metaOf(spec, matchClass, isWhole || isOpen || true)",
    ),
    tests: INDEX,
  },
  {
    name: "matching: filters of nothing but words are kept under a word that no longer has a number",
    patches: swap(`${CUBE}filter-keys.ts`, "    if (known.uses > 0) return;\n", ""),
    tests: INDEX,
  },
  {
    name: "matching: a branch counts as chosen by nobody when one of its filters goes",
    patches: swap(
      `${CUBE}cube-index.ts`,
      "(this.#categoryUses[category] ?? 0) + change;",
      "change > 0 ? (this.#categoryUses[category] ?? 0) + 1 : 0;",
    ),
    tests: INDEX,
  },
  {
    name: "matching: the answer has no room for one number more",
    patches: swap(
      `${CUBE}cube-index.ts`,
      "this.#roomFor(this.#answer, this.size + 2)",
      "this.#roomFor(this.#answer, 2)",
    ),
    tests: INDEX,
  },
  {
    name: "matching: a price beyond what an entry holds wraps around",
    patches: swap(
      `${CUBE}entry-meta.ts`,
      "Math.min(Math.ceil(totalPriceCents / 100), MAX_CAP)",
      "Math.ceil(totalPriceCents / 100) & MAX_CAP",
    ),
    tests: INDEX,
  },
  {
    name: "matching: a run that grows keeps its old memory",
    patches: swap(
      `${CUBE}strata.ts`,
      "  words[at + 1] = offset;\n  arena.free(block.offset, classForEntries(block.capacity));",
      "  words[at + 1] = offset;",
    ),
    tests: INDEX,
  },
];
