import { notifications } from "@mantine/notifications";
import type { Achat } from "#contract/achat.ts";
import type { Produit } from "#contract/produit.ts";
import type { PurchasePayload } from "#contract/socket.ts";
import { CallError, errorText } from "../../api/client.ts";
import { formatClock, formatMoney, formatQuoted } from "../format.ts";
import { Photo } from "../photo.tsx";
import { headingOf, kindOf, progressOf, sortedNews, type PurchaseNews } from "./purchase-news.ts";
import { showToast, type ToastTone } from "./toast.tsx";

/**
 * News of purchases as one grouped message that stays until the person closes it. A purchase's outcome arrives in the
 * answer to its click and over the socket, in either order; it is shown once.
 */
const TOAST_ID = "achats";
const MAX_LINES = 3;
const MAX_REMEMBERED = 500;
const NEWS_TEXT = "Un achat a changé d'état.";

/** What is on the screen, the newest first. */
let open: readonly PurchaseNews[] = [];
/** The kind of news that was told last of each purchase. */
const told = new Map<string, PurchaseNews["kind"]>();
/** What the socket told of listings whose click is not answered yet: the answer tells it, more precisely. */
const underWay = new Map<number, PurchasePayload | null>();

/** From here on the answer to the click tells what becomes of it. */
export function beginClick(listingId: number): void {
  underWay.set(listingId, null);
}

/** What the socket told meanwhile. */
export function endClick(listingId: number): PurchasePayload | null {
  const payload = underWay.get(listingId) ?? null;
  underWay.delete(listingId);
  return payload;
}

export function heardOf(listingId: number): PurchasePayload | null {
  return underWay.get(listingId) ?? null;
}

/** What the socket tells. @param filterTag of the filter that bought it, where there is one */
export function tellPurchase(payload: PurchasePayload, filterTag?: string): void {
  const { purchase } = payload;
  if (purchase === undefined) {
    showToast({ message: textIn(payload), tone: payload.success ? "good" : "bad" });
    return;
  }
  if (purchase.source === "clic" && underWay.has(purchase.product.id)) {
    underWay.set(purchase.product.id, payload);
    return;
  }
  const news = newsOf(purchase, textIn(payload), filterTag);
  // The button, or the list of purchases, already shows that it is under way.
  if (news.kind !== "pending" && news.kind !== "cancelling") tell(news);
}

/** What the answer to a click tells, also where the outcome is still being established. */
export function tellAnswer(payload: PurchasePayload): void {
  if (payload.purchase !== undefined) tell(newsOf(payload.purchase, textIn(payload)));
}

/** Nobody can say yet what became of a click. */
export function tellLostClick(product: Produit, text: string): void {
  const id = `clic-${product.id}`;
  if (open.some((news) => news.id === id)) return;
  const { title, photo, total_item_price: price } = product;
  const none = { confirmationUrl: null, deadlineS: null, boughtBy: null };
  show([{ id, listingId: product.id, kind: "lost", text, title, photo, price, ...none }, ...open]);
}

/** A click that certainly bought nothing: its card says why as well, so this message goes by itself. */
export function tellRefusedClick(product: Produit, error: unknown): void {
  const purchaseId = error instanceof CallError ? error.purchaseId : undefined;
  if (purchaseId !== undefined) remember(purchaseId, "cancelled");
  show(withoutLost(product.id));
  showToast({ id: `refus-${product.id}`, tone: "bad", title: product.title, message: errorText(error) });
}

function tell(news: PurchaseNews): void {
  if (told.get(news.id) === news.kind) return;
  remember(news.id, news.kind);
  show([news, ...withoutLost(news.listingId).filter(({ id }) => id !== news.id)]);
}

function withoutLost(clickedId: number): readonly PurchaseNews[] {
  return open.filter(({ kind, listingId }) => kind !== "lost" || listingId !== clickedId);
}

function textIn({ success, message, error }: PurchasePayload): string {
  return (success ? message : error) ?? message ?? error ?? NEWS_TEXT;
}

/** Another person is here, or nobody. */
export function forgetPurchaseNews(): void {
  told.clear();
  underWay.clear();
  notifications.hide(TOAST_ID);
}

export function newestOf(answered: PurchasePayload, heard: PurchasePayload | null): PurchasePayload {
  const [one, other] = [answered.purchase, heard?.purchase];
  if (heard === null || one === undefined || other?._id !== one._id) return answered;
  return progressOf(kindOf(other)) > progressOf(kindOf(one)) ? heard : answered;
}

function remember(id: string, kind: PurchaseNews["kind"]): void {
  told.delete(id);
  told.set(id, kind);
  const oldest = told.keys().next();
  if (told.size > MAX_REMEMBERED && oldest.done !== true) told.delete(oldest.value);
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

function show(next: readonly PurchaseNews[]): void {
  if (next.length === open.length && next.every((news, index) => news === open[index])) return;
  open = next;
  const [first, ...others] = open;
  if (first === undefined) {
    notifications.hide(TOAST_ID);
    return;
  }
  const isAlone = others.length === 0;
  showToast({
    id: TOAST_ID,
    // A simulation costs nothing: its message goes away again.
    stays: open.some(({ kind }) => kind !== "simulated"),
    tone: toneOf(open),
    title: isAlone ? null : headingOf(open),
    picture: isAlone ? <Photo photo={first.photo} alt="" isEager /> : undefined,
    message: isAlone ? <OnePurchase news={first} /> : <SeveralPurchases news={sortedNews(open)} />,
    onClose: () => {
      open = [];
    },
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
      {news.boughtBy === null ? null : <p className="toast__by">{news.boughtBy}</p>}
      <Confirm news={news} />
    </>
  );
}

function SeveralPurchases({ news }: { readonly news: readonly PurchaseNews[] }) {
  const moreCount = news.length - MAX_LINES;
  return (
    <ul className="toast__list">
      {news.slice(0, MAX_LINES).map((one) => (
        <li key={one.id}>
          <span className="toast__title">{one.title}</span>
          <span className="toast__price">{formatMoney(one.price)}</span>
          {one.boughtBy === null ? null : <span className="toast__by">{one.boughtBy}</span>}
          <Confirm news={one} />
        </li>
      ))}
      {moreCount > 0 ? (
        <li className="toast__by">{moreCount === 1 ? "et un autre" : `et ${moreCount} autres`}</li>
      ) : null}
    </ul>
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
