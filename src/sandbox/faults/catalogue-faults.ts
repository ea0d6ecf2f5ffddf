import { drawListing } from "../world/draw-listing.ts";
import { readCatalogueQuery } from "../market/catalogue-query.ts";
import type { FaultKind, RequestContext } from "./injection.ts";
import { changeAt, isObject } from "./json-edit.ts";

const onCatalogue = { routes: ["catalog"], onlyRoutes: ["catalog"], defaultDelayMs: 0 } as const;

/** A catalogue that is empty, stale, overflowing or out of order. */
export const feedFaults: readonly FaultKind[] = [
  {
    ...onCatalogue,
    kind: "empty_feed",
    variants: ["empty"],
    inject: () => ({ contentRewrites: [emptied] }),
  },
  {
    ...onCatalogue,
    kind: "frozen_feed",
    variants: ["frozen"],
    inject: ({ armedAtMs }) => ({ terms: { catalogueUntilMs: armedAtMs } }),
  },
  {
    ...onCatalogue,
    kind: "page_overflow",
    variants: ["burst"],
    inject: () => ({ before: [publishMoreThanAPage] }),
  },
  {
    ...onCatalogue,
    kind: "promoted",
    variants: ["lifted"],
    inject: () => ({ contentRewrites: [(content) => changeAt(content, ["items"], withOldOnesLifted)] }),
  },
];

function emptied(content: unknown): unknown {
  const withoutItems = changeAt(content, ["items"], () => []);
  return changeAt(
    changeAt(withoutItems, ["pagination", "total_entries"], () => 0),
    ["pagination", "total_pages"],
    () => 0,
  );
}

const PAGES_TOO_MANY = 1.5;

/** Publishes more listings in the requested categories than fit on a page. */
function publishMoreThanAPage({ market, query, nowMs }: RequestContext): void {
  const { leafIds, perPage } = readCatalogueQuery(query);
  const leaves = [...(leafIds ?? [])];
  const newListings = Array.from({ length: Math.ceil(perPage * PAGES_TOO_MANY) }, (_unused, index) => {
    const leafId = leaves[index % Math.max(1, leaves.length)];
    const serial = nowMs + index;
    const facts = drawListing({
      seed: 0,
      serial,
      publishedAtMs: nowMs,
      ...(leafId === undefined ? {} : { leafId }),
    });
    return { serial, facts: { ...facts, fate: null } };
  });
  market.stock.publish(newListings);
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

const LIFTED = 3;

/** Moves the oldest listings of the page to its top, marked as promoted. */
function withOldOnesLifted(items: unknown): unknown {
  if (!isList(items)) return items;
  const promoted = items.slice(-LIFTED).map((item) => (isObject(item) ? { ...item, promoted: true } : item));
  return [...promoted, ...items.slice(0, -LIFTED)];
}
