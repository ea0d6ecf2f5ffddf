import { useEffect, useEffectEvent, useRef, useState, type RefObject } from "react";
import { flushSync } from "react-dom";
import type { Filtre } from "#contract/filtres/filtre.ts";
import { useLiveFeed } from "../../api/live/live-feed.ts";
import { othersOfSellers, type StreamItem } from "../../api/live/stream-items.ts";
import { shortcutKeyOf } from "../../layout/shortcut-keys.ts";
import { useBuying } from "../../ui/buying/buy.ts";
import { Guard } from "../../ui/guard.tsx";
import { ProduitCard } from "./produit-card.tsx";
import { arrangementOf, MARGIN_PX, rowsInSight, type Layout, type RowRange, type View } from "./rows.ts";
import { useSteadyList, type Steadiness } from "./use-steady-list.ts";

interface ProduitsListProps {
  readonly items: readonly StreamItem[];
  readonly layout: Layout;
  readonly filtres: readonly Filtre[];
}

/**
 * A virtual list: only cards near the viewport are rendered. They are children of one grid, so that an
 * arrival moves a card to another row without mounting it, and loading its photo, again.
 */
export function ProduitsList({ items, layout, filtres }: ProduitsListProps) {
  const list = useRef<HTMLDivElement>(null);
  const widthPx = useWidth(list);
  const buying = useBuying();
  const { columns, cardHeightPx, gapPx, isNarrow } = arrangementOf(layout, widthPx);
  const rowHeightPx = cardHeightPx + gapPx;
  const rowCount = Math.ceil(items.length / columns);
  const rows = useRowsInSight(list, rowHeightPx, rowCount);
  const scrollToIndex = (index: number): void => {
    if (list.current === null) return;
    scrollToRow(list.current, Math.floor(index / columns) * rowHeightPx);
    // The browser reports the scroll at its next frame only: J held down would find no focused card until then.
    flushSync(() => window.dispatchEvent(new Event("scroll")));
  };
  const steadiness = useSteadyList({ feed: useLiveFeed(), list, items, columns });
  useCardKeys({ list, items, scrollToIndex, steadiness });
  const firstIndex = rows.first * columns;
  const others = othersOfSellers(items);
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
      {items.slice(firstIndex, rows.end * columns).map((item, place) => (
        // A card that fails to render keeps its place, so that no other moves.
        <Guard key={item.id} of={item} fallback={<div />}>
          <ProduitCard
            item={item}
            layout={layout}
            buyState={buying.stateOf(item)}
            onBuy={buying.buy}
            othersOfSeller={item.user.id === null ? 0 : (others.get(item.user.id) ?? 0)}
            isFirst={firstIndex + place < columns}
            {...finders(item, filtres)}
          />
        </Guard>
      ))}
    </div>
  );
}

/** The distinct tags of the filters that found it, and whether all of these are paused. */
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

/** Updates on scroll, on resize and when content above the list changes its height. */
function useRowsInSight(
  list: RefObject<HTMLElement | null>,
  rowHeightPx: number,
  rowCount: number,
): RowRange {
  // Until it is measured, the rows of one viewport height: those in view and, mostly, some of the margin.
  const [view, setView] = useState<View>(() => ({ listTopPx: MARGIN_PX, heightPx: window.innerHeight }));
  useEffect(() => {
    const measure = (): void => {
      if (list.current === null) return;
      const next = { listTopPx: list.current.getBoundingClientRect().top, heightPx: window.innerHeight };
      setView((known) => {
        const [before, after] = [known, next].map((one) => rowsInSight(rowHeightPx, rowCount, one));
        return before?.first === after?.first && before?.end === after?.end ? known : next;
      });
    };
    window.addEventListener("scroll", measure, { passive: true });
    window.addEventListener("resize", measure);
    // Also called at first, once the list is laid out. The list also moves without scrolling when the first steps, a
    // notice or the filter bar disappears.
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => {
      observer.disconnect();
      window.removeEventListener("scroll", measure);
      window.removeEventListener("resize", measure);
    };
  }, [list, rowHeightPx, rowCount]);
  return rowsInSight(rowHeightPx, rowCount, view);
}

/** Scrolls a row's top edge to one third of the viewport's height. */
function scrollToRow(list: HTMLElement, rowTopPx: number): void {
  const listTopPx = list.getBoundingClientRect().top + window.scrollY;
  window.scrollTo({ top: listTopPx + rowTopPx - window.innerHeight / 3 });
}

/**
 * After J or K focused the first card of a list that had just changed by itself, A is ignored this long, also one
 * that a busy page handles late.
 */
const LOOK_MS = 1_000;

interface CardKeys {
  readonly list: RefObject<HTMLElement | null>;
  readonly items: readonly StreamItem[];
  /** Brings a card into view that is not rendered yet, and renders it at once. */
  readonly scrollToIndex: (index: number) => void;
  readonly steadiness: Steadiness;
}

/** J and K move the focus through the cards; A presses the focused card's buy button. */
function useCardKeys({ list, items, scrollToIndex, steadiness }: CardKeys): void {
  const buysFromMs = useRef(0);
  const walk = useEffectEvent((step: 1 | -1): void => {
    const chosen = items.findIndex(({ id }) => id === focusedId());
    buysFromMs.current = chosen === -1 && steadiness.hasJustChanged() ? performance.now() + LOOK_MS : 0;
    const index = chosen === -1 ? 0 : Math.min(Math.max(chosen + step, 0), items.length - 1);
    const id = items[index]?.id;
    if (id === undefined) return;
    const card = cardOf(list.current, id);
    if (card !== null) return card.focus();
    scrollToIndex(index);
    cardOf(list.current, id)?.focus();
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const key = shortcutKeyOf(event);
      if (key === "j" || key === "k") {
        event.preventDefault();
        walk(key === "j" ? 1 : -1);
      } else if (key === "a" && !event.repeat && event.timeStamp >= buysFromMs.current) {
        focusedCard()?.querySelector<HTMLElement>(".buy-button")?.click();
      }
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

function cardOf(list: HTMLElement | null, id: number): HTMLElement | null {
  return list?.querySelector<HTMLElement>(`[data-listing="${id}"]`) ?? null;
}

function focusedCard(): HTMLElement | null {
  return document.activeElement?.closest<HTMLElement>("[data-listing]") ?? null;
}

function focusedId(): number {
  return Number(focusedCard()?.dataset["listing"]);
}

/** The list's width in pixels: an expectation at first, so that the first cards wait for no layout. */
function useWidth(list: RefObject<HTMLElement | null>): number {
  const [widthPx, setWidthPx] = useState(expectedWidthPx);
  useEffect(() => {
    if (list.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWidthPx(Math.floor(entry.contentRect.width));
    });
    observer.observe(list.current);
    return () => observer.disconnect();
  }, [list]);
  return widthPx;
}

/** The width that panel.css leaves for the content of a screen. */
function expectedWidthPx(): number {
  const isBesideMenu = window.matchMedia("(min-width: 1024px)").matches;
  return document.documentElement.clientWidth - (isBesideMenu ? 240 + 2 * 32 : 2 * 16);
}
