import type { StreamItem } from "../../api/live/stream-items.ts";
import type { Layout } from "./rows.ts";
import { usualPriceStrip, usualPriceText, usualPriceWords } from "./usual-price.ts";

/** On the narrowest card that has strip and words on one line, the whole of the range is to be read. */
const WIDTH = 18;
const HEIGHT = 8;

interface UsualPriceProps {
  readonly item: StreamItem;
  readonly layout: Layout;
}

/** What such articles usually cost: a strip with the usual range and this price, and the same in words. */
export function UsualPrice({ item: { total_item_price: price, prix }, layout }: UsualPriceProps) {
  const words = prix === null ? null : usualPriceWords(price, prix);
  if (prix === null || words === null) return null;
  const strip = usualPriceStrip(price, prix, WIDTH);
  return (
    <p className="produit-card__usual" title={`${usualPriceText(words)}\nPrix demandés, hors livraison`}>
      <svg width={WIDTH} height={HEIGHT} aria-hidden="true" data-below={words.isBelow || undefined}>
        <rect className="usual-strip" y={3} width={WIDTH} height={2} rx={1} />
        <rect
          className="usual-range"
          x={strip.from}
          y={2}
          width={Math.max(2, strip.to - strip.from)}
          height={4}
          rx={2}
        />
        <circle className="usual-now" cx={Math.min(WIDTH - 3, Math.max(3, strip.price))} cy={4} r={3} />
      </svg>
      {layout === "list" ? (
        <span>{usualPriceText(words)}</span>
      ) : (
        <>
          <span>{words.range}</span>{" "}
          {words.place.startsWith("(") ? null : <span className="usual-dot">· </span>}
          <span>{words.place}</span>
        </>
      )}
    </p>
  );
}
