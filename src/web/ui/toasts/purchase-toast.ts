import { createContext, use } from "react";
import type { Achat } from "#contract/achat.ts";
import type { Produit } from "#contract/produit.ts";
import type { PurchasePayload } from "#contract/socket.ts";
import { CallError, errorText } from "../../api/client.ts";
import { formatQuoted } from "../format-panel.ts";
import {
  kindOf,
  PROGRESS,
  textOf,
  type NewsKind,
  type PurchaseNews,
  type PurchaseOffer,
} from "./purchase-news.ts";
import { showToast, withToasts } from "./show-toast.ts";

const MAX_REMEMBERED = 500;
const NEWS_TEXT = "Un achat a changé d'état.";

interface Listed {
  readonly ids: ReadonlySet<string>;
  /** The date of the oldest, in Unix seconds. */
  readonly sinceS: number;
}

/**
 * Groups the news of one person's purchases in one toast that stays until closed. A purchase's outcome
 * arrives in the response to its click and over the socket, in either order; it is shown once.
 */
export class PurchaseToast {
  #isOpen = false;
  /** The news on the screen, newest first. */
  #shown: readonly PurchaseNews[] = [];
  /** The kind of news that was last shown of each purchase, or from which the next one is expected. */
  readonly #announced = new Map<string, NewsKind>();
  /** Purchases whose next outcome is announced even if it is the same again. */
  readonly #followed = new Set<string>();
  /** Socket reports held back while the listing's click is in flight: the response is more precise. */
  readonly #pendingClicks = new Map<number, PurchasePayload | null>();
  /** What the list named when it was last read; null until then. */
  #listed: Listed | null = null;

  /** Shows news until the returned function is called, so that the next user sees no late response. */
  open(): () => void {
    this.#isOpen = true;
    return () => {
      this.#show([]);
      this.#isOpen = false;
    };
  }

  /** Holds back socket reports of the listing until `endClick`: the response announces the outcome. */
  beginClick(listingId: number): void {
    this.#pendingClicks.set(listingId, null);
  }

  /** Returns the socket report that was held back, if any. */
  endClick(listingId: number): PurchasePayload | null {
    const payload = this.reportOf(listingId);
    this.#pendingClicks.delete(listingId);
    return payload;
  }

  /** The socket report held back for a listing, if any. */
  reportOf(listingId: number): PurchasePayload | null {
    return this.#pendingClicks.get(listingId) ?? null;
  }

  /** Handles a socket report. @param filterTag the name of the filter that bought it, if any */
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
    if (news.kind === "pending" || news.kind === "cancelling") this.#expect(news);
    else this.#announce(news);
  }

  /** Adds the name of the filter that bought, which was not known when the purchase was reported. */
  nameFilter({ _id: id, offre }: Achat, filterTag: string): void {
    this.#show(
      this.#shown.map((news) => (news.id === id ? { ...news, boughtBy: boughtBy(offre, filterTag) } : news)),
    );
  }

  /** The response to a click; its outcome may still be pending. */
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

  /** A click that certainly bought nothing. Its card shows the reason; what had begun to be paid stays until closed. */
  announceRefusedClick(product: Produit, error: unknown): void {
    if (!this.#isOpen) return;
    const purchaseId = error instanceof CallError ? error.purchaseId : undefined;
    if (purchaseId !== undefined) this.#remember(purchaseId, "cancelled");
    this.#show(this.#withoutLost(product.id));
    showToast({
      id: `refus-${product.id}`,
      tone: "bad",
      title: product.title,
      message: errorText(error),
      stays: purchaseId !== undefined,
    });
  }

  /** Reports also the outcome of what is asked of a purchase that this page did not announce. */
  follow(purchase: Achat): void {
    this.#remember(purchase._id, kindOf(purchase));
    this.#followed.add(purchase._id);
  }

  /**
   * Announces the purchases whose progress in the list is ahead of the last event received, and those that began
   * since the list was last read. Its first read announces nothing.
   * @param purchases newest first
   * @param tagOf the name of a filter, if it is known
   */
  catchUp(purchases: readonly Achat[], tagOf: (filterId: string | null) => string | undefined): void {
    const listed = this.#listed;
    const ids = new Set(purchases.map(({ _id: id }) => id));
    this.#listed = { ids, sinceS: purchases.at(-1)?.purchase_date ?? 0 };
    // The newest are the last to be forgotten.
    for (const purchase of purchases.toReversed()) {
      const { _id: id } = purchase;
      const kind = kindOf(purchase);
      const known = this.#announced.get(id);
      if (known === undefined && listed === null) this.#remember(id, kind);
      else if (known === undefined && !this.#isNew(purchase, listed)) continue;
      else if (kind === "pending" || kind === "cancelling") this.#expect({ id, kind });
      else if (known === undefined || PROGRESS[kind] > PROGRESS[known])
        this.#announce(newsOf(purchase, textOf(purchase), tagOf(purchase.filtre)));
    }
  }

  /**
   * False for one that the list named before, for one from before its oldest, which older ones made room for, and for
   * one whose click is in flight: the response announces it.
   */
  #isNew({ _id: id, purchase_date: dateS, product }: Achat, listed: Listed | null): boolean {
    if (listed === null || listed.ids.has(id) || this.#pendingClicks.has(product.id)) return false;
    return dateS >= listed.sinceS;
  }

  /** What comes of a purchase, or of a further cancel after one was refused, is news although this is none. */
  #expect({ id, kind }: Pick<PurchaseNews, "id" | "kind">): void {
    const known = this.#announced.get(id);
    if (known === undefined || known === "kept") this.#remember(id, kind);
  }

  #announce(news: PurchaseNews): void {
    // A second refusal is news too.
    const isFollowed = this.#followed.delete(news.id);
    const earlier = this.#shown.find(({ id }) => id === news.id);
    if (this.#announced.get(news.id) === news.kind && !isFollowed) {
      // When the list came first, its filter may not have been read yet.
      if (earlier !== undefined && earlier.boughtBy !== news.boughtBy)
        this.#show(
          this.#shown.map((each) => (each === earlier ? { ...earlier, boughtBy: news.boughtBy } : each)),
        );
      return;
    }
    this.#remember(news.id, news.kind);
    const offer = news.kind === "cancelled" ? undefined : (news.offer ?? earlier?.offer);
    this.#show([{ ...news, offer }, ...this.#withoutLost(news.listingId).filter(({ id }) => id !== news.id)]);
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
    const forget = (): void => {
      this.#shown = [];
    };
    withToasts(({ showPurchases }) => showPurchases(next, forget));
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

/** The socket report if it has more progress on the same purchase, else the response. */
export function newestOf(answered: PurchasePayload, reported: PurchasePayload | null): PurchasePayload {
  const [one, other] = [answered.purchase, reported?.purchase];
  if (reported === null || one === undefined || other?._id !== one._id) return answered;
  return PROGRESS[kindOf(other)] > PROGRESS[kindOf(one)] ? reported : answered;
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
