/** Request schemas of the settings, the alerts and the account. */
import * as z from "zod/mini";
import {
  DELETE_WORD,
  MAX_POSTAL_CODE,
  MAX_RELAIS,
  MAX_RELAIS_LENGTH,
  MAX_TOKEN_LENGTH,
  MAX_WEBHOOK_LENGTH,
} from "./bounds.ts";
import { adresse, mandat } from "./parametres.ts";

const adresseInput = z.extend(adresse, {
  rue: z.string().check(z.trim(), z.maxLength(200)),
  ville: z.string().check(z.trim(), z.maxLength(100)),
  code_postal: z.int().check(z.minimum(0), z.maximum(MAX_POSTAL_CODE)),
});

const limit = z.optional(z.int().check(z.minimum(0), z.maximum(100_000)));
const limitesInput = z.object({
  jour: limit,
  mois: limit,
  achats_jour: limit,
  arret: z.optional(z.boolean()),
  prudence: z.optional(z.boolean()),
});

/** The body of `/vinted/edit`: every part is optional, an absent one keeps its saved value. */
export const parametresInput = z.object({
  token: z.optional(z.nullable(z.string().check(z.maxLength(MAX_TOKEN_LENGTH)))),
  paiement: z.optional(z.union([z.literal(1), z.literal(11)])),
  adresse: z.optional(adresseInput),
  relais: z.optional(
    z
      .array(z.string().check(z.trim(), z.minLength(1), z.maxLength(MAX_RELAIS_LENGTH)))
      .check(z.maxLength(MAX_RELAIS)),
  ),
  limites: z.optional(limitesInput),
  /**
   * The version that the person agrees to; null withdraws it and switches every automatic filter off. The
   * object from `/vinted/get` is accepted and changes nothing, so that a client may send all settings back.
   */
  mandat: z.optional(z.nullable(z.union([z.int(), mandat]))),
});
export type ParametresInput = z.infer<typeof parametresInput>;

export const alertesInput = z.object({
  /** The full address of a Discord webhook; null removes it. */
  discord: z.nullable(z.string().check(z.maxLength(MAX_WEBHOOK_LENGTH))),
});

export const appareilEndInput = z.object({
  /** Absent: all except this session. */
  id: z.optional(z.string().check(z.minLength(1), z.maxLength(64))),
});

export const compteDeleteInput = z.object({ confirmation: z.literal(DELETE_WORD) });
