/** The outcome of a click as a status and a French sentence (contract §3, `/purchase/click`). */
import type { FailureReason } from "#domain/purchase.ts";
import { euroText, failureCode, failureText } from "#presenters/french-texts.ts";
import type { ClickOutcome, RefusedClick } from "#purchasing/purchasing.ts";
import { Refusal } from "./refusal.ts";

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
