import type { Achat } from "#contract/achat.ts";
import { ACHAT_ANNULE, ACHAT_CONFIRME, ACHAT_EN_ATTENTE, ACHAT_INCONNU } from "#contract/bounds.ts";
import type { Lane } from "#domain/market/match.ts";
import { eur } from "#domain/money.ts";
import {
  isCancelling,
  isLatePayment,
  type Purchase,
  type PurchaseSource,
  type PurchaseState,
} from "#domain/purchase.ts";
import { failureCode, failureText } from "./french-texts.ts";
import { confirmationLink } from "./market-links.ts";
import { presentProduit } from "./produit.ts";

/** The specification's status of each state: 2 'En attente', 1 'Confirmé', 0 'Annulé', 3 'Inconnu'. */
const STATUS_BY_STATE: Readonly<Record<PurchaseState, number>> = {
  intent: ACHAT_EN_ATTENTE,
  submitting: ACHAT_EN_ATTENTE,
  unknown: ACHAT_EN_ATTENTE,
  awaiting: ACHAT_EN_ATTENTE,
  confirmed: ACHAT_CONFIRME,
  cancelling: ACHAT_CONFIRME,
  cancel_unknown: ACHAT_CONFIRME,
  cancelled: ACHAT_ANNULE,
  failed: ACHAT_ANNULE,
  quarantine: ACHAT_INCONNU,
};

const WIRE_SOURCES: Readonly<Record<PurchaseSource, Achat["source"]>> = {
  auto: "auto",
  click: "clic",
  external: "externe",
};

const OFFERS: Readonly<Record<Lane, Achat["offre"]>> = {
  click: "Clicker",
  acquire: "Acquire",
  thunder: "Thunder",
};

/** How long a marketplace usually keeps a listing for a bank's answer; it gives no deadline. */
const KEPT_FOR_BANK_MS = 15 * 60_000;

/**
 * A purchase for its owner.
 * @param marketUrl scheme and host of the marketplace for people's browsers
 */
export function presentAchat(purchase: Purchase, marketUrl: string): Achat {
  const { state, source, failureReason } = purchase;
  const isSimulation = purchase.mode === "simulation";
  // A click's payment that took effect late; pages recognise a filter's by its filter.
  const isLateClick = isLatePayment(purchase) && purchase.filterId === null;
  return {
    _id: purchase.id,
    id_transaction: isSimulation ? null : purchase.transactionId,
    status: STATUS_BY_STATE[state],
    purchase_date: Math.floor(purchase.decidedAtMs / 1000),
    purchase_confirmation: state === "awaiting" ? confirmationLink(purchase.confirmUrl, marketUrl) : null,
    product: presentProduit(purchase.listing, marketUrl),
    source: isLateClick ? WIRE_SOURCES.click : WIRE_SOURCES[source],
    filtre: purchase.filterId,
    total: purchase.chargedCents === null ? null : eur(purchase.chargedCents),
    raison: failureReason === null ? null : failureText(failureReason),
    ...(failureReason === null ? {} : { code: failureCode(failureReason) }),
    ...(source === "external" ? {} : { offre: OFFERS[purchase.lane] }),
    ...(state === "awaiting"
      ? {
          a_payer: eur(purchase.holdCents),
          echeance: Math.floor((purchase.decidedAtMs + KEPT_FOR_BANK_MS) / 1000),
        }
      : {}),
    ...(isCancelling(state) ? { annulation: "en_cours" as const } : {}),
    ...(isSimulation ? { simulation: true as const } : {}),
  };
}
