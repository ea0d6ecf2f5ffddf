import { IconExternalLink } from "@tabler/icons-react";
import { memo, useId } from "react";
import type { Argent } from "#contract/envelope.ts";
import type { StreamItem } from "../../api/live/stream-items.ts";
import { BlockSeller } from "../../ui/block-seller.tsx";
import { BuyButton } from "../../ui/buying/buy-button.tsx";
import type { BuyState } from "../../ui/buying/buy.ts";
import { formatAge, formatMoney } from "../../ui/format.ts";
import { formatCounted, plural } from "../../ui/format-panel.ts";
import { useNowMs } from "../../ui/now.ts";
import { PersonPicture, Photo } from "../../ui/photo.tsx";
import type { Layout } from "./rows.ts";
import { UsualPrice } from "./usual-price.tsx";
import "./produit-card.css";
import "./produit-card-grid.css";
import "./produit-card-list.css";

interface ProduitCardProps {
  readonly item: StreamItem;
  readonly layout: Layout;
  readonly buyState: BuyState;
  readonly onBuy: (product: StreamItem) => void;
  /** The tags of the filters that found it, joined; empty if none of them exists any more. */
  readonly foundBy: string;
  /** All filters that found it are paused: the card is dimmed. */
  readonly isPaused: boolean;
  /** Number of other listings of the same seller in the list. */
  readonly othersOfSeller: number;
  /** In the first row: its photo is loaded eagerly. */
  readonly isFirst: boolean;
}

/** One listing of the stream, as a card or a line; memoised, so that arrivals do not render it again. */
export const ProduitCard = memo(function ProduitCard(props: ProduitCardProps) {
  const { item, layout, buyState, onBuy, foundBy, isPaused, othersOfSeller, isFirst } = props;
  const titleId = useId();
  const isGone = buyState.kind === "refused" && buyState.isGone;
  const listing =
    item.url === "" ? undefined : ({ href: item.url, target: "_blank", rel: "noopener noreferrer" } as const);
  return (
    <article
      className="produit-card"
      data-layout={layout}
      data-listing={item.id}
      data-gone={isGone || undefined}
      data-paused={isPaused || undefined}
      aria-labelledby={titleId}
      tabIndex={-1}
    >
      {/* The title links to the same page: only one of the two links is a tab stop. */}
      <a
        {...listing}
        className="produit-card__photo"
        {...(listing === undefined
          ? {}
          : { "aria-label": "Voir l'annonce sur Vinted", "aria-describedby": titleId, tabIndex: -1 })}
      >
        <Photo photo={item.photo} alt="" isEager={isFirst} />
        {listing === undefined ? null : (
          <IconExternalLink className="produit-card__leave" size={18} stroke={2} aria-hidden="true" />
        )}
        {isGone ? <span className="produit-card__gone centred">Vendu</span> : null}
      </a>
      <h2 id={titleId} className="produit-card__title clip">
        <a {...listing} title={item.title}>
          {item.title}
        </a>
      </h2>
      <dl className="produit-card__facts hint clip">
        <Fact label="Taille" value={item.size_title} />
        <Fact label="État" value={item.status} />
        <Fact label="Marque" value={item.brand_title} />
      </dl>
      <Price item={item} />
      <UsualPrice item={item} layout={layout} />
      <div className="produit-card__found">
        <FoundBy tags={foundBy} isPaused={isPaused} />
        <OneParcel others={othersOfSeller} />
        <SeenBefore item={item} />
        <Age sinceMs={item.paru_a ?? item.vu_a} />
      </div>
      <div className="produit-card__seller line hint" data-gap="6">
        <PersonPicture url={item.user.photo?.url} size={20} />
        <span className="clip">{item.user.login}</span>
        <BlockSeller seller={item.user} onPress={keepFocusOnCards} />
      </div>
      <div className="produit-card__actions">
        <BuyButton
          state={buyState}
          amount={item.total_item_price.amount}
          onBuy={() => onBuy(item)}
          titleId={titleId}
        />
      </div>
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
            <span className="produit-card__fell clip">Prix en baisse</span>
          </>
        )}
        <small className="produit-card__shipping dim clip">hors livraison</small>
      </dd>
    </dl>
  );
}

function Fact({ label, value }: { readonly label: string; readonly value: string | null }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd title={value ?? undefined}>
        {value === null || value.trim() === "" ? "N/A" : <Equivalents value={value} />}
      </dd>
    </div>
  );
}

/** A size with its equivalents, such as "M / 38 / 10": there is room for the first only. */
function Equivalents({ value }: { readonly value: string }) {
  const end = value.indexOf(" / ");
  if (end <= 0) return value;
  return (
    <>
      {value.slice(0, end)}
      <span className="visually-hidden">{value.slice(end)}</span>
    </>
  );
}

function FoundBy({ tags, isPaused }: { readonly tags: string; readonly isPaused: boolean }) {
  if (tags === "") return null;
  return (
    <span className="produit-card__filter" title={`Trouvé par : ${tags}`}>
      <span className="visually-hidden">Trouvé par : </span>
      {isPaused ? `En pause : ${tags}` : tags}
    </span>
  );
}

/** "déjà vue 3 fois : 45 → 38 €". */
function SeenBefore({ item: { republication, total_item_price: price } }: { readonly item: StreamItem }) {
  if (republication === undefined) return null;
  const { fois, premier_prix: first } = republication;
  const prices = first.amount === price.amount ? formatMoney(price) : formatFromTo(first, price);
  const text = `déjà vue ${fois} fois\u00A0: ${prices}`;
  return (
    <span className="produit-card__before" title={text}>
      {text}
    </span>
  );
}

/** Articles of one seller can be shipped in one parcel. */
function OneParcel({ others }: { readonly others: number }) {
  if (others === 0) return null;
  const articles = formatCounted(others, "autre article", "autres articles");
  const text = `${articles} de ce vendeur vous ${plural(others, "convient", "conviennent")}\u00A0: un seul envoi`;
  return (
    <span className="produit-card__parcel" title={text}>
      <span aria-hidden="true">{`+${others} de ce vendeur\u00A0: un seul envoi`}</span>
      <span className="visually-hidden">{text}</span>
    </span>
  );
}

function Age({ sinceMs }: { readonly sinceMs: number }) {
  return <span className="produit-card__age">{formatAge(sinceMs, useNowMs())}</span>;
}

/** Blocking a seller removes the card: the keyboard focus moves to a neighbouring card. */
function keepFocusOnCards(button: HTMLElement): void {
  // After a pointer press the focus stays out of the list, where it would hold back arrivals.
  if (!button.matches(":focus-visible")) return;
  const all = cards();
  const at = all.findIndex((card) => card.contains(button));
  // Moved before the card is removed: the focus on its button would be lost.
  (all[at + 1] ?? all[at - 1])?.focus({ preventScroll: true });
}

function cards(): readonly HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("[data-listing]")];
}

/** "45 → 38 €": with cents only if one of the amounts has some. */
function formatFromTo(from: Argent, to: Argent): string {
  const [before, after] = [Number(from.amount), Number(to.amount)];
  if (from.currency_code !== "EUR" || to.currency_code !== "EUR" || !Number.isFinite(before + after))
    return `${formatMoney(from)} → ${formatMoney(to)}`;
  const digits = Number.isInteger(before) && Number.isInteger(after) ? 0 : 2;
  const format = new Intl.NumberFormat("fr-FR", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return `${format.format(before)} → ${format.format(after)}\u00A0€`;
}
