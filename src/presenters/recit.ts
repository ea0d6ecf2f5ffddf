/** The history of purchases and missed wishes, in French for their owner. Pure. */
import type { Bilan, Manque, Recit } from "#contract/achat.ts";
import { type Listing, publishedAtMs } from "#domain/market/listing.ts";
import { eur } from "#domain/money.ts";
import { type FailureReason, isLatePayment, type PurchaseState } from "#domain/purchase.ts";
import type { MissedWish, MissReason, PurchaseAttempt, PurchaseStory, PurchaseSums } from "#domain/story.ts";
import { MIN_SAMPLE_TO_BUY } from "#domain/market/standing.ts";
import { countText, failureText, shortEuroText } from "./french-texts.ts";
import { presentProduit } from "./produit.ts";

type Etape = Recit["etapes"][number];

const SETTINGS_ADVICE = "Vos garde-fous se règlent dans les paramètres.";
const RULES_ADVICE = "Les règles d'achat se changent dans le filtre, son groupe sur la page des filtres.";
const FASTER_ADVICE =
  "Thunder est servi avant tous les autres ; un filtre plus précis est relu plus souvent.";

const FAILURE_ADVICE: Readonly<Partial<Record<FailureReason, string>>> = {
  sold: FASTER_ADVICE,
  price_rose:
    "Si ce prix vous convenait, relevez la limite de prix du filtre. Avec « Sous le prix habituel », il n'achète jamais plus cher que le prix trouvé.",
  limit_reached: SETTINGS_ADVICE,
  rule_reached: RULES_ADVICE,
  stopped: "Reprenez les achats automatiques quand vous voulez.",
  insufficient_funds: "Approvisionnez le moyen de paiement, ou choisissez-en un autre dans le filtre.",
  address_invalid: "Corrigez l'adresse ou les points relais dans les paramètres.",
  not_confirmed: "Votre banque demande une confirmation : gardez son application à portée de main.",
  account_refused: "Reconnectez votre compte Vinted dans les paramètres.",
};

const MISS_TEXTS: Readonly<Record<MissReason, readonly [text: string, advice: string | null]>> = {
  limit_day: ["Votre limite de dépenses du jour était atteinte.", SETTINGS_ADVICE],
  limit_month: ["Votre limite de dépenses du mois était atteinte.", SETTINGS_ADVICE],
  limit_count: ["Votre nombre d'achats du jour était atteint.", SETTINGS_ADVICE],
  stopped: ["Les achats automatiques étaient arrêtés.", "Reprenez-les quand vous voulez."],
  no_account: ["Votre compte Vinted n'était pas connecté.", "Connectez-le dans les paramètres."],
  no_address: ["Votre adresse de livraison n'était pas complète.", "Complétez-la dans les paramètres."],
  no_mandate: [
    "Votre mandat d'achat automatique n'était pas donné dans sa version actuelle.",
    "Donnez-le dans les paramètres.",
  ],
  cannot_pay: [
    "Plusieurs achats de suite n'ont pas pu être payés : vos achats automatiques font une pause.",
    "Vérifiez moyen de paiement, adresse et garde-fous ; enregistrer les paramètres fait réessayer.",
  ],
  price_rose: ["Le prix dépassait la limite du filtre au moment d'acheter.", null],
  filter_full: ["Le filtre avait atteint son nombre d'achats.", "Relevez « Arrêter après » dans le filtre."],
  hours: ["Le filtre n'achète pas à cette heure ou ce jour-là.", RULES_ADVICE],
  price_floor: ["Le prix était passé sous le prix minimum du filtre.", null],
  pause: ["Le filtre faisait une pause après son dernier achat.", RULES_ADVICE],
  seller_count: ["Vous aviez déjà acheté assez d'articles de ce vendeur ce jour-là.", RULES_ADVICE],
  group_full: ["Le groupe du filtre avait atteint son nombre d'achats.", RULES_ADVICE],
  group_budget: ["Le budget du groupe du filtre ne suffisait plus.", RULES_ADVICE],
  budget_day: ["Le budget du jour du filtre ne suffisait plus.", RULES_ADVICE],
  budget_total: ["Le budget du filtre ne suffisait plus.", RULES_ADVICE],
  rules_rest: [
    "Plusieurs achats de suite se sont heurtés aux règles du filtre ou de son groupe : il fait une pause.",
    RULES_ADVICE,
  ],
  stale: ["L'article attendait depuis trop longtemps pour être encore acheté sans vous.", null],
  taken: ["Cet article n'était plus disponible.", FASTER_ADVICE],
  price_unsure: ["Prix habituel encore mal connu.", null],
  too_good: ["Trop beau pour être vrai. Rien n'a été acheté.", null],
};

const MISS_CODES: Readonly<Partial<Record<MissReason, NonNullable<Manque["code"]>>>> = {
  price_unsure: "prix_incertain",
  too_good: "trop_beau",
};

/** Why a price was not trusted, with figures. @param minPriceDays required days with similar listings */
function missText(miss: MissedWish, minPriceDays: number): string {
  const { reason, standing } = miss;
  if (reason === "price_unsure") {
    const known = standing?.sampleSize ?? 0;
    const start = "Prix habituel encore mal connu :";
    if (known < MIN_SAMPLE_TO_BUY || standing === null) {
      const seen = countText(known, "annonce semblable vue", "annonces semblables vues");
      return `${start} ${seen}, il en faut ${MIN_SAMPLE_TO_BUY}.`;
    }
    const days = countText(standing.dayCount, "jour", "jours");
    return `${start} ${known} annonces semblables vues sur ${days}, il en faut ${minPriceDays}.`;
  }
  return reason === "too_good" ? tooGoodText(miss) : MISS_TEXTS[reason][0];
}

/** Why automatic buying asks before it buys a listing. */
export function tooGoodText({ listing, standing }: Pick<MissedWish, "listing" | "standing">): string {
  if (standing === null) return MISS_TEXTS.too_good[0];
  const usual = `${wholeEuros(standing.lowCents)}–${wholeEuros(standing.highCents)} €`;
  return `Trop beau pour être vrai : ${shortEuroText(listing.totalPriceCents)} au lieu de ${usual}. Rien n'a été acheté.`;
}

function wholeEuros(cents: number): number {
  return Math.round(cents / 100);
}

/** The category under which a failed purchase is counted. */
const FAILURE_CAUSES: Readonly<Record<FailureReason, string>> = {
  stale: "Trop tard",
  stopped: "Achats arrêtés",
  price_rose: "Prix monté",
  limit_reached: "Garde-fou atteint",
  rule_reached: "Règle d'achat",
  sold: "Vendu à un autre",
  withdrawn: "Retiré de la vente",
  insufficient_funds: "Solde insuffisant",
  address_invalid: "Adresse refusée",
  payment_refused: "Paiement refusé",
  not_confirmed: "Banque non confirmée",
  account_refused: "Compte à reconnecter",
  rate_limited: "Place de marché saturée",
  never_effective: "Commande jamais arrivée",
  marketplace_unavailable: "Place de marché indisponible",
  not_cancelled: "Annulation non aboutie",
};

const MISS_CAUSES: Readonly<Record<MissReason, string>> = {
  limit_day: "Garde-fou atteint",
  limit_month: "Garde-fou atteint",
  limit_count: "Garde-fou atteint",
  stopped: "Achats arrêtés",
  no_account: "Compte à reconnecter",
  no_address: "Adresse incomplète",
  no_mandate: "Mandat à donner",
  cannot_pay: "Paiement refusé",
  price_rose: "Prix monté",
  filter_full: "Filtre au complet",
  hours: "Règle d'achat",
  price_floor: "Règle d'achat",
  pause: "Règle d'achat",
  seller_count: "Règle d'achat",
  group_full: "Groupe au complet",
  group_budget: "Règle d'achat",
  budget_day: "Règle d'achat",
  budget_total: "Règle d'achat",
  rules_rest: "Règle d'achat",
  stale: "Trop tard",
  taken: "Vendu à un autre",
  price_unsure: "Prix mal connu",
  too_good: "Trop beau pour être vrai",
};

export function presentRecit(story: PurchaseStory): Recit {
  const { failureReason } = story.purchase;
  return {
    etapes: inOrder(etapesOf(story)),
    raison: failureReason === null ? null : failureText(failureReason),
    conseil: failureReason === null ? null : (FAILURE_ADVICE[failureReason] ?? null),
  };
}

/** An attempt that ended before the checkout. */
export function presentFailedAttempt(story: PurchaseStory, marketUrl: string): Manque {
  const { purchase } = story;
  return {
    ...presentRecit(story),
    date: purchase.updatedAtMs,
    product: presentProduit(purchase.listing, marketUrl),
    filtre: purchase.filterId,
    code: null,
    a_confirmer: false,
  };
}

interface MissedWishContext {
  readonly marketUrl: string;
  /** Required number of days with similar listings. */
  readonly minPriceDays: number;
  /** The listing as it is now; null unless it was seen within the last day: a click may then still buy it. */
  readonly current: Listing | null;
}

/** A wish that was never attempted. */
export function presentMissedWish(
  miss: MissedWish,
  { marketUrl, minPriceDays, current }: MissedWishContext,
): Manque {
  const [, conseil] = MISS_TEXTS[miss.reason];
  return {
    etapes: inOrder([
      ...publishedEtape(miss.listing, miss.firstSeenAtMs),
      { nom: "Vu par Synapse", a: miss.firstSeenAtMs },
      { nom: "Trouvé par votre filtre", a: miss.matchedAtMs },
      { nom: "Laissé de côté", a: miss.missedAtMs },
    ]),
    raison: missText(miss, minPriceDays),
    conseil,
    date: miss.missedAtMs,
    product: presentProduit(current ?? miss.listing, marketUrl),
    filtre: miss.filterId,
    code: MISS_CODES[miss.reason] ?? null,
    a_confirmer: miss.reason === "too_good" && current !== null,
  };
}

function etapesOf({ purchase, origin, attempts }: PurchaseStory): readonly Etape[] {
  if (isLatePayment(purchase)) {
    const by = purchase.filterId === null ? "en un clic" : "par votre filtre";
    return [{ nom: `Commandé ${by}, confirmé après coup`, a: purchase.decidedAtMs }];
  }
  if (purchase.source === "external") return [{ nom: "Commandé hors de Synapse", a: purchase.decidedAtMs }];
  const firstSeenAtMs = origin?.firstSeenAtMs ?? purchase.wishedAtMs;
  return [
    ...publishedEtape(purchase.listing, firstSeenAtMs),
    ...(origin === null ? [] : [{ nom: "Vu par Synapse", a: origin.firstSeenAtMs }]),
    { nom: purchase.source === "auto" ? "Trouvé par votre filtre" : "Votre clic", a: purchase.wishedAtMs },
    {
      nom: purchase.mode === "simulation" ? "Décidé (simulation : rien n'est payé)" : "Décidé",
      a: purchase.decidedAtMs,
    },
    ...attempts.flatMap((attempt, index) =>
      attemptEtapes(attempt, purchase.state, index === attempts.length - 1),
    ),
    ...lastEtape({ purchase, attempts }),
  ];
}

function publishedEtape(listing: Listing, firstSeenAtMs: number): readonly Etape[] {
  const atMs = publishedAtMs(listing, firstSeenAtMs);
  return atMs === null ? [] : [{ nom: "Publié (heure de la photo)", a: atMs }];
}

const ENDS: Readonly<Partial<Record<PurchaseState, string>>> = {
  awaiting: "Votre banque attend votre confirmation",
  confirmed: "Payé",
  cancelling: "Payé",
  cancel_unknown: "Payé",
  cancelled: "Réponse de la place de marché",
  unknown: "Sans réponse : vérification en cours",
  quarantine: "Sans réponse : à vérifier",
};

function attemptEtapes(attempt: PurchaseAttempt, state: PurchaseState, isLast: boolean): readonly Etape[] {
  const { n, startedAtMs, sentAtMs, endedAtMs } = attempt;
  const end = isLast ? (ENDS[state] ?? "Abandonné") : "Essai sans suite";
  return [
    { nom: n > 1 ? `Commande ouverte (essai ${n})` : "Commande ouverte", a: startedAtMs },
    ...(sentAtMs === null ? [] : [{ nom: "Paiement envoyé", a: sentAtMs }]),
    ...(endedAtMs === null ? [] : [{ nom: end, a: endedAtMs }]),
  ];
}

/** The end of a purchase that no attempt shows; none if hidden, since hiding changed `updatedAtMs`. */
function lastEtape({ purchase, attempts }: Pick<PurchaseStory, "purchase" | "attempts">): readonly Etape[] {
  const { state, isHidden, updatedAtMs } = purchase;
  if (isHidden) return [];
  if (state === "cancelled") return [{ nom: "Annulé", a: updatedAtMs }];
  const isShownByAttempt = attempts.at(-1)?.endedAtMs !== undefined && attempts.at(-1)?.endedAtMs !== null;
  return state === "failed" && !isShownByAttempt ? [{ nom: "Abandonné", a: updatedAtMs }] : [];
}

function inOrder(etapes: readonly Etape[]): Etape[] {
  return etapes.toSorted((one, other) => one.a - other.a);
}

/** A purchase and the usual price of similar listings; both without shipping. */
interface ComparedPurchase {
  readonly paidCents: number;
  readonly usual: { readonly medianCents: number; readonly sampleSize: number } | null;
}

interface BilanFacts {
  readonly sums: PurchaseSums;
  readonly misses: readonly MissedWish[];
  /** The latest purchases, to be compared with usual prices. */
  readonly compared: readonly ComparedPurchase[];
  /** The current month, "2026-03". */
  readonly monthKey: string;
}

/** Totals of a person's purchases. */
export function presentBilan({ sums, misses, compared, monthKey }: BilanFacts): Bilan {
  const { spending, boughtCount, failures } = sums;
  const weeks = Map.groupBy(spending, ({ weekKey }) => weekKey);
  return {
    depense: {
      mois: eur(chargedCents(spending.filter((part) => part.monthKey === monthKey))),
      total: eur(chargedCents(spending)),
      semaines: Array.from(weeks, ([debut, parts]) => ({
        debut,
        montant: eur(chargedCents(parts)),
        achats: parts.reduce((sum, part) => sum + part.count, 0),
      })),
    },
    reussis: boughtCount,
    rates: failures.reduce((sum, failure) => sum + failure.count, 0),
    economie: savingOf(compared),
    confirmes: compared.length,
    pertes: lossesOf(failures, misses),
  };
}

function chargedCents(spending: PurchaseSums["spending"]): number {
  return spending.reduce((sum, part) => sum + part.chargedCents, 0);
}

function savingOf(compared: readonly ComparedPurchase[]): Bilan["economie"] {
  const known = compared.flatMap(({ paidCents, usual }) => (usual === null ? [] : [{ paidCents, ...usual }]));
  if (known.length === 0) return null;
  return {
    montant: signedEur(known.reduce((sum, { paidCents, medianCents }) => sum + medianCents - paidCents, 0)),
    achats: known.length,
    annonces: known.reduce((sum, { sampleSize }) => sum + sampleSize, 0),
  };
}

/** Negative for a total above the usual price. */
export function signedEur(cents: number): ReturnType<typeof eur> {
  const { amount, currency_code } = eur(Math.abs(cents));
  return { amount: cents < 0 ? `-${amount}` : amount, currency_code };
}

function lossesOf(failures: PurchaseSums["failures"], misses: readonly MissedWish[]): Bilan["pertes"] {
  const counts = new Map<string, number>();
  const add = (cause: string, count: number): void =>
    void counts.set(cause, (counts.get(cause) ?? 0) + count);
  for (const { reason, count } of failures)
    add(reason === null ? "Cause inconnue" : FAILURE_CAUSES[reason], count);
  for (const { reason } of misses) add(MISS_CAUSES[reason], 1);
  return Array.from(counts, ([cause, nombre]) => ({ cause, nombre })).toSorted(
    (one, other) => other.nombre - one.nombre,
  );
}
