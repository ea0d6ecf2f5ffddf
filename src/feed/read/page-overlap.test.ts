import { expect, test } from "vitest";
import type { SearchPage } from "#marketplace/marketplace.ts";
import { aListing } from "#verify/testing/a-listing.ts";
import { beginsWithin, bridgeLength, type Coverage, coverageOf, inOrder, worstOf } from "./further-pages.ts";
import { MAX_PAGES, PAGE_SIZE } from "./slice-pages.ts";

function pageOf(...ids: readonly number[]): SearchPage {
  return { listings: ids.map((id) => aListing({ id })), droppedCount: 0, totalPages: 9, receivedAtMs: 0 };
}

const above = pageOf(9, 8, 7);
const below = pageOf(5, 4, 3);
const empty = pageOf();

interface BridgeCase {
  readonly what: string;
  readonly bridge: SearchPage;
  readonly below: SearchPage;
  readonly coverage: Coverage;
}

const bridgeCases: readonly BridgeCase[] = [
  { what: "from the one above into the one below", bridge: pageOf(8, 7, 6, 5), below, coverage: "gapless" },
  { what: "begins below the one above", bridge: pageOf(6, 5, 4, 3), below, coverage: "gap" },
  { what: "ends above the one below", bridge: pageOf(9, 8, 7, 6), below, coverage: "gap" },
  { what: "nothing, though something stands below", bridge: empty, below, coverage: "gap" },
  {
    what: "room for more, and only what stood above",
    bridge: pageOf(9, 8, 7),
    below: empty,
    coverage: "gapless",
  },
  { what: "no room for more", bridge: pageOf(9, 8, 7, 7), below: empty, coverage: "hidden" },
  { what: "something that did not stand above", bridge: pageOf(8, 7, 6), below: empty, coverage: "hidden" },
  { what: "nothing, nor does the one below", bridge: empty, below: empty, coverage: "hidden" },
];

test.each(bridgeCases)("a bridge that shows $what is $coverage", (bridgeCase) => {
  expect(coverageOf(above, { bridge: bridgeCase.bridge, length: 4 }, bridgeCase.below)).toBe(
    bridgeCase.coverage,
  );
});

test("the coverage of a pass is that of its worst page", () => {
  const from = (coverages: readonly Coverage[]): Coverage => coverages.reduce(worstOf, "gapless");
  expect(from([])).toBe("gapless");
  expect([from(["gap", "gapless"]), from(["gapless", "gap"])]).toEqual(["gap", "gap"]);
  expect([from(["hidden", "gap"]), from(["gap", "hidden"])]).toEqual(["hidden", "hidden"]);
  expect(from(["hidden", "gapless"])).toBe("hidden");
});

test("a bridge begins above the end of the page and ends below it, for every page", () => {
  for (let page = 2; page <= MAX_PAGES; page += 1) {
    const edge = (page - 1) * PAGE_SIZE;
    const length = bridgeLength(page, PAGE_SIZE);
    expect((page - 1) * length).toBeLessThan(edge);
    expect(page * length).toBeGreaterThan(edge);
  }
});

test("promoted listings are not part of the order", () => {
  const promoted = { ...above, listings: [aListing({ id: 3, isPromoted: true }), ...above.listings] };
  expect(inOrder(promoted)).toEqual([9, 8, 7]);
  expect(beginsWithin(below, promoted)).toBe(false);
  expect(beginsWithin(pageOf(7, 6), above)).toBe(true);
  expect(beginsWithin(empty, above)).toBe(false);
});
