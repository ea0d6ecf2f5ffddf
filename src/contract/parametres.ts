import * as z from "zod/mini";

const pays = z.enum(["France", "Belgique", "Suisse", "Luxembourg"]);

export const adresse = z.object({
  rue: z.string(),
  ville: z.string(),
  /** 0: not known. */
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
  /** Of the text that counts now. */
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
  limites,
  mandat,
});
export type Parametres = z.infer<typeof parametres>;

/** The channels of a person's purchase alerts outside of the pages. */
export const alertes = z.object({
  /** A mask that ends with the last four characters of the webhook's address; "" while none is saved. */
  discord: z.string(),
});
