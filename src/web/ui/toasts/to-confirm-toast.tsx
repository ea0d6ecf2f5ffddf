import type { ReactNode } from "react";
import type { Manque } from "#contract/achat.ts";
import { formatCounted, withNoBreaks } from "../format-panel.ts";
import { Photo } from "../photo.tsx";

interface Question {
  readonly title: string;
  readonly picture: ReactNode;
  readonly message: ReactNode;
}

/**
 * The content of one toast for all listings so cheap that they need the person's confirmation.
 * @param count how many wait, with this one
 */
export function questionOf({ product, raison }: Manque, count: number, onDecide: () => void): Question {
  const isOne = count === 1;
  return {
    title: isOne ? product.title : formatCounted(count, "article à confirmer", "articles à confirmer"),
    picture: isOne ? <Photo photo={product.photo} alt="" isEager /> : undefined,
    message: (
      <>
        <p>{isOne ? withNoBreaks(raison ?? "") : "Trop beaux pour être vrais. Rien n'a été acheté."}</p>
        <button type="button" className="toast__link" onClick={onDecide}>
          {isOne ? "Voir et décider" : "Les voir et décider"}
        </button>
      </>
    ),
  };
}
