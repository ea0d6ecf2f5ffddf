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
  /** Set while a cancellation is in progress. */
  annulation: z.optional(z.literal("en_cours")),
  simulation: z.optional(z.literal(true)),
  /** auto: by a filter; clic: by the person, perhaps a late payment; externe: an order made elsewhere, or with `filtre` a late payment of that filter. Absent: unknown. */
  source: z.optional(z.enum(["auto", "clic", "externe"])),
  /** The filter that bought it. */
  filtre: z.nullable(z.string()),
  /** Amount charged, shipping included; null until known. */
  total: z.nullable(money),
  /** Why it failed or could not be cancelled, in French. */
  raison: z.nullable(z.string()),
  /** The same as a code, because pages must not parse the sentence. */
  code: z.optional(refusalCode),
  /** The lane that bought it; absent for an external order. */
  offre: z.optional(z.enum(["Clicker", "Acquire", "Thunder"])),
  /** While the bank is awaited: the amount, shipping included. */
  a_payer: z.optional(money),
  /** While the bank is awaited: about until when the marketplace keeps the listing, in unix seconds. */
  echeance: z.optional(unixSeconds),
});
export type Achat = z.infer<typeof achat>;

export const achatClickInput = z.object({
  id: z.int().check(z.minimum(1), z.maximum(Number.MAX_SAFE_INTEGER)),
  /** The price that the person saw; what cannot be read as one is refused with its own text. */
  price: z.optional(z.object({ amount: z.string(), currency_code: z.string() })),
});

export const achatCancelInput = z.object({
  id: z.int().check(z.minimum(1), z.maximum(Number.MAX_SAFE_INTEGER)),
});

/** One step of a purchase; pages show the time between two steps. */
const etape = z.object({
  nom: z.string(),
  /** Unix ms. */
  a: unixMs,
});

/** The history of a purchase. */
export const recit = z.object({
  /** In the order of time. */
  etapes: z.array(etape),
  /** Why it failed, in French; null if it did not. */
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
  /** The reason as a code, because pages must not parse the sentence; null: another reason. */
  code: z.nullable(z.enum(["prix_incertain", "trop_beau"])),
  /** It needs the person's confirmation, and may still be bought by a click. */
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
  /** Attempts that ended with or without an order; open, cancelled and simulated ones are not counted. */
  reussis: z.int(),
  rates: z.int(),
  /** Saved against the usual price of similar listings at the match; null if none could be compared. */
  economie: z.nullable(
    z.object({
      montant: money,
      /** How many purchases could be compared. */
      achats: z.int(),
      /** The total number of similar listings. */
      annonces: z.int(),
    }),
  ),
  /** How many of the latest purchases were examined for the saving. */
  confirmes: z.int(),
  /** Most frequent first; includes wishes that were never attempted. */
  pertes: z.array(z.object({ cause: z.string(), nombre: z.int() })),
});
export type Bilan = z.infer<typeof bilan>;
