import type { MarketListing } from "../market/listing.ts";
import { orderTotalCents, type MarketOrder } from "../market/order.ts";
import { frenchAmount, frenchMoment, page, html, type Markup } from "./layout.ts";

/** The fake bank's 3-D Secure page: a question, or its outcome. */
export function confirmationPage(order: MarketOrder, listing: MarketListing | null, nowMs: number): string {
  const { confirmation } = order.details;
  const isOpen = order.state === "awaiting" && confirmation !== null && !confirmation.isLinkDead;
  const isAsking = isOpen && confirmation.arrivesAtMs === null && confirmation.expiresAtMs > nowMs;
  return page(
    "Paiement",
    html`<div class="card narrow">
      <h1>${isAsking ? "Confirmer votre paiement ?" : outcomeTitle(order, isOpen)}</h1>
      <p class="quiet">Banque fictive · 3-D Secure</p>
      <p class="amount">${frenchAmount(orderTotalCents(order) ?? 0)}</p>
      <dl>
        <dt>Article</dt>
        <dd>${listing?.title ?? `n° ${order.listingId}`}</dd>
        <dt>Transaction</dt>
        <dd>n° ${order.id}</dd>
        ${
          isAsking
            ? html`<dt>Valable jusqu'au</dt>
                <dd>${frenchMoment(confirmation.expiresAtMs)}</dd>`
            : html``
        }
      </dl>
      ${isAsking ? buttons(confirmation.token) : html`<p>${outcomeText(order, isOpen)}</p>`}
    </div>`,
  );
}

function buttons(token: string): Markup {
  return html`<div class="stack">
    <form method="post" action="/3ds/${token}/confirm">
      <button class="button">Confirmer le paiement</button>
    </form>
    <form method="post" action="/3ds/${token}/refuse"><button class="button plain">Refuser</button></form>
  </div>`;
}

function outcomeTitle(order: MarketOrder, isOpen: boolean): string {
  if (order.state === "paid") return "Paiement confirmé";
  if (order.state === "cancelled") return "Achat annulé";
  if (order.state === "failed" && order.details.failureCode === "payment_refused") return "Paiement refusé";
  return isOpen ? "Réponse transmise" : "Ce lien a expiré";
}

function outcomeText(order: MarketOrder, isOpen: boolean): string {
  if (order.state === "paid") return "Vous pouvez fermer cette page : l'achat apparaît dans l'application.";
  if (order.state === "cancelled") return "L'argent vous est rendu.";
  if (order.state === "failed") return "Rien n'a été débité et l'article est de nouveau en vente.";
  return isOpen
    ? "Votre accord est en route vers la place de marché."
    : "La banque n'attend plus de réponse par ce lien. L'application dira ce qu'est devenu l'achat.";
}
