import { IconExternalLink } from "@tabler/icons-react";
import { memo, useId } from "react";
import type { StreamItem } from "../../api/stream-items.ts";
import { formatAge, formatMoney } from "../../ui/format.ts";
import { useNowMs } from "../../ui/now.ts";
import { PersonPicture } from "../../ui/person-picture.tsx";
import { Photo } from "../../ui/photo.tsx";
import { BuyButton } from "./buy-button.tsx";
import { useBuy } from "./buy.ts";
import { HideSeller } from "./hide-seller.tsx";
import type { Layout } from "./layout-switch.tsx";
import "./produit-card.css";

interface ProduitCardProps {
  readonly item: StreamItem;
  readonly layout: Layout;
  readonly isBought: boolean;
  /** The tag of every filter, by its id. */
  readonly tags: ReadonlyMap<string, string>;
}

/** One listing of the stream, as a card or as a line. Drawn anew only when it changes itself, not when others arrive. */
export const ProduitCard = memo(function ProduitCard({ item, layout, isBought, tags }: ProduitCardProps) {
  const titleId = useId();
  const command = useBuy(item, isBought);
  const isGone = command.state.kind === "refused" && command.state.isGone;
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
        <Photo photo={item.photo} alt="" />
        <Age seenAtMs={item.vu_a} />
        <FoundBy tags={item.filtres.flatMap((id) => tags.get(id) ?? [])} />
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
        <BuyButton command={command} titleId={titleId} />
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
function FoundBy({ tags }: { readonly tags: readonly string[] }) {
  if (tags.length === 0) return null;
  const text = tags.join(", ");
  return (
    <span className="produit-card__filter" title={`Trouvé par : ${text}`}>
      <span className="visually-hidden">Trouvé par : </span>
      {text}
    </span>
  );
}

function Age({ seenAtMs }: { readonly seenAtMs: number }) {
  return <span className="produit-card__age">{formatAge(seenAtMs, useNowMs())}</span>;
}
