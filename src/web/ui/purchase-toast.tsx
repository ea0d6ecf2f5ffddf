import type { PurchasePayload } from "#contract/socket.ts";
import { formatMoney } from "./format.ts";
import { Photo } from "./photo.tsx";
import { showToast } from "./toast.tsx";

const NEWS_TEXT = "Un achat a changé d'état.";

/** News of a purchase, with its picture and price; the next news of the same purchase takes its place. */
export function tellPurchase({ success, message, error, purchase }: PurchasePayload): void {
  const text = (success ? message : error) ?? message ?? error ?? NEWS_TEXT;
  if (purchase === undefined) {
    showToast({ message: text, tone: success ? "good" : "bad" });
    return;
  }
  const { product, total, purchase_confirmation: confirmationUrl } = purchase;
  showToast({
    id: `achat-${purchase._id}`,
    tone: success ? "good" : "bad",
    stays: confirmationUrl !== null,
    title: product.title,
    picture: <Photo photo={product.photo} alt="" isEager />,
    message: (
      <>
        <p>{text}</p>
        <p className="toast__price">{formatMoney(total ?? product.total_item_price)}</p>
        {confirmationUrl === null ? null : (
          <a className="toast__link" href={confirmationUrl} target="_blank" rel="noopener noreferrer">
            Confirmer auprès de ma banque
          </a>
        )}
      </>
    ),
  });
}
