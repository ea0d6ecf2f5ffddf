import * as z from "zod/mini";
import { MAX_POSTAL_CODE } from "./bounds.ts";

const pays = z.enum(["France", "Belgique", "Suisse", "Luxembourg"]);

export const adresse = z.object({
  rue: z.string().check(z.trim(), z.maxLength(200)),
  ville: z.string().check(z.trim(), z.maxLength(100)),
  code_postal: z.int().check(z.minimum(0), z.maximum(MAX_POSTAL_CODE)),
  pays,
});

export const limites = z.object({
  jour: z.int().check(z.minimum(0), z.maximum(100_000)),
  mois: z.int().check(z.minimum(0), z.maximum(100_000)),
  achats_jour: z.int().check(z.minimum(0), z.maximum(100_000)),
  arret: z.boolean(),
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
