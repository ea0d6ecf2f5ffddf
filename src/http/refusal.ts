import type { Denial } from "#auth/sessions.ts";
import type { RefusalCode } from "#contract/envelope.ts";
import type { PurchaseId } from "#domain/ids.ts";

interface RefusalDetails {
  readonly headers?: Readonly<Record<string, string>>;
  /** For the page, which must not parse the text. */
  readonly code?: RefusalCode;
  /** The invalid field of the body, by its wire name: "adresse.code_postal". */
  readonly field?: string;
  /** The current price of the listing. */
  readonly priceCents?: number;
  readonly purchaseId?: PurchaseId;
}

/** A refusal with its status and text: thrown anywhere below a route, sent by plugins/failures.ts. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  /** French, shown to the person. */
  readonly text: string;
  readonly details: RefusalDetails;

  constructor(status: number, text: string, details: RefusalDetails = {}) {
    super(`refused with ${status}`);
    this.status = status;
    this.text = text;
    this.details = details;
  }
}

/** 429 with `Retry-After`. */
export function tooMany(waitMs: number): Refusal {
  const waitS = Math.ceil(waitMs / 1_000);
  return new Refusal(429, tooManyText(waitS), { headers: { "retry-after": String(waitS) } });
}

/** `Retry-After` of refusals whose cause passes soon. */
export const RETRY_AFTER_S = "5";

/** The answer; refuses with 503 and this text if the answer's deadline passes. */
export async function inTime<Answer>(answer: Promise<Answer>, text: string): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof DOMException && error.name === "TimeoutError")
      throw new Refusal(503, text, { headers: { "retry-after": RETRY_AFTER_S } });
    throw error;
  }
}

/** Every refusal that a person can read, in French; those about a field of a body are in issue-texts.ts. */
export const DENIAL_REFUSALS: Readonly<Record<Denial, { readonly status: number; readonly text: string }>> = {
  no_session: { status: 401, text: "Connectez-vous pour continuer." },
  no_plan: {
    status: 403,
    text: "Votre compte n'a pas d'abonnement actif : cette fonction s'ouvre dès le plan Seeker.",
  },
  suspended: { status: 403, text: "Votre compte est suspendu : écrivez au support." },
};

export const TEXTS = {
  starting: "Le service démarre.",
  foreignOrigin: "Cette demande ne vient pas des pages de Synapse.",
  plainHttp: "Synapse ne répond qu'en HTTPS.",
  foreignHost: "Cette adresse n'est pas celle de Synapse.",
  undecodable: "L'adresse demandée est illisible.",
  unreadableBody: "Le corps de la demande n'est pas du JSON lisible.",
  unstorableText: "Un texte contient un caractère interdit.",
  wrongContentType: "Le corps de la demande doit être en JSON (Content-Type: application/json).",
  badRequest: "La demande est mal formée.",
  timeout: "La demande n'est pas arrivée à temps.",
  headersTooLarge: "Les en-têtes de la demande sont trop volumineux.",
  notFound: "Cette page n'existe pas.",
  methodNotAllowed: "Cette méthode n'est pas admise à cette adresse.",
  otherMandate: "Le texte du mandat a changé : relisez-le avant de l'accepter.",
  autobuyNeedsMandate:
    "L'achat automatique demande votre mandat : acceptez-le d'abord dans les paramètres, section « Garde-fous ».",
  filterNotFound: "Ce filtre n'existe pas.",
  filtersNotFound: "Un de ces filtres n'existe pas : rien n'a été supprimé.",
  filtersNotChanged: "Un de ces filtres n'existe pas : rien n'a été changé.",
  groupNotFound: "Ce groupe n'existe pas.",
  filtersNotGrouped: "Un de ces filtres n'existe pas : rien n'a été changé.",
  filterInAnotherGroup: "Un de ces filtres est déjà dans un autre groupe : rien n'a été changé.",
  tooManyGroups: "Vous avez déjà 50 groupes, le maximum : supprimez-en un d'abord.",
  filtersNotExported: "Un de ces filtres n'existe pas : rien n'a été exporté.",
  noSuchPosition: "Un des filtres choisis n'est pas dans le fichier : rien n'a été importé.",
  unreadableGroups: "Un groupe du fichier nomme un filtre qu'il n'a pas, ou qu'un autre groupe nomme aussi.",
  tooManyImported:
    "Avec ceux du fichier, vous auriez plus de 200 filtres, le maximum : rien n'a été importé. Choisissez-en moins.",
  importOvertaken: "Vos filtres ont changé entre-temps : rien n'a été importé. Réessayez.",
  fileTooLarge: "Le fichier est trop volumineux (512 Ko au plus).",
  tooManyChoices:
    "Vos filtres nomment trop de types, marques et tailles : choisissez des branches entières ou allégez-les.",
  tooManyFilters: "Vous avez déjà 200 filtres, le maximum : supprimez-en un d'abord.",
  autobuyNeedsPlan: "L'achat automatique fait partie des plans Acquire et Thunder.",
  foreignMask:
    "Ce token est un masque, pas le token enregistré : laissez le champ tel quel ou collez le token entier.",
  tokenLength: "Le token doit compter de 8 à 4096 caractères.",
  noWebhook:
    "Collez l'adresse entière d'un webhook Discord : https://discord.com/api/webhooks/, un nombre, puis une clé.",
  webhookAbsent: "Enregistrez d'abord l'adresse d'un webhook Discord.",
  webhookGone: "Discord ne connaît plus ce webhook : créez-en un autre et enregistrez son adresse.",
  discordSilent: "Discord ne répond pas comme prévu : réessayez plus tard.",
  channelNotFound: "Ce canal n'existe pas.",
  channelGone: "Cette adresse n'existe plus : ajoutez l'appareil ou le canal à nouveau.",
  serviceSilent: "Le service ne répond pas comme prévu : réessayez plus tard.",
  mailStays: "L'e-mail de connexion ne se retire pas : coupez ses alertes.",
  quietHoursEmpty: "Le début et la fin des heures calmes doivent être différents.",
  noArticlesByMail: "Les nouveaux articles ne s'envoient pas par e-mail.",
  noSubscription: "Cet appareil n'est pas reconnu : réessayez depuis son navigateur.",
  tooManyDevices: "Vous avez déjà 10 appareils, le maximum : retirez-en un d'abord.",
  noBot: "Telegram n'est pas disponible pour le moment.",
  linkNotFound: "Ce lien est inconnu.",
  tooManySellers: "Vous avez déjà bloqué 2 000 vendeurs, le maximum : débloquez-en d'abord.",
  unreadablePrice: "Le champ « price » doit être un montant en EUR, comme 12.34.",
  purchaseNotFound: "Cet achat n'existe pas.",
  purchaseNotConfirmed: "Seul un achat confirmé peut être annulé.",
  sessionNotFound: "Cet appareil n'est plus connecté.",
  openPurchases: "Un achat est encore en cours : votre compte pourra être supprimé dès qu'il sera réglé.",
  erasureBarred:
    "Votre compte est suspendu ou arrêté par l'exploitant : écrivez au support pour le supprimer.",
  slowCount: "Le calcul prend trop de temps : réessayez, ou choisissez des types.",
  slowMarket: "Le marché se fait attendre : réessayez dans quelques secondes.",
  slowPrices: "Les prix se font attendre : réessayez dans quelques secondes.",
  webMissing: "L'interface n'est pas construite.",
  storeAway: "La base de données est indisponible pour le moment : réessayez dans quelques minutes.",
} as const;

/** "Trop de demandes : réessayez dans 5 secondes." */
function tooManyText(waitS: number): string {
  const wait =
    waitS < 120 ? `${waitS} ${waitS < 2 ? "seconde" : "secondes"}` : `${Math.ceil(waitS / 60)} minutes`;
  return `Trop de demandes : réessayez dans ${wait}.`;
}

/** Contains a reference for the support: the log has the cause under the same id. */
export function internalErrorText(requestId: string): string {
  return `Une erreur est survenue de notre côté. Référence : ${requestId}.`;
}
