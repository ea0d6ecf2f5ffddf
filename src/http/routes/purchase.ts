import { calls } from "#contract/calls.ts";
import { asListingId } from "#domain/ids.ts";
import { parseEurCents } from "#domain/money.ts";
import { presentAchat } from "#presenters/achat.ts";
import { countText } from "#presenters/french-text.ts";
import { purchaseMessage } from "#presenters/purchase-texts.ts";
import { clickRefusal } from "../click-answers.ts";
import { TEXTS } from "../error-texts.ts";
import type { HttpDeps } from "../http-deps.ts";
import { Refusal } from "../refusal.ts";
import { visitorOf, type App } from "../route-rule.ts";

export function addPurchaseRoutes(app: App, { config, purchasing }: HttpDeps): void {
  app.route({
    method: calls.clickPurchase.method,
    url: calls.clickPurchase.path,
    schema: { body: calls.clickPurchase.body, response: { 200: calls.clickPurchase.answer } },
    config: { rule: { access: "subscriber", origin: "action", rate: "click" } },
    handler: async (request) => {
      const { id, price = null } = request.body;
      if (price !== null && parseEurCents(price) === null) throw new Refusal(400, TEXTS.unreadablePrice);
      const outcome = await purchasing.click({
        userId: visitorOf(request).user.id,
        listingId: asListingId(id),
        seenPrice: price,
      });
      if (outcome.kind !== "accepted") throw clickRefusal(outcome);
      const { purchase } = outcome;
      return {
        message: purchaseMessage(purchase),
        purchase: presentAchat(purchase, config.marketUrl, config.confirmationHosts),
      };
    },
  });

  app.route({
    method: calls.hidePurchases.method,
    url: calls.hidePurchases.path,
    schema: { response: { 200: calls.hidePurchases.answer } },
    config: { rule: { access: "subscriber", origin: "action", rate: "write" } },
    handler: async (request) => {
      const count = await purchasing.hideCancelled(visitorOf(request).user.id);
      return {
        message:
          count === 0
            ? "Aucun achat annulé à retirer de la liste."
            : `${countText(count, "achat annulé retiré", "achats annulés retirés")} de la liste.`,
      };
    },
  });
}
