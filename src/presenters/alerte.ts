/** The texts of alerts, and their presentation on the page of alerts. Pure. */
import { withoutControls } from "#catalogue/fold-text.ts";
import type { Canal, Envoi, ReglagesAlertes } from "#contract/alerte.ts";
import type {
  AlertAway,
  AlertMessage,
  AlertResult,
  AlertSettings,
  AlertType,
  Destination,
  JournaledAlert,
} from "#domain/alert.ts";
import type { MissedWish } from "#domain/story.ts";
import type { BuyingStop } from "#domain/buying-rules.ts";
import type { FilterId } from "#domain/ids.ts";
import type { Listing } from "#domain/market/listing.ts";
import { isLatePayment, type Purchase, type PurchaseState } from "#domain/purchase.ts";
import { presentArret, timeText } from "./regles.ts";
import { countText, euroText, purchaseMessage } from "./french-texts.ts";
import { tooGoodText } from "./recit.ts";
import { pictureLink, safePath } from "./market-links.ts";

const PANEL = "/synapse/articles";
const PURCHASES_PATH = "/synapse/achats";
const ALERTS_PATH = "/synapse/alertes";

/** Lower than the limits of every channel. */
const MAX_TITLE = 120;
const MAX_BODY = 400;

function shortened(text: string, maxLength: number): string {
  const plain = withoutControls(text);
  if (plain.length <= maxLength) return plain;
  // Without the first half of a character that the cut divides.
  return `${plain
    .slice(0, maxLength - 1)
    .replace(/\p{Cs}$/u, "")
    .trimEnd()}…`;
}

/**
 * "32,10 € · Blazer Sézane" above "M · Très bon état · Vestes".
 * @param filterTag the filter whose limit it uses @param filterIds all that announce it
 */
export function articleAlert(
  listing: Listing,
  { filterTag, filterIds }: { readonly filterTag: string; readonly filterIds: readonly FilterId[] },
): AlertMessage {
  const brand =
    listing.brandTitle === "" || listing.title.toLowerCase().includes(listing.brandTitle.toLowerCase())
      ? ""
      : ` ${listing.brandTitle}`;
  const { id: listingId, totalPriceCents, seller } = listing;
  return {
    title: `${euroText(totalPriceCents)} · ${shortened(`${listing.title}${brand}`, MAX_TITLE)}`,
    body: [listing.sizeTitle, listing.conditionLabel, filterTag]
      .map((part) => shortened(part, MAX_TITLE))
      .filter((part) => part !== "")
      .join(" · "),
    path: PANEL,
    article: {
      listingId,
      totalPriceCents,
      path: safePath(listing.path),
      photoUrl: pictureLink(listing.photoUrl),
      seller: { id: seller.id, login: seller.login },
      filterIds,
    },
  };
}

/** "À confirmer · 12,00 € · Blazer Sézane" above why it was not bought. */
export function questionAlert(question: Pick<MissedWish, "listing" | "filterId" | "standing">): AlertMessage {
  const { listing, filterId } = question;
  const article = articleAlert(listing, { filterTag: "", filterIds: [filterId] });
  return {
    ...article,
    title: `À confirmer · ${article.title}`,
    body: shortened(tooGoodText(question), MAX_BODY),
  };
}

/** @param counted by filter, highest count first */
export function groupAlert(
  counted: readonly { readonly tag: string; readonly count: number }[],
): AlertMessage {
  const total = counted.reduce((sum, { count }) => sum + count, 0);
  const tags = counted.map(({ tag, count }) => `${shortened(tag, 40)} ${count}`);
  return {
    title: total === 1 ? "Et un autre article" : `Et ${total} autres articles`,
    body: shortened(tags.join(" · "), MAX_BODY),
    path: PANEL,
  };
}

/** "23 articles · 2 achats confirmés (41,80 €)". */
export function digestAlert(away: AlertAway): AlertMessage {
  const { articles, confirmed, confirmedCents, cancelled, undecided } = away;
  const parts = [
    articles === 0 ? "" : countText(articles, "article", "articles"),
    confirmed === 0
      ? ""
      : `${countText(confirmed, "achat confirmé", "achats confirmés")} (${euroText(confirmedCents)})`,
    cancelled === 0 ? "" : countText(cancelled, "achat annulé", "achats annulés"),
    undecided === 0 ? "" : countText(undecided, "achat à vérifier", "achats à vérifier"),
  ];
  return {
    title: away.kind === "quiet" ? "Pendant vos heures calmes" : "Pendant votre pause",
    body: parts.filter((part) => part !== "").join(" · "),
    path: articles > 0 ? PANEL : PURCHASES_PATH,
  };
}

const [GREEN, YELLOW, RED, GREY] = [0x2e_a0_43, 0xd2_99_22, 0xda_36_33, 0x6e_76_81];

const HEADINGS: Readonly<Partial<Record<PurchaseState, readonly [title: string, colour: number]>>> = {
  confirmed: ["Achat confirmé", GREEN],
  awaiting: ["Votre banque attend votre confirmation", YELLOW],
  failed: ["Achat annulé", RED],
  cancelled: ["Achat annulé", RED],
  quarantine: ["Achat à vérifier (Inconnu)", GREY],
};

function headingOf({ state, failureReason }: Purchase): readonly [title: string, colour: number] {
  if (state === "confirmed" && failureReason === "not_cancelled") return ["Annulation non aboutie", YELLOW];
  return HEADINGS[state] ?? ["Achat", GREY];
}

/** Whether a purchase is announced in its state: not simulations, orders made elsewhere or bare attempts. */
export function isAnnounced(purchase: Purchase): boolean {
  const { state, mode, source, reachedCheckout } = purchase;
  if (mode !== "live" || (source === "external" && !isLatePayment(purchase))) return false;
  return state === "failed" ? reachedCheckout : HEADINGS[state] !== undefined;
}

/** @param filterTag the tag of the filter that bought; null: a click, or the filter was deleted */
export function purchaseAlert(purchase: Purchase, filterTag: string | null): AlertMessage {
  const { state, source, listing, chargedCents } = purchase;
  const [title, colour] = headingOf(purchase);
  // Also a late payment of a click, which is booked like an order made elsewhere.
  const isClick = source !== "auto" && purchase.filterId === null;
  const filter = filterTag ?? (isClick ? "Achat en un clic" : "Filtre supprimé");
  return {
    title,
    body: shortened(purchaseMessage(purchase), MAX_BODY),
    path: PURCHASES_PATH,
    details: {
      colour,
      photoUrl: pictureLink(listing.photoUrl),
      fields: [
        { name: "Prix", value: euroText(listing.totalPriceCents) },
        // What a cancelled purchase charged is paid back.
        ...(chargedCents === null || state === "cancelled"
          ? []
          : [{ name: "Payé, livraison comprise", value: euroText(chargedCents) }]),
        { name: "Filtre", value: filterTag === "" ? "Sans nom" : shortened(filter, MAX_TITLE) },
      ],
    },
  };
}

/** The alert of 'Envoyer un essai'. */
export const TEST_ALERT: AlertMessage = {
  title: "Essai de Synapse",
  body: "Vos alertes arriveront ici.",
  path: ALERTS_PATH,
  details: { colour: GREEN, fields: [], photoUrl: null },
};

/** Why a purchase switched 'Tout arrêter' on: it cost more than its quote, or several outcomes in a row are unknown. */
type BuyingBreak = "overcharge" | "unknown_outcomes";

const BREAK_TEXTS: Readonly<Record<BuyingBreak, string>> = {
  overcharge: "Vinted demande plus que le montant annoncé",
  unknown_outcomes: "Plusieurs paiements sont restés sans réponse",
};

/** News of a person's account, by the kind of its audit entry. */
export type AccountNews =
  | { readonly kind: "login"; readonly device: string }
  | { readonly kind: "channel_added" | "channel_removed"; readonly name: string }
  | { readonly kind: "account_refused" }
  | { readonly kind: "buying_stopped"; readonly reason: BuyingBreak; readonly title: string }
  | { readonly kind: "autobuy_stopped"; readonly stop: BuyingStop; readonly name: string | null };

export function accountAlert(news: AccountNews): AlertMessage {
  switch (news.kind) {
    case "login":
      return {
        title: "Nouvelle connexion",
        body: news.device === "" ? "Appareil inconnu" : shortened(news.device, MAX_TITLE),
        path: ALERTS_PATH,
      };
    case "channel_added":
      return { title: "Canal d'alertes ajouté", body: shortened(news.name, MAX_TITLE), path: ALERTS_PATH };
    case "channel_removed":
      return { title: "Canal d'alertes retiré", body: shortened(news.name, MAX_TITLE), path: ALERTS_PATH };
    case "account_refused":
      return {
        title: "Compte Vinted à reconnecter",
        body: "Vinted refuse votre session : collez un nouveau token dans les paramètres.",
        path: PANEL,
      };
    case "buying_stopped": {
      const last = news.title === "" ? "" : ` (« ${shortened(news.title, MAX_TITLE)} »)`;
      return {
        title: "Achats automatiques arrêtés",
        body: `${BREAK_TEXTS[news.reason]}${last}. Vérifiez vos achats, puis rallumez les achats automatiques.`,
        path: PURCHASES_PATH,
      };
    }
    case "autobuy_stopped":
      return {
        title: "Achat automatique arrêté",
        body: shortened(presentArret(news.stop, news.name).message ?? "", MAX_BODY),
        path: "/synapse/filtres",
      };
    default:
      return news satisfies never;
  }
}

const TYPES: Readonly<Record<AlertType, Envoi["type"]>> = {
  article: "article",
  group: "groupe",
  purchase: "achat",
  bank: "banque",
  account: "compte",
  digest: "resume",
  test: "essai",
};

/** The type on the wire. */
export function presentAlertType(type: AlertType): Envoi["type"] {
  return TYPES[type];
}

const RESULTS: Readonly<Record<AlertResult, Envoi["resultat"]>> = {
  waiting: "attend",
  sent: "envoye",
  refused: "refuse",
  abandoned: "abandonne",
  useless: "inutile",
  uncertain: "incertain",
};

/** Why an alert was not sent, by the code that delivery wrote. */
const REASONS: Readonly<Record<string, string>> = {
  removed: "Ce canal a été retiré.",
  lost: "Cette adresse n'existe plus.",
  refused: "Le service refuse ce message.",
  rate: "Le service demande d'attendre.",
  away: "Le service ne répond pas.",
  unknown: "Le service n'a pas confirmé la réception.",
  blocked: "Vous bloquez ce vendeur.",
  filter: "Ce filtre n'alerte plus.",
  off: "Ce canal ne reçoit plus les nouveaux articles.",
  paused: "Vos alertes étaient en pause.",
  plan: "Votre abonnement est terminé.",
  settled: "La banque n'attend plus.",
  suspended: "Votre compte est suspendu.",
  late: "Trop tard pour cet article.",
};

export function presentEnvoi(one: JournaledAlert): Envoi {
  // The body of such news says the same as its title, and names the article.
  const isOfPurchase = one.type === "purchase" || one.type === "bank";
  return {
    id: one.id,
    canal_id: one.destinationId,
    canal: one.channel,
    nom: one.name,
    type: TYPES[one.type],
    titre: isOfPurchase ? one.body : one.title,
    sonore: one.isLoud,
    resultat: RESULTS[one.result],
    raison: one.reason === null ? null : (REASONS[one.reason] ?? null),
    tentatives: one.attempts,
    prevu_a: one.dueAtMs,
    envoye_a: one.sentAtMs,
  };
}

export function presentCanal(
  one: Pick<Destination, "id" | "channel" | "name" | "state" | "events">,
  isHere: boolean,
): Canal {
  const { id, channel, name, state, events } = one;
  return {
    id,
    canal: channel,
    nom: name,
    etat: state === "active" ? "actif" : "perdu",
    evenements: {
      articles: events.articles,
      achats: events.purchases,
      compte: events.account,
      resume: events.summary,
    },
    ici: isHere,
  };
}

export function presentReglages(settings: AlertSettings, nowMs: number): ReglagesAlertes {
  const { maxPerHour, quiet, buysFromTelegram, pausedUntilMs } = settings;
  return {
    max_heure: maxPerHour,
    calme: { actif: quiet.isOn, de: timeText(quiet.from), a: timeText(quiet.to) },
    achat_telegram: buysFromTelegram,
    pause_jusqua: pausedUntilMs > nowMs ? pausedUntilMs : null,
  };
}
