/** Content of the purchase toasts. Pure functions. */
import type { Achat } from "#contract/achat.ts";
import { ACHAT_ANNULE, ACHAT_CONFIRME, ACHAT_EN_ATTENTE } from "#contract/bounds.ts";
import type { Argent } from "#contract/envelope.ts";
import { isAwaitingBank } from "../../api/live/awaiting-bank.ts";
import { formatMoney } from "../format.ts";
import { formatQuoted } from "../format-panel.ts";

export type NewsKind =
  | "confirmed"
  | "simulated"
  | "awaiting"
  | "pending"
  | "cancelling"
  | "cancelled"
  /** Its cancellation failed: it stays bought. */
  | "kept"
  | "unknown"
  | "lost";

export interface PurchaseNews {
  /** The purchase's id, or one made of the listing's id if no response named a purchase. */
  readonly id: string;
  readonly listingId: number;
  readonly kind: NewsKind;
  /** The server's message, or `textOf` if it was lost. */
  readonly text: string;
  readonly title: string;
  readonly photo: Achat["product"]["photo"];
  /** The total with shipping, if known. */
  readonly price: Argent;
  readonly confirmationUrl: string | null;
  readonly deadlineS: number | null;
  /** "Thunder · filtre « Robes »"; null for a click. */
  readonly boughtBy: string | null;
  /** A suggested next action. */
  readonly offer?: PurchaseOffer | undefined;
}

export interface PurchaseOffer {
  readonly label: string;
  readonly onSelect: () => void;
}

export function kindOf(purchase: Achat): NewsKind {
  const { status, simulation, annulation, raison } = purchase;
  if (simulation === true) return "simulated";
  if (status === ACHAT_EN_ATTENTE) return isAwaitingBank(purchase) ? "awaiting" : "pending";
  if (status === ACHAT_CONFIRME && annulation !== undefined) return "cancelling";
  if (status === ACHAT_CONFIRME) return raison === null ? "confirmed" : "kept";
  return status === ACHAT_ANNULE ? "cancelled" : "unknown";
}

/** The text for a purchase read from the list before its event, or instead of it: worded like the event's. */
export function textOf(purchase: Achat): string {
  const { product, total, a_payer: toPay, raison, source, filtre } = purchase;
  const allIn = total ?? toPay;
  const title = formatQuoted(product.title);
  const charged = allIn === undefined ? "" : `, ${formatMoney(allIn)} livraison comprise`;
  switch (kindOf(purchase)) {
    case "confirmed":
      if (source !== "externe") return `Achat confirmé\u00A0: ${title}${charged}.`;
      // Only a filter's own payment that took effect late has a filter.
      return filtre === null
        ? `Commande passée ailleurs\u00A0: ${title}.`
        : `Achat confirmé après coup\u00A0: ${title}${charged}.`;
    case "kept":
      return `Annulation non aboutie\u00A0: ${title} reste acheté${charged}.`;
    case "awaiting":
      return `Votre banque attend votre confirmation\u00A0: ${title}${charged}.`;
    case "cancelling":
      return `Annulation en cours\u00A0: ${title}.`;
    case "cancelled":
      return `Achat annulé\u00A0: ${title}.${raison === null ? "" : ` ${raison}`}`;
    case "pending":
      return `Achat en cours\u00A0: ${title}.`;
    case "simulated":
      return `Simulation\u00A0: ${title} aurait été acheté à ${formatMoney(product.total_item_price)}.`;
    default:
      return `Achat à vérifier\u00A0: ${title}. Le support regarde si le paiement a eu lieu.`;
  }
}

/** Orders reports of one purchase: the one with more progress is newer. */
export const PROGRESS: Readonly<Record<NewsKind, number>> = {
  pending: 0,
  lost: 0,
  unknown: 1,
  awaiting: 2,
  confirmed: 3,
  simulated: 3,
  cancelling: 3,
  kept: 4,
  cancelled: 5,
};
