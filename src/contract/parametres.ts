import * as z from "zod/mini";
import { money, unixMs } from "./envelope.ts";

const pays = z.enum(["France", "Belgique", "Suisse", "Luxembourg"]);

export const adresse = z.object({
  rue: z.string(),
  ville: z.string(),
  /** 0: unknown. */
  code_postal: z.int(),
  pays,
});

const limites = z.object({
  jour: z.int(),
  mois: z.int(),
  achats_jour: z.int(),
  arret: z.boolean(),
  /** A listing that is too cheap to be true is not bought automatically. */
  prudence: z.boolean(),
});

/** The 'mandat d'achat automatique': an outside marketplace needs it before anything is bought automatically. */
export const mandat = z.object({
  requis: z.boolean(),
  /** The current version of the text. */
  version: z.int(),
  /** The version that the person agreed to; null: none. */
  accepte: z.nullable(z.int()),
});

export const parametres = z.object({
  token: z.string(),
  paiement: z.int(),
  adresse,
  relais: z.array(z.string()),
  etat: z.enum(["absent", "connecte", "a_reconnecter"]),
  /** Nothing is bought until street, city and postal code are given. */
  adresse_complete: z.boolean(),
  limites,
  mandat,
});
export type Parametres = z.infer<typeof parametres>;

/** The Discord webhook for alerts, in `/vinted/alertes`; all channels are in alerte.ts. */
export const alertes = z.object({
  /** A mask that ends with the last four characters of the webhook's address; "" while none is saved. */
  discord: z.string(),
});

/** A place where the person is signed in. */
export const appareil = z.object({
  /** Identifies the session in order to end it; it is not the session's secret. */
  id: z.string(),
  /** "Firefox sur Windows"; "" if the browser did not say. */
  nom: z.string(),
  /** Unix ms. */
  depuis: unixMs,
  vu: unixMs,
  /** The session of this request. */
  actuel: z.boolean(),
});
export type Appareil = z.infer<typeof appareil>;

/** The state of everything that finds and buys for the person. */
export const sante = z.object({
  flux: z.object({
    etat: z.enum(["en_direct", "au_repos", "en_pause", "ailleurs"]),
    /** Why it is paused, in French. */
    raison: z.nullable(z.string()),
    /** Unix ms at which it resumes; null: unknown. */
    reprise: z.nullable(unixMs),
  }),
  /** Reads of the marketplace per second, for all people. */
  lectures_par_seconde: z.number(),
  compte: z.enum(["absent", "connecte", "a_reconnecter"]),
  adresse_complete: z.boolean(),
  achats_auto: z.object({
    /** The plan includes them. */
    inclus: z.boolean(),
    /** Active filters with automatic purchase. */
    filtres: z.int(),
    /** 'Tout arrêter' is on. */
    arret: z.boolean(),
    /** Why purchases are blocked, for this person or for everyone; null if they are not. */
    bloque: z.nullable(z.string()),
    /** Unix ms at which that ends; null: unknown. */
    reprise: z.nullable(unixMs),
  }),
  depense: z.object({ jour: money, limite_jour: money }),
});
export type Sante = z.infer<typeof sante>;
