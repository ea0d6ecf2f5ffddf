import * as z from "zod/mini";

/** Why a call was refused or a click bought nothing: a code, because pages must not parse the sentence. */
export const refusalCode = z.enum([
  /** Sold, or withdrawn by its seller. */
  "vendu",
  "inconnu",
  "deja_achete",
  /** Currently not available. */
  "indisponible",
  "prix_monte",
  "limite",
  /** The person blocks the seller. */
  "vendeur_bloque",
  /** The link of an alert was used, or is older than ten minutes. */
  "jeton_utilise",
  "jeton_expire",
  /** Account, address or payment is missing. */
  "incomplet",
  "arrete",
  /** The marketplace fails or asks to wait. */
  "place_de_marche",
  /** The payment or the delivery was refused. */
  "refuse",
  /** Refused before it had any effect: by its content, session, plan or rate, or during the start. */
  "invalide",
  "session",
  "acces",
  "attente",
  "demarrage",
]);
export type RefusalCode = z.infer<typeof refusalCode>;

/** `amount`: "26.95". */
export const money = z.object({
  amount: z.string().check(z.refine((text) => /^-?\d+(\.\d+)?$/.test(text))),
  currency_code: z.string(),
});
export type Argent = z.infer<typeof money>;

/** The answer to every refused call; `/filtres/*` adds `success: false`. The text is French, for people. */
export const errorAnswer = z.object({
  error: z.string(),
  success: z.optional(z.literal(false)),
  code: z.optional(refusalCode),
  /** The invalid field of the body, if it is one: "adresse.code_postal". */
  champ: z.optional(z.string()),
  /** With "prix_monte": the current price, item and buyer protection. */
  prix: z.optional(money),
  /** The id of the failed purchase, if one was begun; the same as in `purchaseData`. */
  achat: z.optional(z.string()),
});

const MAX_DATE_MS = 8.64e15;

/** Within the range of `Date`. */
export const unixMs = z.int().check(z.minimum(0), z.maximum(MAX_DATE_MS));
export const unixSeconds = z.int().check(z.minimum(0), z.maximum(MAX_DATE_MS / 1_000));
