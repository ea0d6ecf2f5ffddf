import * as z from "zod/mini";
import { MAX_RELAIS, MAX_RELAIS_LENGTH, MAX_TOKEN_LENGTH } from "./bounds.ts";
import { adresse, limites, mandat } from "./parametres.ts";

/** What `/vinted/edit` takes: every part is optional, an absent one keeps what is saved. */
export const parametresInput = z.object({
  token: z.optional(z.nullable(z.string().check(z.maxLength(MAX_TOKEN_LENGTH)))),
  paiement: z.optional(z.union([z.literal(1), z.literal(11)])),
  adresse: z.optional(adresse),
  relais: z.optional(
    z
      .array(z.string().check(z.trim(), z.minLength(1), z.maxLength(MAX_RELAIS_LENGTH)))
      .check(z.maxLength(MAX_RELAIS)),
  ),
  limites: z.optional(z.partial(limites)),
  /**
   * The version that the person agrees to; null withdraws it and turns every automatic filter off. As `/vinted/get`
   * sends it, it changes nothing: whoever sends everything back keeps what is saved.
   */
  mandat: z.optional(z.nullable(z.union([z.int(), mandat]))),
});
export type ParametresInput = z.infer<typeof parametresInput>;
