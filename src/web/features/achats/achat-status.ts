/** Labels, tabs and amounts of purchases by their status (specification §4). */
import type { Achat } from "#contract/achat.ts";
import { ACHAT_ANNULE, ACHAT_CONFIRME, ACHAT_EN_ATTENTE } from "#contract/bounds.ts";
import type { Argent } from "#contract/envelope.ts";
import { isAwaitingBank } from "../../api/live/awaiting-bank.ts";
import type { BadgeTone } from "../../ui/tag-badge.tsx";

interface AchatStatus {
  readonly label: string;
  readonly tone: BadgeTone;
}

/** Any status that is not one of the three is 'Inconnu'. */
export function statusOf(status: number): AchatStatus {
  switch (status) {
    case ACHAT_EN_ATTENTE:
      return { label: "En attente", tone: "waiting" };
    case ACHAT_CONFIRME:
      return { label: "Confirmé", tone: "good" };
    case ACHAT_ANNULE:
      return { label: "Annulé", tone: "bad" };
    default:
      return { label: "Inconnu", tone: "neutral" };
  }
}

const SOURCES: Readonly<Record<NonNullable<Achat["source"]>, string>> = {
  auto: "Automatique",
  clic: "En un clic",
  externe: "Hors Synapse",
};

/** Where a purchase comes from; "" if unknown. */
export function sourceText({ source, filtre, simulation }: Achat): string {
  if (simulation === true) return "Simulation";
  if (source === "externe" && filtre !== null) return "Confirmé après coup";
  return source === undefined ? "" : SOURCES[source];
}

export type AchatTab = "tous" | "confirme" | "attente";

const statusOfTab: Readonly<Record<AchatTab, number | null>> = {
  tous: null,
  confirme: ACHAT_CONFIRME,
  attente: ACHAT_EN_ATTENTE,
};

/** The purchases of a tab, newest first. */
export function purchasesIn(tab: AchatTab, purchases: readonly Achat[]): readonly Achat[] {
  const wanted = statusOfTab[tab];
  return purchases
    .filter(({ status }) => wanted === null || status === wanted)
    .toSorted((one, other) => other.purchase_date - one.purchase_date);
}

/** Only confirmed purchases with a real order, which are not being cancelled yet, can be cancelled. */
export function canCancel({ status, id_transaction: transactionId, annulation }: Achat): boolean {
  return status === ACHAT_CONFIRME && transactionId !== null && annulation === undefined;
}

/** Describes the amount of `amountOf()`; 'payé' only for an amount that was paid. */
export function amountNote(purchase: Achat): string {
  const { status, total, a_payer: toPay, raison, simulation } = purchase;
  if (simulation === true) return "simulation, rien n'a été payé";
  const isAllIn = (total ?? toPay ?? null) !== null;
  const shipping = isAllIn ? "livraison comprise" : "hors livraison";
  switch (status) {
    case ACHAT_CONFIRME:
      return total === null ? "hors livraison" : `payé, ${shipping}`;
    case ACHAT_EN_ATTENTE:
      return isAwaitingBank(purchase) ? `à payer, ${shipping}` : `paiement en cours, ${shipping}`;
    case ACHAT_ANNULE:
      if (raison !== null) return "rien n'a été payé";
      return total === null ? "annulé" : "annulé, remboursé par Vinted";
    default:
      return `paiement à vérifier, ${shipping}`;
  }
}

export function amountOf({ total, a_payer: toPay, product }: Achat): Argent {
  return total ?? toPay ?? product.total_item_price;
}
