import { IconExternalLink } from "@tabler/icons-react";
import { memo, useId } from "react";
import type { Produit } from "#contract/produit.ts";
import type { StreamItem } from "../../api/stream-items.ts";
import { formatAge, formatMoney } from "../../ui/format.ts";
import { useNowMs } from "../../ui/now.ts";
import { PersonPicture } from "../../ui/person-picture.tsx";
import { Photo } from "../../ui/photo.tsx";
import { BuyButton } from "./buy-button.tsx";
import type { BuyState } from "./buy.ts";
import { HideSeller } from "./hide-seller.tsx";
import type { Layout } from "./layout-switch.tsx";
import "./produit-card.css";

interface ProduitCardProps {
  readonly item: StreamItem;
  readonly layout: Layout;
  readonly buyState: BuyState;
  readonly onBuy: (product: Produit) => void;
  /** The tags of the person's filters that found it; empty where none of them is left. */
  readonly foundBy: string;
  /** In sight as soon as the page opens: its photo comes before all others. */
  readonly isFirst: boolean;
}

/** One listing of the stream, as a card or as a line. Drawn anew only when it changes itself, not when others arrive. */
export const ProduitCard = memo(function ProduitCard(props: ProduitCardProps) {
  const { item, layout, buyState, onBuy, foundBy, isFirst } = props;
  const titleId = useId();
  const isGone = buyState.kind === "refused" && buyState.isGone;
  return (
    <article
      className="produit-card"
      data-layout={layout}
      data-listing={item.id}
      data-gone={isGone || undefined}
      aria-labelledby={titleId}
      tabIndex={-1}
    >
      <div className="produit-card__photo">
        <Photo photo={item.photo} alt="" isEager={isFirst} />
        <Age seenAtMs={item.vu_a} />
        <FoundBy tags={foundBy} />
        {isGone ? <span className="produit-card__gone">Vendu</span> : null}
      </div>
      <div className="produit-card__words">
        <h2 id={titleId} className="produit-card__title">
          {item.title}
        </h2>
        <Price item={item} />
        <dl className="produit-card__facts">
          <Fact label="Marque" value={item.brand_title} />
          <Fact label="Taille" value={item.size_title} />
          <Fact label="État" value={item.status} />
        </dl>
        <p className="produit-card__seller">
          <PersonPicture url={item.user.photo?.url} size={22} />
          <span>{item.user.login}</span>
          <HideSeller login={item.user.login} />
        </p>
      </div>
      <div className="produit-card__actions">
        <BuyButton state={buyState} onBuy={() => onBuy(item)} titleId={titleId} />
      </div>
      <a
        className="produit-card__market"
        href={item.url}
        target="_blank"
        rel="noopener noreferrer"
        title="Voir l'annonce sur Vinted"
        aria-label="Voir l'annonce sur Vinted"
        aria-describedby={titleId}
      >
        <IconExternalLink size={18} stroke={1.9} />
      </a>
    </article>
  );
});

function Price({ item: { total_item_price: price, previousAmount } }: { readonly item: StreamItem }) {
  return (
    <dl className="produit-card__price">
      <dt>Prix</dt>
      <dd>
        {formatMoney(price)}
        {previousAmount === undefined ? null : (
          <>
            <s>{formatMoney({ ...price, amount: previousAmount })}</s>
            <span className="produit-card__fell">Prix en baisse</span>
          </>
        )}
      </dd>
    </dl>
  );
}

function Fact({ label, value }: { readonly label: string; readonly value: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd title={value}>{value === "" ? "N/A" : value}</dd>
    </div>
  );
}

/** Which of the person's filters found it. */
function FoundBy({ tags }: { readonly tags: string }) {
  if (tags === "") return null;
  return (
    <span className="produit-card__filter" title={`Trouvé par : ${tags}`}>
      <span className="visually-hidden">Trouvé par : </span>
      {tags}
    </span>
  );
}

function Age({ seenAtMs }: { readonly seenAtMs: number }) {
  return <span className="produit-card__age">{formatAge(seenAtMs, useNowMs())}</span>;
}
