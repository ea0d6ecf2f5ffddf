import type { StreamItem } from "../../api/live/stream-items.ts";
import { usualPriceStrip, usualPriceText } from "./usual-price.ts";

const WIDTH = 24;
const HEIGHT = 8;

/** What such articles usually cost: a strip with the usual range and this price, and the same in words. */
export function UsualPrice({ item: { total_item_price: price, prix } }: { readonly item: StreamItem }) {
  const text = prix === null ? null : usualPriceText(price, prix);
  if (prix === null || text === null) return null;
  const strip = usualPriceStrip(price, prix, WIDTH);
  return (
    <span className="produit-card__usual" title={`${text}\nPrix demandés, hors livraison`}>
      <svg width={WIDTH} height={HEIGHT} aria-hidden="true">
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
      <span>{text}</span>
    </span>
  );
}
