import { notifications } from "@mantine/notifications";
import { createContext, use } from "react";
import type { Achat } from "#contract/achat.ts";
import type { Produit } from "#contract/produit.ts";
import type { PurchasePayload } from "#contract/socket.ts";
import { CallError, errorText } from "../../api/client.ts";
import { formatMoney } from "../format.ts";
import { formatClock, formatQuoted } from "../format-panel.ts";
import { Photo } from "../photo.tsx";
import {
  headingOf,
  kindOf,
  progressOf,
  sortedNews,
  type NewsKind,
  type PurchaseNews,
  type PurchaseOffer,
} from "./purchase-news.ts";
import { showToast, type ToastTone } from "./toast.tsx";

const TOAST_ID = "achats";
const MAX_LINES = 3;
const MAX_REMEMBERED = 500;
const NEWS_TEXT = "Un achat a changé d'état.";

/**
 * News of one person's purchases as one grouped message that stays until they close it. A purchase's outcome arrives
 * in the answer to its click and over the socket, in either order; it is shown once.
 */
export class PurchaseToast {
  #isOpen = false;
  /** The messages on the screen, newest first. */
  #shown: readonly PurchaseNews[] = [];
  /** The kind of news that was shown last of each purchase. */
  readonly #announced = new Map<string, NewsKind>();
  /** What the socket reported of listings whose click is not answered yet: the answer says it more precisely. */
  readonly #pendingClicks = new Map<number, PurchasePayload | null>();

  /** Shows news until the returned function is called: a later answer is not for the next user of the page. */
  open(): () => void {
    this.#isOpen = true;
    return () => {
      this.#show([]);
      this.#isOpen = false;
    };
  }

  /** From here on the answer to the click announces what becomes of it. */
  beginClick(listingId: number): void {
    this.#pendingClicks.set(listingId, null);
  }

  /** What the socket reported meanwhile. */
  endClick(listingId: number): PurchasePayload | null {
    const payload = this.reportOf(listingId);
    this.#pendingClicks.delete(listingId);
    return payload;
  }

  /** What the socket reported of a listing whose click is not answered yet. */
  reportOf(listingId: number): PurchasePayload | null {
    return this.#pendingClicks.get(listingId) ?? null;
  }

  /** What the socket reports. @param filterTag of the filter that bought it, where there is one */
  report(payload: PurchasePayload, filterTag?: string): void {
    const { purchase } = payload;
    if (purchase === undefined) {
      if (this.#isOpen) showToast({ message: textIn(payload), tone: payload.success ? "good" : "bad" });
      return;
    }
    if (purchase.source === "clic" && this.#pendingClicks.has(purchase.product.id)) {
      this.#pendingClicks.set(purchase.product.id, payload);
      return;
    }
    const news = newsOf(purchase, textIn(payload), filterTag);
    // The button or the list of purchases already shows its progress.
    if (news.kind !== "pending" && news.kind !== "cancelling") this.#announce(news);
  }

  /** The answer to a click, also where the outcome is still being established. */
  announceAnswer(payload: PurchasePayload, offer?: PurchaseOffer): void {
    if (payload.purchase !== undefined)
      this.#announce({ ...newsOf(payload.purchase, textIn(payload)), offer });
  }

  /** The outcome of a click is unknown. */
  announceLostClick(product: Produit, text: string): void {
    const id = `clic-${product.id}`;
    if (this.#shown.some((news) => news.id === id)) return;
    const { title, photo, total_item_price: price } = product;
    const none = { confirmationUrl: null, deadlineS: null, boughtBy: null };
    this.#show([
      { id, listingId: product.id, kind: "lost", text, title, photo, price, ...none },
      ...this.#shown,
    ]);
  }

  /** A click that certainly bought nothing. Its card shows the reason too, so this message closes automatically. */
  announceRefusedClick(product: Produit, error: unknown): void {
    if (!this.#isOpen) return;
    const purchaseId = error instanceof CallError ? error.purchaseId : undefined;
    if (purchaseId !== undefined) this.#remember(purchaseId, "cancelled");
    this.#show(this.#withoutLost(product.id));
    showToast({ id: `refus-${product.id}`, tone: "bad", title: product.title, message: errorText(error) });
  }

  #announce(news: PurchaseNews): void {
    if (this.#announced.get(news.id) === news.kind) return;
    this.#remember(news.id, news.kind);
    this.#show([news, ...this.#withoutLost(news.listingId).filter(({ id }) => id !== news.id)]);
  }

  #withoutLost(clickedId: number): readonly PurchaseNews[] {
    return this.#shown.filter(({ kind, listingId }) => kind !== "lost" || listingId !== clickedId);
  }

  #remember(id: string, kind: NewsKind): void {
    this.#announced.delete(id);
    this.#announced.set(id, kind);
    const oldest = this.#announced.keys().next();
    if (this.#announced.size > MAX_REMEMBERED && oldest.done !== true) this.#announced.delete(oldest.value);
  }

  #show(next: readonly PurchaseNews[]): void {
    const isSame =
      next.length === this.#shown.length && next.every((news, index) => news === this.#shown[index]);
    if (isSame || !this.#isOpen) return;
    this.#shown = next;
    showNews(next, () => {
      this.#shown = [];
    });
  }
}

const PurchaseToastContext = createContext<PurchaseToast | null>(null);

export const PurchaseToastProvider = PurchaseToastContext.Provider;

export function usePurchaseToast(): PurchaseToast {
  const toast = use(PurchaseToastContext);
  if (toast === null) throw new Error("a part of the panel stands outside of it");
  return toast;
}

function textIn({ success, message, error }: PurchasePayload): string {
  return (success ? message : error) ?? message ?? error ?? NEWS_TEXT;
}

/** Of two reports of one purchase the one that is further; else the answer. */
export function newestOf(answered: PurchasePayload, reported: PurchasePayload | null): PurchasePayload {
  const [one, other] = [answered.purchase, reported?.purchase];
  if (reported === null || one === undefined || other?._id !== one._id) return answered;
  return progressOf(kindOf(other)) > progressOf(kindOf(one)) ? reported : answered;
}

function newsOf(purchase: Achat, text: string, filterTag?: string): PurchaseNews {
  const { product, total, a_payer: toPay, offre, source, echeance } = purchase;
  return {
    id: purchase._id,
    listingId: product.id,
    kind: kindOf(purchase),
    text,
    title: product.title,
    photo: product.photo,
    price: total ?? toPay ?? product.total_item_price,
    confirmationUrl: purchase.purchase_confirmation,
    deadlineS: echeance ?? null,
    boughtBy: source === "auto" ? boughtBy(offre, filterTag) : null,
  };
}

function boughtBy(offer: Achat["offre"], filterTag: string | undefined): string {
  const who = offer ?? "Achat automatique";
  return filterTag === undefined ? who : `${who} · filtre ${formatQuoted(filterTag)}`;
}

function showNews(news: readonly PurchaseNews[], onClose: () => void): void {
  const [first, ...others] = news;
  if (first === undefined) {
    notifications.hide(TOAST_ID);
    return;
  }
  const isAlone = others.length === 0;
  showToast({
    id: TOAST_ID,
    // A simulation costs nothing: its message goes away again.
    stays: news.some(({ kind }) => kind !== "simulated"),
    tone: toneOf(news),
    title: isAlone ? null : headingOf(news),
    picture: isAlone ? <Photo photo={first.photo} alt="" isEager /> : undefined,
    message: isAlone ? <OnePurchase news={first} /> : <SeveralPurchases news={sortedNews(news)} />,
    onClose,
  });
}

function toneOf(news: readonly PurchaseNews[]): ToastTone {
  if (news.some(({ kind }) => kind === "unknown" || kind === "lost")) return "bad";
  if (news.every(({ kind }) => kind === "confirmed" || kind === "simulated")) return "good";
  return news.every(({ kind }) => kind === "cancelled") ? "bad" : "neutral";
}

function OnePurchase({ news }: { readonly news: PurchaseNews }) {
  return (
    <>
      <p className="toast__text">{news.text}</p>
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
