import * as z from "zod/mini";
import { money, refusalCode, unixSeconds, unixMs } from "./envelope.ts";
import { produit } from "./produit.ts";

export const achat = z.object({
  _id: z.string(),
  id_transaction: z.nullable(z.int()),
  status: z.int(),
  /** Unix seconds of the decision. */
  purchase_date: unixSeconds,
  /** The 3-D Secure page while the bank waits for the person. */
  purchase_confirmation: z.nullable(z.string()),
  product: produit,
  /** While a cancel is under way. */
  annulation: z.optional(z.literal("en_cours")),
  simulation: z.optional(z.literal(true)),
  /** auto: a filter bought it; clic: the person; externe: an order made elsewhere. Absent: not known. */
  source: z.optional(z.enum(["auto", "clic", "externe"])),
  /** The filter that bought it. */
  filtre: z.nullable(z.string()),
  /** Amount charged, shipping included; null until known. */
  total: z.nullable(money),
  /** Why it failed, or why it could not be cancelled, in French. */
  raison: z.nullable(z.string()),
  /** The same for a page, which must not read the sentence. */
  code: z.optional(refusalCode),
  /** The offer that bought it; absent for an order made elsewhere. */
  offre: z.optional(z.enum(["Clicker", "Acquire", "Thunder"])),
  /** While the bank is awaited: what it is asked for, shipping included. */
  a_payer: z.optional(money),
  /** While the bank is awaited: about how long the marketplace keeps the listing for it, in unix seconds. */
  echeance: z.optional(unixSeconds),
});
export type Achat = z.infer<typeof achat>;

export const achatClickInput = z.object({
  id: z.int().check(z.minimum(1), z.maximum(Number.MAX_SAFE_INTEGER)),
  /** The price that the person saw. */
  price: z.optional(money),
});

export const achatCancelInput = z.object({
  id: z.int().check(z.minimum(1), z.maximum(Number.MAX_SAFE_INTEGER)),
});

/** One moment of a purchase's story; the page shows the time between two of them. */
const etape = z.object({
  nom: z.string(),
  /** Unix ms. */
  a: unixMs,
});

/** Why a purchase came out as it did. */
export const recit = z.object({
  /** In the order of time. */
  etapes: z.array(etape),
  /** Why it came to nothing, in French; null where it did not. */
  raison: z.nullable(z.string()),
  /** What the person can do about it. */
  conseil: z.nullable(z.string()),
});
export type Recit = z.infer<typeof recit>;

/** A missed purchase: an attempt that ended before the checkout, or a wish that was never attempted. */
export const manque = z.extend(recit, {
  /** Unix ms of the end. */
  date: unixMs,
  product: produit,
  /** The filter that wanted it; null for a click. */
  filtre: z.nullable(z.string()),
  /** For a page, which must not read the sentence; null: another reason. */
  code: z.nullable(z.enum(["prix_incertain", "trop_beau"])),
  /** It was not bought without the person's word, and may still be bought by a click. */
  a_confirmer: z.boolean(),
});
export type Manque = z.infer<typeof manque>;

export const bilan = z.object({
  /** Charges of purchases that were not cancelled, shipping included. */
  depense: z.object({
    mois: money,
    total: money,
    /** Weeks with a purchase, the newest first; `debut`: its Monday in Europe/Paris, "2026-03-23". */
    semaines: z.array(z.object({ debut: z.string(), montant: money, achats: z.int() })),
  }),
  /** Attempts that ended with an order or without; open, cancelled and simulated ones count nowhere. */
  reussis: z.int(),
  rates: z.int(),
  /** Saved against the usual price of similar listings when each was matched; null where there are none to compare with. */
  economie: z.nullable(
    z.object({
      montant: money,
      /** How many purchases could be compared. */
      achats: z.int(),
      /** With how many listings in all. */
      annonces: z.int(),
    }),
  ),
  /** How many of the latest purchases were looked at for the saving. */
  confirmes: z.int(),
  /** Most frequent first; wishes that were not tried count too. */
  pertes: z.array(z.object({ cause: z.string(), nombre: z.int() })),
});
export type Bilan = z.infer<typeof bilan>;
