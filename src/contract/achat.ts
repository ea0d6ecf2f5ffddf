import * as z from "zod/mini";
import { money, refusalCode, unixSeconds } from "./envelope.ts";
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
  /** Why it failed, in French. */
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
