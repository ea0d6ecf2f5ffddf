import type { Manque } from "#contract/achat.ts";
import { formatCounted } from "../format-panel.ts";
import { Photo } from "../photo.tsx";
import { hideToast, showToast } from "./show-toast.ts";

export const TO_CONFIRM_TOAST_ID = "a-confirmer";

export interface ToConfirmToast {
  announce(manque: Manque): void;
}

/**
 * One toast, which stays until closed, for all listings so cheap that they need the person's confirmation.
 * @param onShow opens the dialog of missed purchases, where the person decides
 */
export function createToConfirmToast(onShow: () => void): ToConfirmToast {
  let waitingIds: ReadonlySet<number> = new Set();
  const close = (): void => {
    hideToast(TO_CONFIRM_TOAST_ID);
  };
  return {
    announce({ product, raison }) {
      waitingIds = new Set([...waitingIds, product.id]);
      const count = waitingIds.size;
      const heading = formatCounted(count, "article à confirmer", "articles à confirmer");
      showToast({
        id: TO_CONFIRM_TOAST_ID,
        stays: true,
        tone: "neutral",
        title: count === 1 ? product.title : heading,
        picture: count === 1 ? <Photo photo={product.photo} alt="" isEager /> : undefined,
        message: (
          <>
            <p>{count === 1 ? raison : "Trop beaux pour être vrais. Rien n'a été acheté."}</p>
            <button
              type="button"
              className="toast__link"
              onClick={() => {
                close();
                onShow();
              }}
            >
              {count === 1 ? "Voir et décider" : "Les voir et décider"}
            </button>
          </>
        ),
        onClose: () => {
          waitingIds = new Set();
        },
      });
    },
  };
}
