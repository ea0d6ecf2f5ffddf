/** Alerts outside of the pages: destinations, settings and outcomes. */
import * as z from "zod/mini";
import { ALERT_CHANNEL_NAMES } from "#catalogue/alert-channels.ts";
import { achat } from "./achat.ts";
import { money, unixMs } from "./envelope.ts";
import { produit } from "./produit.ts";

/** Which alerts a channel receives; it always receives those about a waiting bank. */
const evenements = z.object({
  articles: z.boolean(),
  achats: z.boolean(),
  compte: z.boolean(),
  resume: z.boolean(),
});

const canalNom = z.enum(ALERT_CHANNEL_NAMES);

export const canal = z.object({
  id: z.string(),
  canal: canalNom,
  nom: z.string(),
  /** perdu: the service no longer knows the address. */
  etat: z.enum(["actif", "perdu"]),
  evenements,
  /** Added by the browser of this session. */
  ici: z.boolean(),
});
export type Canal = z.infer<typeof canal>;

export const reglagesAlertes = z.object({
  /** Articles per hour, over all filters. */
  max_heure: z.int(),
  /** Times of the day in Europe/Paris, "HH:MM". */
  calme: z.object({ actif: z.boolean(), de: z.string(), a: z.string() }),
  achat_telegram: z.boolean(),
  pause_jusqua: z.nullable(unixMs),
});
export type ReglagesAlertes = z.infer<typeof reglagesAlertes>;

export const centreAlertes = z.object({
  canaux: z.array(canal),
  offerts: z.object({
    /** The product's VAPID public key, base64url. */
    push: z.object({ cle: z.string() }),
    telegram: z.nullable(z.object({ bot: z.string() })),
    courriel: z.boolean(),
  }),
  reglages: reglagesAlertes,
  /** The sandbox's page of received alerts; null outside of it. */
  boite: z.nullable(z.string()),
});
export type CentreAlertes = z.infer<typeof centreAlertes>;

export const envoi = z.object({
  id: z.int(),
  canal_id: z.string(),
  canal: canalNom,
  nom: z.string(),
  type: z.enum(["article", "groupe", "achat", "banque", "compte", "resume", "essai"]),
  titre: z.string(),
  sonore: z.boolean(),
  resultat: z.enum(["attend", "envoye", "refuse", "abandonne", "inutile", "incertain"]),
  raison: z.nullable(z.string()),
  tentatives: z.int(),
  /** When it is or was due: an alert may be planned for later. */
  prevu_a: unixMs,
  envoye_a: z.nullable(unixMs),
});
export type Envoi = z.infer<typeof envoi>;

/** What the page of an alert's link shows. */
export const lienAlerte = z.object({
  etat: z.enum(["valide", "utilise", "expire"]),
  expire_a: unixMs,
  /** The price in the alert, which the purchase may not exceed. */
  prix: money,
  /** Null once the product has forgotten it. */
  produit: z.nullable(produit),
  /** The person's purchase of it. */
  achat: z.nullable(achat),
});
