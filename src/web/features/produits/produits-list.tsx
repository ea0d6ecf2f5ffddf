import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState, type RefObject } from "react";
import { flushSync } from "react-dom";
import type { Filtre } from "#contract/filtres/filtre.ts";
import { useLiveFeed } from "../../api/live/live-feed.ts";
import { othersOfSellers, type StreamItem } from "../../api/live/stream-items.ts";
import { shortcutKeyOf } from "../../layout/shortcut-keys.ts";
import { useBuying } from "../../ui/buying/buy.ts";
import { Guard } from "../../ui/loading/guard.tsx";
import { ProduitCard } from "./produit-card.tsx";
import { arrangementOf, MARGIN_PX, rowsInSight, type Layout, type View } from "./rows.ts";
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
  const buying = useBuying();
  const { arrangement, rowHeightPx, rowCount, rows } = useRows(list, layout, items.length);
  const { columns, cardHeightPx, gapPx, isNarrow } = arrangement;
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
        paddingTop: rows.first * rowHeightPx,
        paddingBottom: (rowCount - rows.end) * rowHeightPx + gapPx,
        gap: gapPx,
        gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
        // Rows that need more height share it: those that are not rendered are as high.
        gridAutoRows: `minmax(${cardHeightPx}px, 1fr)`,
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

/** 1 for the usual font size of browsers. */
const TEXT_SCALE = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;

/**
 * The arrangement for the list's width, an expectation at first, so that the first cards wait for no layout, and the
 * rows to render. Updates on scroll, on resize and when content above the list changes its height.
 */
function useRows(list: RefObject<HTMLElement | null>, layout: Layout, cardCount: number) {
  const [widthPx, setWidthPx] = useState(expectedWidthPx);
  // Until it is measured, the rows of one viewport height: those in view and, mostly, some of the margin.
  const [view, setView] = useState<View>(() => ({ listTopPx: MARGIN_PX, heightPx: window.innerHeight }));
  // Where the text of a card needs more height, as with a person's own text spacing, all cards get it.
  const [needed, setNeeded] = useState<Readonly<Record<string, number>>>();
  const key = layout + widthPx;
  const arrangement = arrangementOf(layout, widthPx, TEXT_SCALE, needed?.[key]);
  const { cardHeightPx } = arrangement;
  const rowHeightPx = cardHeightPx + arrangement.gapPx;
  const rowCount = Math.ceil(cardCount / arrangement.columns);
  // Before anything is laid out: what a grid's card needs must not be taken for what a line needs.
  useLayoutEffect(() => {
    const measure = (): void => {
      const { current: element } = list;
      if (element === null) return;
      const { clientWidth } = element;
      setWidthPx(clientWidth);
      const heightPx = Number.parseFloat(getComputedStyle(element).gridTemplateRows);
      // Cards that are still arranged for another width say nothing about what they need.
      if (clientWidth === widthPx && heightPx > cardHeightPx) setNeeded({ [key]: heightPx });
      const next = { listTopPx: element.getBoundingClientRect().top, heightPx: window.innerHeight };
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
  }, [list, key, widthPx, cardHeightPx, rowHeightPx, rowCount]);
  const rows = rowsInSight(rowHeightPx, rowCount, view);
  return { arrangement, rowHeightPx, rowCount, rows };
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

/** The width that panel.css leaves for the content of a screen. */
function expectedWidthPx(): number {
  const isBesideMenu = window.matchMedia("(min-width: 1024px)").matches;
  return document.documentElement.clientWidth - (isBesideMenu ? 240 + 2 * 32 : 2 * 16);
}
