import { z } from "zod";
import { money, refusalCode } from "./envelope.ts";
import { produit } from "./produit.ts";

export const achat = z.object({
  _id: z.string(),
  id_transaction: z.number().int().nullable(),
  status: z.number().int(),
  /** Unix seconds of the decision. */
  purchase_date: z.number().int(),
  /** The 3-D Secure page while the bank waits for the person. */
  purchase_confirmation: z.string().nullable(),
  product: produit,
  /** While a cancel is under way. */
  annulation: z.literal("en_cours").optional(),
  simulation: z.literal(true).optional(),
  /** auto: a filter bought it; clic: the person; externe: an order made elsewhere. */
  source: z.enum(["auto", "clic", "externe"]),
  /** The filter that bought it. */
  filtre: z.string().nullable(),
  /** What was charged, shipping included, once it is known. */
  total: money.nullable(),
  /** Why it failed, in French. */
  raison: z.string().nullable(),
  /** The same for a page, which must not read the sentence. */
  code: refusalCode.optional(),
  /** The offer that bought it; absent for an order made elsewhere. */
  offre: z.enum(["Clicker", "Acquire", "Thunder"]).optional(),
  /** While the bank is awaited: what it is asked for, shipping included. */
  a_payer: money.optional(),
  /** While the bank is awaited: about how long the marketplace keeps the listing for it, in unix seconds. */
  echeance: z.number().int().optional(),
});
export type Achat = z.infer<typeof achat>;

export const achatClickInput = z.object({
  id: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
  /** The price that the person saw. */
  price: money.optional(),
});

export const achatCancelInput = z.object({ id: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER) });
