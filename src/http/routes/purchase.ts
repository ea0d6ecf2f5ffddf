import { calls } from "#contract/calls.ts";
import { asListingId, asPurchaseId, type UserId } from "#domain/ids.ts";
import { parseEurCents } from "#domain/money.ts";
import type { FailureReason } from "#domain/purchase.ts";
import { presentAchat } from "#presenters/achat.ts";
import { countText, purchaseMessage, euroText, failureCode, failureText } from "#presenters/french-texts.ts";
import { presentBilan, presentFailedAttempt, presentMissedWish, presentRecit } from "#presenters/recit.ts";
import { budgetKeys } from "#purchasing/decide/limits.ts";
import type { ClickOutcome, RefusedClick } from "#purchasing/purchasing.ts";
import type { HttpDeps } from "../http-deps.ts";
import { Refusal, TEXTS } from "../refusal.ts";
import { type App, routeOf, type RouteRule, visitorOf } from "../route-rule.ts";

const READ_RULE: RouteRule = { access: "subscriber", origin: "read", rate: "read" };
const HISTORY_RULE: RouteRule = { access: "subscriber", origin: "read", rate: "history" };
/** Sums up a person's whole history, and scans a day's listings. */
const SUMMARY_RULE: RouteRule = { access: "subscriber", origin: "read", rate: "preview" };

const MAX_MISSED = 100;
/** More than the store keeps per person. */
const MAX_MISSES_COUNTED = 2_000;
const MAX_COMPARED = 200;

export function addPurchaseRoutes(app: App, { config, purchasing }: HttpDeps): void {
  app.route({
    ...routeOf(calls.clickPurchase, { access: "subscriber", origin: "action", rate: "click" }),
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
        purchase: presentAchat(purchase, config.marketUrl),
      };
    },
  });

  app.route({
    ...routeOf(calls.hidePurchases, { access: "subscriber", origin: "action", rate: "write" }),
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

/** The history of purchases: why they failed, missed wishes, and the summary. */
export function addPurchaseStoryRoutes(app: App, deps: HttpDeps): void {
  const { store, config } = deps;

  app.route({
    ...routeOf(calls.purchaseStory, READ_RULE),
    handler: async (request) => {
      const id = asPurchaseId(request.query.id);
      const story = await store.stories.story({ id, userId: visitorOf(request).user.id });
      if (story === null) throw new Refusal(404, TEXTS.purchaseNotFound);
      return { recit: presentRecit(story) };
    },
  });

  app.route({
    ...routeOf(calls.missedPurchases, HISTORY_RULE),
    handler: async (request) => {
      const userId = visitorOf(request).user.id;
      const attempts = await store.stories.bareAttempts(userId, MAX_MISSED);
      const misses = await store.stories.misses(userId, MAX_MISSES_COUNTED);
      const asked = misses.filter(({ reason }) => reason === "too_good").map(({ listing }) => listing.id);
      const known = asked.length === 0 ? [] : await store.listings.byIds(asked);
      const current = new Map(known.map(({ listing }) => [listing.id, listing]));
      const { marketUrl, minPriceDays } = config;
      // A listing whose confirmation is pending again after a failed attempt is listed once, as the question.
      const shownAttempts = attempts.filter(({ purchase }) => !asked.includes(purchase.listing.id));
      const manques = [
        ...shownAttempts.map((story) => presentFailedAttempt(story, marketUrl)),
        ...misses.map((miss) =>
          presentMissedWish(miss, { marketUrl, minPriceDays, current: current.get(miss.listing.id) ?? null }),
        ),
      ];
      // However much was missed since, what awaits a decision is shown.
      const questionsFirst = manques
        .toSorted(newestFirst)
        .toSorted((one, other) => Number(other.a_confirmer) - Number(one.a_confirmer));
      return { manques: questionsFirst.slice(0, MAX_MISSED).toSorted(newestFirst) };
    },
  });

  app.route({
    ...routeOf(calls.purchaseSummary, SUMMARY_RULE),
    handler: async (request) => ({ bilan: await summaryOf(deps, visitorOf(request).user.id) }),
  });
}

function newestFirst(one: { readonly date: number }, other: { readonly date: number }): number {
  return other.date - one.date;
}

async function summaryOf({ store, clock }: HttpDeps, userId: UserId) {
  const bought = await store.stories.bought(userId, MAX_COMPARED);
  return presentBilan({
    sums: await store.stories.sums(userId),
    misses: await store.stories.misses(userId, MAX_MISSES_COUNTED),
    compared: bought.map(({ purchase, origin }) => ({
      paidCents: purchase.listing.totalPriceCents,
      usual: origin?.usual ?? null,
    })),
    monthKey: budgetKeys(clock.nowMs()).monthKey,
  });
}

type Refused = Exclude<ClickOutcome, { readonly kind: "accepted" }>;
type Limit = Extract<RefusedClick, { readonly kind: "limit_reached" }>["limit"];
type Missing = Extract<RefusedClick, { readonly kind: "missing" }>["what"][number];

const CONFLICT = 409;
const BAD_GATEWAY = 502;
const UNAVAILABLE = 503;
const GATEWAY_TIMEOUT = 504;

const LIMIT_TEXTS: Readonly<Record<Limit, string>> = {
  day: "Votre limite de dépenses du jour serait dépassée (Paramètres, Garde-fous).",
  month: "Votre limite de dépenses du mois serait dépassée (Paramètres, Garde-fous).",
  count: "Votre nombre d'achats du jour est atteint (Paramètres, Garde-fous).",
  concurrent:
    "Trop d'achats sont en cours de paiement ou attendent votre banque : réessayez une fois l'un d'eux réglé.",
};

const MISSING_TEXTS: Readonly<Record<Missing, string>> = {
  account: "le compte Vinted connecté",
  address: "l'adresse de livraison",
  payment: "le moyen de paiement",
};

/** Faults of the marketplace; every other failure is a conflict. */
const FAULT_STATUSES: Readonly<Partial<Record<FailureReason, number>>> = {
  stopped: UNAVAILABLE,
  rate_limited: UNAVAILABLE,
  marketplace_unavailable: BAD_GATEWAY,
  never_effective: GATEWAY_TIMEOUT,
};

export function clickRefusal({ purchaseId, ...outcome }: Refused): Refusal {
  const { status, text, details } = refusalOf(outcome);
  return new Refusal(status, text, { ...details, ...(purchaseId === undefined ? {} : { purchaseId }) });
}

function refusalOf(outcome: RefusedClick): Refusal {
  switch (outcome.kind) {
    case "unknown_listing":
      return new Refusal(404, "Cet article est inconnu : il n'a pas été vu depuis 24 heures.", {
        code: "inconnu",
      });
    case "already_bought":
      return new Refusal(CONFLICT, "Déjà acheté", { code: "deja_achete" });
    case "taken_by_other":
      return new Refusal(CONFLICT, "Cet article n'est plus disponible.", { code: "indisponible" });
    case "price_rose":
      return new Refusal(
        CONFLICT,
        `Le prix a augmenté : il est maintenant de ${euroText(outcome.nowCents)}. Rien n'a été payé.`,
        { code: "prix_monte", priceCents: outcome.nowCents },
      );
    case "seller_blocked":
      return new Refusal(
        CONFLICT,
        "Vous avez bloqué ce vendeur : débloquez-le dans les paramètres pour lui acheter un article.",
        { code: "vendeur_bloque" },
      );
    case "limit_reached":
      return new Refusal(CONFLICT, LIMIT_TEXTS[outcome.limit], { code: "limite" });
    case "missing":
      return new Refusal(CONFLICT, missingText(outcome.what), { code: "incomplet" });
    case "failed":
      return new Refusal(FAULT_STATUSES[outcome.reason] ?? CONFLICT, failureText(outcome.reason), {
        code: failureCode(outcome.reason),
      });
    case "stopped":
      return new Refusal(UNAVAILABLE, "Les achats sont arrêtés pour le moment : rien n'a été payé.", {
        code: "arrete",
      });
    case "marketplace_unavailable":
      return new Refusal(BAD_GATEWAY, failureText("marketplace_unavailable"), { code: "place_de_marche" });
    default:
      return outcome satisfies never;
  }
}

/** "Pour acheter, il manque : le compte Vinted connecté, l'adresse de livraison (Paramètres)." */
function missingText(what: readonly Missing[]): string {
  return `Pour acheter, il manque : ${what.map((one) => MISSING_TEXTS[one]).join(", ")} (Paramètres).`;
}
