import { useLayoutEffect, useState, type RefObject } from "react";
import type { Filtre } from "#contract/filtre.ts";
import { useLiveFeed } from "../../api/live-context.ts";
import type { StreamItem } from "../../api/stream-items.ts";
import { Guard } from "../../ui/guard.tsx";
import { useWidth } from "../../ui/use-width.ts";
import { useBuying } from "./buy.ts";
import { ProduitCard } from "./produit-card.tsx";
import { arrangementOf, rowsInSight, type Layout, type RowRange } from "./rows.ts";
import { useCardKeys } from "./use-card-keys.ts";
import { useSteadyList } from "./use-steady-list.ts";
import "./produits-list.css";

interface ProduitsListProps {
  readonly items: readonly StreamItem[];
  readonly layout: Layout;
  readonly filtres: readonly Filtre[];
}

/**
 * All cards, of which only those near the window are drawn. They are children of one grid, so that an arrival moves a
 * card to another row without drawing it, and its photo, from the beginning.
 */
export function ProduitsList({ items, layout, filtres }: ProduitsListProps) {
  const [list, widthPx] = useWidth<HTMLDivElement>();
  const buying = useBuying();
  const { columns, cardHeightPx, gapPx, isNarrow } = arrangementOf(layout, widthPx);
  const rowHeightPx = cardHeightPx + gapPx;
  const rowCount = Math.ceil(items.length / columns);
  const rows = useRowsInSight(list, rowHeightPx, rowCount);
  const scrollToIndex = (index: number): void => {
    if (list.current !== null) scrollToRow(list.current, Math.floor(index / columns) * rowHeightPx);
  };
  const steadiness = useSteadyList({ feed: useLiveFeed(), list, items, columns });
  useCardKeys({ list, items, scrollToIndex, steadiness });
  const firstIndex = rows.first * columns;
  return (
    <div
      ref={list}
      className="produits-list"
      data-layout={layout}
      data-narrow={isNarrow || undefined}
      style={{
        height: rowCount * rowHeightPx,
        paddingTop: rows.first * rowHeightPx,
        gap: gapPx,
        gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
        gridAutoRows: cardHeightPx,
      }}
    >
      {(widthPx === 0 ? [] : items.slice(firstIndex, rows.end * columns)).map((item, place) => (
        // A card that cannot be drawn keeps its place, so that no other moves.
        <Guard key={item.id} of={item} fallback={<div />}>
          <ProduitCard
            item={item}
            layout={layout}
            buyState={buying.stateOf(item)}
            onBuy={buying.buy}
            isFirst={firstIndex + place < columns}
            {...finders(item, filtres)}
          />
        </Guard>
      ))}
    </div>
  );
}

/** The tags of the filters that found it, each once, and whether all of them are paused by now. */
function finders(
  item: StreamItem,
  filtres: readonly Filtre[],
): { readonly foundBy: string; readonly isPaused: boolean } {
  const found = filtres.filter(({ _id }) => item.filtres.includes(_id));
  return {
    foundBy: [...new Set(found.map(({ tag }) => tag))].join(", "),
    isPaused: found.length > 0 && found.every(({ active }) => !active),
  };
}

/** Follows scrolling, the window's size and what changes its height above the list. */
function useRowsInSight(
  list: RefObject<HTMLElement | null>,
  rowHeightPx: number,
  rowCount: number,
): RowRange {
  const [rows, setRows] = useState<RowRange>({ first: 0, end: 0 });
  useLayoutEffect(() => {
    const measure = (): void => {
      if (list.current === null) return;
      const listTopPx = list.current.getBoundingClientRect().top;
      const next = rowsInSight(rowHeightPx, rowCount, { listTopPx, heightPx: window.innerHeight });
      setRows((known) => (known.first === next.first && known.end === next.end ? known : next));
    };
    measure();
    window.addEventListener("scroll", measure, { passive: true });
    window.addEventListener("resize", measure);
    // What stands above the list may go without any scrolling: the first steps, a notice, the bar of filters.
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => {
      observer.disconnect();
      window.removeEventListener("scroll", measure);
      window.removeEventListener("resize", measure);
    };
  }, [list, rowHeightPx, rowCount]);
  return rows;
}

/** Brings a row to the middle of the window. */
function scrollToRow(list: HTMLElement, rowTopPx: number): void {
  const listTopPx = list.getBoundingClientRect().top + window.scrollY;
  window.scrollTo({ top: listTopPx + rowTopPx - window.innerHeight / 3 });
}
