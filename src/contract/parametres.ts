import { z } from "zod";
import { MAX_POSTAL_CODE, MAX_RELAIS, MAX_RELAIS_LENGTH, MAX_TOKEN_LENGTH } from "./bounds.ts";

const pays = z.enum(["France", "Belgique", "Suisse", "Luxembourg"]);

export const adresse = z.object({
  rue: z.string().trim().max(200),
  ville: z.string().trim().max(100),
  code_postal: z.number().int().min(0).max(MAX_POSTAL_CODE),
  pays,
});

export const limites = z.object({
  jour: z.number().int().min(0).max(100_000),
  mois: z.number().int().min(0).max(100_000),
  achats_jour: z.number().int().min(0).max(100_000),
  arret: z.boolean(),
});

/** The 'mandat d'achat automatique': an outside marketplace needs it before anything is bought automatically. */
const mandat = z.object({
  requis: z.boolean(),
  /** Of the text that counts now. */
  version: z.number().int(),
  /** The version that the person agreed to; null: none. */
  accepte: z.number().int().nullable(),
});

export const parametres = z.object({
  token: z.string(),
  paiement: z.number().int(),
  adresse,
  relais: z.array(z.string()),
  etat: z.enum(["absent", "connecte", "a_reconnecter"]),
  limites,
  mandat,
});
export type Parametres = z.infer<typeof parametres>;

/** What `/vinted/edit` takes: every part is optional, an absent one keeps what is saved. */
export const parametresInput = z.object({
  token: z.string().max(MAX_TOKEN_LENGTH).nullable().optional(),
  paiement: z.union([z.literal(1), z.literal(11)]).optional(),
  adresse: adresse.optional(),
  relais: z.array(z.string().trim().min(1).max(MAX_RELAIS_LENGTH)).max(MAX_RELAIS).optional(),
  limites: limites.partial().optional(),
  /**
   * The version that the person agrees to; null withdraws it and turns every automatic filter off. As `/vinted/get`
   * sends it, it changes nothing: whoever sends everything back keeps what is saved.
   */
  mandat: z.union([z.number().int(), mandat]).nullable().optional(),
});
export type ParametresInput = z.infer<typeof parametresInput>;
