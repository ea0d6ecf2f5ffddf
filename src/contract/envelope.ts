import * as z from "zod/mini";

/** Why a call was refused or a click bought nothing, for a page that must know without reading the sentence. */
export const refusalCode = z.enum([
  /** Sold, or withdrawn by its seller. */
  "vendu",
  "inconnu",
  "deja_achete",
  /** Not to be had now. */
  "indisponible",
  "prix_monte",
  "limite",
  /** The person blocks the seller. */
  "vendeur_bloque",
  /** The link of an alert bought already, or its ten minutes are over. */
  "jeton_utilise",
  "jeton_expire",
  /** Account, address or payment is missing. */
  "incomplet",
  "arrete",
  /** The marketplace is at fault or asks to wait. */
  "place_de_marche",
  /** The payment or the delivery was refused. */
  "refuse",
  /** The call was refused before anything began: for what it holds, its session, the plan, its pace, or during the start. */
  "invalide",
  "session",
  "acces",
  "attente",
  "demarrage",
]);
export type RefusalCode = z.infer<typeof refusalCode>;

export const money = z.object({ amount: z.string(), currency_code: z.string() });
export type Argent = z.infer<typeof money>;

/** Every refused call answers this; `/filtres/*` adds `success: false`. The text is French and meant for people. */
export const errorAnswer = z.object({
  error: z.string(),
  success: z.optional(z.literal(false)),
  code: z.optional(refusalCode),
  /** The field of the body that is to be mended, where it is one: "adresse.code_postal". */
  champ: z.optional(z.string()),
  /** With "prix_monte": what the listing costs now, item and buyer protection. */
  prix: z.optional(money),
  /** The id of the failed purchase, where one was begun; `purchaseData` reports the same one. */
  achat: z.optional(z.string()),
});

const MAX_DATE_MS = 8.64e15;

/** A moment that a date can hold. */
export const unixMs = z.int().check(z.minimum(0), z.maximum(MAX_DATE_MS));
export const unixSeconds = z.int().check(z.minimum(0), z.maximum(MAX_DATE_MS / 1_000));
