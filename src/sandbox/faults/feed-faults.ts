import { drawListing } from "../world/draw-listing.ts";
import { readCatalogueQuery } from "../market/catalogue-query.ts";
import type { FaultKind } from "./fault-kind.ts";
import { changeAt, isObject } from "./json-surgery.ts";
import type { Scene } from "./twists.ts";

const onCatalogue = { routes: ["catalog"], onlyRoutes: ["catalog"], defaultDelayMs: 0 } as const;

/** A catalogue that shows nothing, nothing new, too much at once, or the wrong order. */
export const feedFaults: readonly FaultKind[] = [
  {
    ...onCatalogue,
    kind: "empty_feed",
    variants: ["empty"],
    twist: () => ({ rewrites: [emptied] }),
  },
  {
    ...onCatalogue,
    kind: "frozen_feed",
    variants: ["frozen"],
    twist: ({ armedAtMs }) => ({ terms: { catalogueUntilMs: armedAtMs } }),
  },
  {
    ...onCatalogue,
    kind: "page_overflow",
    variants: ["burst"],
    twist: () => ({ before: [publishMoreThanAPage] }),
  },
  {
    ...onCatalogue,
    kind: "promoted",
    variants: ["lifted"],
    twist: () => ({ rewrites: [(content) => changeAt(content, ["items"], withOldOnesLifted)] }),
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

/** Between two reads, more arrives in just these categories than a page can hold. */
function publishMoreThanAPage({ market, query, nowMs }: Scene): void {
  const { leafIds, perPage } = readCatalogueQuery(query);
  const leaves = [...(leafIds ?? [])];
  const wares = Array.from({ length: Math.ceil(perPage * PAGES_TOO_MANY) }, (_unused, index) => {
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
  market.stock.publish(wares);
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

const LIFTED = 3;

/** The page's oldest stand at its top, marked as promoted. */
function withOldOnesLifted(items: unknown): unknown {
  if (!isList(items)) return items;
  const promoted = items.slice(-LIFTED).map((item) => (isObject(item) ? { ...item, promoted: true } : item));
  return [...promoted, ...items.slice(0, -LIFTED)];
}
