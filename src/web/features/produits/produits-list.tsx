import { IconRadar2 } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { WindowVirtualizer, type WindowVirtualizerHandle } from "virtua";
import type { Filtre } from "#contract/filtre.ts";
import { useLiveFeed } from "../../api/live-context.ts";
import type { StreamItem } from "../../api/stream-items.ts";
import { useBoughtIds } from "../../api/use-bought-ids.ts";
import { useWidth } from "../../ui/use-width.ts";
import { useBuying } from "./buy.ts";
import type { Layout } from "./layout-switch.tsx";
import { ProduitCard } from "./produit-card.tsx";
import { columnsFor, rowHeightFor, rowsOf } from "./rows.ts";
import { useCardKeys } from "./use-card-keys.ts";
import { useReadingHold } from "./use-reading-hold.ts";
import "./produits-list.css";

interface ProduitsListProps {
  readonly items: readonly StreamItem[];
  readonly layout: Layout;
  readonly filtres: readonly Filtre[];
  /** Changes with a new search, and when the person goes up to what is new: the rows are then laid out afresh. */
  readonly arrangement: string;
}

/** All cards, of which only those in sight are drawn: thousands stay smooth. */
export function ProduitsList({ items, layout, filtres, arrangement }: ProduitsListProps) {
  const [list, widthPx] = useWidth<HTMLDivElement>();
  const virtualizer = useRef<WindowVirtualizerHandle>(null);
  const buying = useBuying(useBoughtIds());
  const leadCount = useLeadCount(items, arrangement);
  const columns = layout === "list" ? 1 : columnsFor(widthPx);
  const rows = rowsOf(items, columns, leadCount);
  const tags = new Map(filtres.map(({ _id, tag }) => [_id, tag]));
  useReadingHold(useLiveFeed(), list);
  useCardKeys({ list, virtualizer, rows });
  return (
    <div ref={list} className="produits-list">
      {widthPx === 0 ? null : (
        <WindowVirtualizer
          key={layout}
          ref={virtualizer}
          data={rows}
          itemSize={rowHeightFor(layout, widthPx / columns)}
          bufferSize={400}
        >
          {({ key, items: cards }, index) => (
            <div
              key={key}
              className="produits-list__row"
              style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
            >
              {cards.map((item) => (
                <ProduitCard
                  key={item.id}
                  item={item}
                  layout={layout}
                  buyState={buying.stateOf(item.id)}
                  onBuy={buying.buy}
                  isFirst={index === 0}
                  foundBy={tagsOf(item, tags)}
                />
              ))}
              {index === 0 && leadCount % columns > 0 ? (
                <NextPlace column={(leadCount % columns) + 1} />
              ) : null}
            </div>
          )}
        </WindowVirtualizer>
      )}
    </div>
  );
}

/** The tags of the filters that found it; one that two filters share is said once. */
function tagsOf({ filtres }: StreamItem, tags: ReadonlyMap<string, string>): string {
  return [...new Set(filtres.flatMap((id) => tags.get(id) ?? []))].join(", ");
}

/** How many cards came since the rows were laid out. */
function useLeadCount(items: readonly StreamItem[], arrangement: string): number {
  const firstId = items[0]?.id;
  const [anchor, setAnchor] = useState({ id: firstId, arrangement });
  const index = items.findIndex(({ id }) => id === anchor.id);
  if (anchor.arrangement === arrangement && index !== -1) return index;
  setAnchor({ id: firstId, arrangement });
  return 0;
}

/** Where the first row still has room: the stream goes on. */
function NextPlace({ column }: { readonly column: number }) {
  return (
    <div className="produits-list__next" style={{ gridColumn: `${column} / -1` }} aria-hidden="true">
      <IconRadar2 size={26} stroke={1.4} />
      <span>Les prochains articles arrivent ici</span>
    </div>
  );
}
