import type { ProduitVu } from "#contract/produit.ts";
import { formatAge, formatMoney } from "../../ui/format.ts";
import { useNowMs } from "../../ui/now.ts";
import { Photo } from "../../ui/photo.tsx";
import "./market-preview.css";

/** What of the market was seen in the last minutes, dimmed: to be looked at, not to be bought. */
export function MarketPreview({ items }: { readonly items: readonly ProduitVu[] }) {
  const nowMs = useNowMs();
  if (items.length === 0) return null;
  return (
    <section className="market-preview" aria-labelledby="apercu-du-marche">
      <header>
        <h2 id="apercu-du-marche">Le marché en ce moment</h2>
        <p>Un aperçu seulement : lancez un filtre pour voir et acheter vos articles.</p>
      </header>
      <ul>
        {items.map((item) => (
          <li key={item.id}>
            <Photo photo={item.photo} alt="" />
            <p className="market-preview__title">{item.title}</p>
            <p>
              {formatMoney(item.total_item_price)} · {formatAge(item.vu_a, nowMs)}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
