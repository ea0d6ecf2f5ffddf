import { useRef } from "react";
import { WindowVirtualizer, type WindowVirtualizerHandle } from "virtua";
import type { Filtre } from "#contract/filtre.ts";
import { useLiveFeed } from "../../api/live-context.ts";
import type { StreamItem } from "../../api/stream-items.ts";
import { useBoughtIds } from "../../api/use-bought-ids.ts";
import { useWidth } from "../../ui/use-width.ts";
import type { Layout } from "./layout-switch.tsx";
import { ProduitCard } from "./produit-card.tsx";
import { columnsFor, rowsOf } from "./rows.ts";
import { useCardKeys } from "./use-card-keys.ts";
import { useReadingHold } from "./use-reading-hold.ts";
import "./produits-list.css";

interface ProduitsListProps {
  readonly items: readonly StreamItem[];
  readonly layout: Layout;
  readonly filtres: readonly Filtre[];
}

/** All cards, of which only those in sight are drawn: thousands stay smooth. */
export function ProduitsList({ items, layout, filtres }: ProduitsListProps) {
  const [list, widthPx] = useWidth<HTMLDivElement>();
  const virtualizer = useRef<WindowVirtualizerHandle>(null);
  const boughtIds = useBoughtIds();
  const columns = layout === "list" ? 1 : columnsFor(widthPx);
  const tags = new Map(filtres.map(({ _id, tag }) => [_id, tag]));
  useReadingHold(useLiveFeed(), list);
  useCardKeys({ list, virtualizer, ids: items.map(({ id }) => id), columns });
  return (
    <div ref={list} className="produits-list">
      {widthPx === 0 ? null : (
        <WindowVirtualizer key={layout} ref={virtualizer} data={rowsOf(items, columns)} bufferSize={400}>
          {(row, index) => (
            <div
              key={index}
              className="produits-list__row"
              style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
            >
              {row.map((item) => (
                <ProduitCard
                  key={item.id}
                  item={item}
                  layout={layout}
                  isBought={boughtIds.has(item.id)}
                  foundBy={item.filtres.flatMap((id) => tags.get(id) ?? [])}
                />
              ))}
            </div>
          )}
        </WindowVirtualizer>
      )}
    </div>
  );
}
