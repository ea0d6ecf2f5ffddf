/** Renders the news of purchases as one toast. */
import type { ReactNode } from "react";
import { formatMoney } from "../format.ts";
import { formatClock, formatCounted, formatQuoted, withNoBreaks } from "../format-panel.ts";
import { Photo } from "../photo.tsx";
import type { NewsKind, PurchaseNews } from "./purchase-news.ts";

const MAX_LINES = 3;

interface Summary {
  readonly tone: "good" | "bad" | "neutral";
  readonly stays: boolean;
  readonly title: string | null;
  readonly picture?: ReactNode;
  readonly message: ReactNode;
}

/** Null for no news. */
export function summaryOf(news: readonly PurchaseNews[]): Summary | null {
  const [first, ...others] = news;
  if (first === undefined) return null;
  const tone = toneOf(news);
  // A simulation costs nothing, so its toast closes automatically.
  const stays = news.some(({ kind }) => kind !== "simulated");
  if (others.length > 0)
    return { tone, stays, title: headingOf(news), message: <SeveralPurchases news={sortedNews(news)} /> };
  const picture = <Photo photo={first.photo} alt="" isEager />;
  return { tone, stays, title: null, picture, message: <OnePurchase news={first} /> };
}

function toneOf(news: readonly PurchaseNews[]): Summary["tone"] {
  if (news.some(({ kind }) => kind === "unknown" || kind === "lost")) return "bad";
  if (news.every(({ kind }) => kind === "confirmed" || kind === "simulated")) return "good";
  return news.every(({ kind }) => kind === "cancelled") ? "bad" : "neutral";
}

function OnePurchase({ news }: { readonly news: PurchaseNews }) {
  return (
    <>
      <p className="toast__text">{withNoBreaks(news.text)}</p>
      {news.boughtBy === null ? null : <p className="toast__by hint">{news.boughtBy}</p>}
      <Confirm news={news} />
      <Offer news={news} />
    </>
  );
}

function SeveralPurchases({ news }: { readonly news: readonly PurchaseNews[] }) {
  const moreCount = news.length - MAX_LINES;
  return (
    <ul className="toast__list">
      {news.slice(0, MAX_LINES).map((one) => (
        <li key={one.id}>
          <span className="clip">{one.title}</span>
          <span className="toast__price">{formatMoney(one.price)}</span>
          {one.boughtBy === null ? null : <span className="toast__by hint">{one.boughtBy}</span>}
          <Confirm news={one} />
          <Offer news={one} />
        </li>
      ))}
      {moreCount > 0 ? (
        <li className="toast__by hint">{moreCount === 1 ? "et un autre" : `et ${moreCount} autres`}</li>
      ) : null}
    </ul>
  );
}

function Offer({ news: { offer, title } }: { readonly news: PurchaseNews }) {
  if (offer === undefined) return null;
  return (
    <button
      type="button"
      className="toast__link"
      title={`${offer.label}, après ${formatQuoted(title)}`}
      onClick={offer.onSelect}
    >
      {offer.label}
    </button>
  );
}

function Confirm({ news: { kind, confirmationUrl, deadlineS, title } }: { readonly news: PurchaseNews }) {
  if (kind !== "awaiting" || confirmationUrl === null) return null;
  return (
    <a
      className="toast__link"
      href={confirmationUrl}
      target="_blank"
      rel="noopener noreferrer"
      title={`Confirmer ${formatQuoted(title)}`}
    >
      {deadlineS === null ? "Confirmer auprès de ma banque" : `Confirmer avant ${formatClock(deadlineS)}`}
    </a>
  );
}

const counted: Readonly<Record<NewsKind, readonly [one: string, many: string]>> = {
  awaiting: ["achat à confirmer", "achats à confirmer"],
  unknown: ["achat à vérifier", "achats à vérifier"],
  lost: ["achat incertain", "achats incertains"],
  kept: ["annulation non aboutie", "annulations non abouties"],
  pending: ["achat en cours", "achats en cours"],
  confirmed: ["achat confirmé", "achats confirmés"],
  simulated: ["simulation", "simulations"],
  cancelling: ["annulation en cours", "annulations en cours"],
  cancelled: ["achat annulé", "achats annulés"],
};

/** "1 achat à confirmer, 3 achats confirmés": kinds that need an action come first. */
export function headingOf(news: readonly PurchaseNews[]): string {
  return inOrder(news)
    .map(([kind, some]) => formatCounted(some.length, ...counted[kind]))
    .join(", ");
}

/** Grouped by kind in the order of the heading, the newest of each kind first. */
export function sortedNews(news: readonly PurchaseNews[]): readonly PurchaseNews[] {
  return inOrder(news).flatMap(([, some]) => some);
}

function inOrder(news: readonly PurchaseNews[]): readonly (readonly [NewsKind, readonly PurchaseNews[]])[] {
  const byKind = Map.groupBy(news, ({ kind }) => kind);
  const kinds = Object.keys(counted).filter((kind): kind is NewsKind => kind in counted);
  return kinds.flatMap((kind) => {
    const some = byKind.get(kind);
    return some === undefined ? [] : [[kind, some] as const];
  });
}
