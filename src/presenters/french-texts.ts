/** French texts that several rooms use: amounts, counts, and sentences about purchases. */
import type { RefusalCode } from "#contract/envelope.ts";
import { type FailureReason, isLatePayment, type Purchase, type PurchaseState } from "#domain/purchase.ts";

// French typography: no line break between the amount and its currency.
const NO_BREAK_SPACE = "\u00A0";
const NARROW_NO_BREAK_SPACE = "\u202F";

/** 1250 becomes "12,50 €", 123400 becomes "1 234,00 €". */
export function euroText(cents: number): string {
  const euros = String(Math.trunc(cents / 100)).replace(/\B(?=(?:\d{3})+$)/gu, NARROW_NO_BREAK_SPACE);
  return `${euros},${String(cents % 100).padStart(2, "0")}${NO_BREAK_SPACE}€`;
}

/** 1200 becomes "12 €", 1250 becomes "12,50 €". */
export function shortEuroText(cents: number): string {
  return euroText(cents).replace(",00", "");
}

/** "1 filtre", "2 filtres", and "0 filtre": in French zero is singular. */
export function countText(count: number, singular: string, plural: string): string {
  return `${count} ${count < 2 ? singular : plural}`;
}

const FAILURE_TEXTS: Readonly<Record<FailureReason, string>> = {
  stale: "L'article n'a pas pu être commandé à temps : rien n'a été payé.",
  stopped: "Les achats sont arrêtés : rien n'a été payé.",
  price_rose: "Le prix a augmenté : rien n'a été payé.",
  limit_reached: "Une limite de vos garde-fous est atteinte : rien n'a été payé.",
  rule_reached: "Une règle du filtre ou de son groupe ne le permettait plus : rien n'a été payé.",
  sold: "Cet article est déjà vendu.",
  withdrawn: "Cet article a été retiré de la vente.",
  insufficient_funds: "Le solde du moyen de paiement est insuffisant.",
  address_invalid: "La place de marché refuse l'adresse de livraison : vérifiez-la dans les paramètres.",
  payment_refused: "Le paiement a été refusé.",
  not_confirmed: "Le paiement n'a pas été confirmé auprès de la banque.",
  account_refused: "La place de marché refuse votre session : reconnectez votre compte dans les paramètres.",
  rate_limited: "La place de marché demande d'attendre : rien n'a été payé.",
  never_effective: "La commande n'est jamais arrivée sur la place de marché : rien n'a été payé.",
  marketplace_unavailable: "La place de marché ne répond pas : rien n'a été payé.",
  not_cancelled: "L'annulation n'a pas abouti : l'achat reste payé.",
};

/** Why a purchase or its cancellation failed, as a French sentence for the person. */
export function failureText(reason: FailureReason): string {
  return FAILURE_TEXTS[reason];
}

const FAILURE_CODES: Readonly<Record<FailureReason, RefusalCode>> = {
  stale: "place_de_marche",
  stopped: "arrete",
  price_rose: "prix_monte",
  limit_reached: "limite",
  rule_reached: "limite",
  sold: "vendu",
  withdrawn: "vendu",
  insufficient_funds: "refuse",
  address_invalid: "refuse",
  payment_refused: "refuse",
  not_confirmed: "refuse",
  account_refused: "incomplet",
  rate_limited: "place_de_marche",
  never_effective: "place_de_marche",
  marketplace_unavailable: "place_de_marche",
  not_cancelled: "place_de_marche",
};

/** The same as a code, because pages must not parse the sentence. */
export function failureCode(reason: FailureReason): RefusalCode {
  return FAILURE_CODES[reason];
}

type Say = (title: string, purchase: Purchase) => string;

const sayInProgress: Say = (title) => `Achat en cours : ${title}.`;
const sayCancelling: Say = (title) => `Annulation en cours : ${title}.`;

const STATE_TEXTS: Readonly<Record<PurchaseState, Say>> = {
  intent: sayInProgress,
  submitting: sayInProgress,
  unknown: (title) => `Paiement en cours de vérification : ${title}. Rien ne sera payé deux fois.`,
  awaiting: (title, { holdCents }) =>
    `Votre banque attend votre confirmation : ${title}, ${allIn(holdCents)}.`,
  confirmed: confirmedText,
  cancelling: sayCancelling,
  cancel_unknown: sayCancelling,
  cancelled: (title) => `Achat annulé : ${title}.`,
  failed: (title, { failureReason }) =>
    failureReason === null
      ? `Achat annulé : ${title}.`
      : `Achat annulé : ${title}. ${failureText(failureReason)}`,
  quarantine: (title) => `Achat à vérifier : ${title}. Le support regarde si le paiement a eu lieu.`,
};

/** The state of a purchase as one French sentence for the person. */
export function purchaseMessage(purchase: Purchase): string {
  return STATE_TEXTS[purchase.state](`« ${purchase.listing.title} »`, purchase);
}

function confirmedText(title: string, purchase: Purchase): string {
  if (purchase.mode === "simulation") {
    return `Simulation : ${title} aurait été acheté à ${euroText(purchase.listing.totalPriceCents)}.`;
  }
  const isLate = isLatePayment(purchase);
  if (purchase.source === "external" && !isLate) return `Commande passée ailleurs : ${title}.`;
  const charged = purchase.chargedCents === null ? "" : `, ${allIn(purchase.chargedCents)}`;
  if (purchase.failureReason === "not_cancelled")
    return `Annulation non aboutie : ${title} reste acheté${charged}.`;
  return `Achat confirmé${isLate ? " après coup" : ""} : ${title}${charged}.`;
}

function allIn(cents: number): string {
  return `${euroText(cents)} livraison comprise`;
}
