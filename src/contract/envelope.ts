import { z } from "zod";

/** Why a click bought nothing, for a page that must know without reading the sentence. */
export const refusalCode = z.enum([
  /** Nobody can buy it any more: sold, or withdrawn by its seller. */
  "vendu",
  "inconnu",
  "deja_achete",
  /** Not to be had now. */
  "indisponible",
  "prix_monte",
  "limite",
  /** Account, address or payment is missing. */
  "incomplet",
  "arrete",
  /** The marketplace is at fault or asks to wait. */
  "place_de_marche",
  /** The payment or the delivery was refused. */
  "refuse",
]);
export type RefusalCode = z.infer<typeof refusalCode>;

/** Every refused call answers this; `/filtres/*` adds `success: false`. The text is French and meant for people. */
export const errorAnswer = z.object({
  error: z.string(),
  success: z.literal(false).optional(),
  code: refusalCode.optional(),
  /** The field of the body that is to be mended, where it is one: "adresse.code_postal". */
  champ: z.string().optional(),
});

export const money = z.object({ amount: z.string(), currency_code: z.string() });
export type Argent = z.infer<typeof money>;
