import * as z from "zod/mini";
import { achat, achatCancelInput, achatClickInput, bilan, manque, recit } from "./achat.ts";
import { alertesInput, appareilEndInput, compteDeleteInput, parametresInput } from "./parametres-input.ts";
import { alertes, appareil, parametres, sante } from "./parametres.ts";
import { canal, centreAlertes, envoi, lienAlerte } from "./alerte.ts";
import {
  appareilAlertesInput,
  canalInput,
  centreAlertesInput,
  jetonInput,
  pauseInput,
} from "./alerte-input.ts";
import { unixMs } from "./envelope.ts";
import { utilisateur } from "./compte.ts";
import { exportQuery, importInput } from "./filtres/fichier-input.ts";
import { fichier, importAnswer } from "./filtres/fichier.ts";
import {
  filtreApercuInput,
  filtreCopyInput,
  filtreDeleteInput,
  filtreEditInput,
  filtreInput,
  filtreLotInput,
  phraseInput,
  rejeuInput,
} from "./filtres/filtre-input.ts";
import { apercu, filtre, filtreActivite, filtrePret, filtrePublic } from "./filtres/filtre.ts";
import { phrase } from "./filtres/phrase.ts";
import { produitDuFlux, produitVu } from "./produit.ts";
import { groupe } from "./filtres/regles.ts";
import { groupeDeleteInput, groupeEditInput, groupeInput } from "./filtres/regles-input.ts";
import { populaire, prixDuMarche, rejeu } from "./filtres/rejeu.ts";
import { routes } from "./routes.ts";
import { vendeurBloque } from "./vendeur.ts";
import { vendeursBloquerInput, vendeursDebloquerInput } from "./vendeur-input.ts";

const catalogueId = z.coerce.number().check(z.int(), z.minimum(0));

const message = z.object({ message: z.string() });
const filtreAnswer = z.object({ success: z.literal(true), message: z.string(), filtre });

const groupeAnswer = z.object({ success: z.literal(true), message: z.string(), groupe });

const vendeursAnswer = z.object({
  success: z.literal(true),
  message: z.string(),
  vendeurs: z.array(vendeurBloque),
});

/** Every call of the product's own pages: method, path, request and response schemas (specification §7). */
export const calls = {
  user: { ...routes.user, answer: z.object({ user: z.nullable(utilisateur) }) },
  signOut: { ...routes.signOut, answer: message },
  keepAlive: { ...routes.keepAlive, answer: z.object({ success: z.literal(true) }) },
  sessions: { ...routes.sessions, answer: z.object({ sessions: z.array(appareil) }) },
  endSessions: { ...routes.endSessions, body: appareilEndInput, answer: message },
  deleteAccount: { ...routes.deleteAccount, body: compteDeleteInput, answer: message },
  state: { ...routes.state, answer: z.object({ etat: sante }) },
  filters: {
    ...routes.filters,
    answer: z.object({ success: z.literal(true), filtres: z.array(filtre) }),
  },
  filterActivity: {
    ...routes.filterActivity,
    /** Unix ms of the start of the person's day; absent: 24 h ago. */
    query: z.object({ depuis: z.optional(z.coerce.number().check(z.int(), z.minimum(0))) }),
    answer: z.object({
      success: z.literal(true),
      activites: z.array(filtreActivite),
      /** Only the latest matches were counted: the figures are lower bounds. */
      partiel: z.boolean(),
    }),
  },
  addFilter: { ...routes.addFilter, body: filtreInput, answer: filtreAnswer },
  editFilter: { ...routes.editFilter, body: filtreEditInput, answer: filtreAnswer },
  deleteFilters: {
    ...routes.deleteFilters,
    body: filtreDeleteInput,
    answer: z.object({ success: z.literal(true), message: z.string(), deleted: z.int() }),
  },
  changeFilters: {
    ...routes.changeFilters,
    body: filtreLotInput,
    /** The changed filters, in the order of the ids. */
    answer: z.object({ success: z.literal(true), message: z.string(), filtres: z.array(filtre) }),
  },
  publicFilters: {
    ...routes.publicFilters,
    query: z.object({ q: z.optional(z.string().check(z.maxLength(200))) }),
    answer: z.object({ success: z.literal(true), filtres: z.array(filtrePublic) }),
  },
  previewFilter: {
    ...routes.previewFilter,
    body: filtreApercuInput,
    answer: z.object({ success: z.literal(true), apercu }),
  },
  exportFilters: {
    ...routes.exportFilters,
    query: exportQuery,
    answer: z.object({ success: z.literal(true), fichier }),
  },
  importFilters: { ...routes.importFilters, body: importInput, answer: importAnswer },
  readSentence: {
    ...routes.readSentence,
    body: phraseInput,
    answer: z.extend(phrase, { success: z.literal(true) }),
  },
  replayFilter: {
    ...routes.replayFilter,
    body: rejeuInput,
    answer: z.object({ success: z.literal(true), rejeu }),
  },
  marketPrices: {
    ...routes.marketPrices,
    query: z.object({ type: catalogueId, marque: z.optional(catalogueId) }),
    answer: z.object({ prix: prixDuMarche }),
  },
  popularPairs: { ...routes.popularPairs, answer: z.object({ populaires: z.array(populaire) }) },
  copyFilter: { ...routes.copyFilter, body: filtreCopyInput, answer: filtreAnswer },
  settings: { ...routes.settings, answer: z.object({ vinted: parametres }) },
  token: { ...routes.token, answer: z.object({ token: z.string() }) },
  editSettings: { ...routes.editSettings, body: parametresInput, answer: message },
  alerts: { ...routes.alerts, answer: z.object({ alertes }) },
  editAlerts: { ...routes.editAlerts, body: alertesInput, answer: message },
  testAlert: { ...routes.testAlert, answer: message },
  alertCentre: { ...routes.alertCentre, answer: z.object({ alertes: centreAlertes }) },
  editAlertCentre: {
    ...routes.editAlertCentre,
    body: centreAlertesInput,
    answer: z.object({ message: z.string(), alertes: centreAlertes }),
  },
  addAlertDevice: {
    ...routes.addAlertDevice,
    body: appareilAlertesInput,
    answer: z.object({ message: z.string(), canal }),
  },
  pairTelegram: {
    ...routes.pairTelegram,
    answer: z.object({ code: z.string(), lien: z.string(), expire_a: unixMs }),
  },
  removeAlertChannel: { ...routes.removeAlertChannel, body: canalInput, answer: message },
  testAlertChannel: {
    ...routes.testAlertChannel,
    body: canalInput,
    answer: z.object({ message: z.string(), envoi }),
  },
  alertJournal: {
    ...routes.alertJournal,
    query: z.object({
      limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(200)), 50),
    }),
    /** Newest first. */
    answer: z.object({ envois: z.array(envoi) }),
  },
  alertLink: { ...routes.alertLink, body: jetonInput, answer: z.object({ lien: lienAlerte }) },
  buyFromAlert: {
    ...routes.buyFromAlert,
    body: jetonInput,
    answer: z.object({ message: z.string(), purchase: achat }),
  },
  pauseAlerts: {
    ...routes.pauseAlerts,
    body: pauseInput,
    answer: z.object({ message: z.string(), pause_jusqua: z.nullable(unixMs) }),
  },
  purchases: {
    ...routes.purchases,
    /** The last purchase of the previous page; absent: the newest. A page that is not full is the last. */
    query: z.object({ avant: z.optional(z.string().check(z.minLength(1), z.maxLength(64))) }),
    answer: z.object({ purch: z.array(achat) }),
  },
  cancelPurchase: {
    ...routes.cancelPurchase,
    body: achatCancelInput,
    answer: z.object({ purch: z.array(achat) }),
  },
  clickPurchase: {
    ...routes.clickPurchase,
    body: achatClickInput,
    answer: z.object({ message: z.string(), purchase: achat }),
  },
  hidePurchases: { ...routes.hidePurchases, answer: message },
  purchaseStory: {
    ...routes.purchaseStory,
    query: z.object({ id: z.string().check(z.minLength(1), z.maxLength(64)) }),
    answer: z.object({ recit }),
  },
  missedPurchases: { ...routes.missedPurchases, answer: z.object({ manques: z.array(manque) }) },
  purchaseSummary: { ...routes.purchaseSummary, answer: z.object({ bilan }) },
  blockedSellers: {
    ...routes.blockedSellers,
    /** Newest first. */
    answer: z.object({ success: z.literal(true), vendeurs: z.array(vendeurBloque) }),
  },
  blockSellers: { ...routes.blockSellers, body: vendeursBloquerInput, answer: vendeursAnswer },
  unblockSeller: { ...routes.unblockSeller, body: vendeursDebloquerInput, answer: vendeursAnswer },
  groups: {
    ...routes.groups,
    /** Newest first. */
    answer: z.object({ success: z.literal(true), groupes: z.array(groupe) }),
  },
  addGroup: { ...routes.addGroup, body: groupeInput, answer: groupeAnswer },
  editGroup: { ...routes.editGroup, body: groupeEditInput, answer: groupeAnswer },
  deleteGroup: {
    ...routes.deleteGroup,
    body: groupeDeleteInput,
    answer: z.object({ success: z.literal(true), message: z.string() }),
  },
  recentArticles: {
    ...routes.recentArticles,
    query: z.object({
      limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(200)), 50),
    }),
    answer: z.object({ items: z.array(produitDuFlux) }),
  },
  market: {
    ...routes.market,
    answer: z.object({ items: z.array(produitVu), filtres: z.array(filtrePret) }),
  },
} as const;

export type CallName = keyof typeof calls;
export type Answer<Name extends CallName> = z.infer<(typeof calls)[Name]["answer"]>;
export type Body<Name extends CallName> = (typeof calls)[Name] extends {
  body: infer Schema extends z.ZodMiniType;
}
  ? z.input<Schema>
  : never;
