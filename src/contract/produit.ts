import * as z from "zod/mini";
import { money, unixMs } from "./envelope.ts";

export const vendeur = z.object({
  /** The marketplace's id; null: unknown. */
  id: z.nullable(z.int()),
  login: z.string(),
  photo: z.nullable(z.object({ url: z.string() })),
});

/** The seller of a listing, with known facts of the profile. */
export const vendeurDuProduit = z.extend(vendeur, {
  /** 0 to 5. */
  note: z.optional(z.number()),
  /** Number of reviews. */
  avis: z.optional(z.int()),
  /** ISO 3166-1 code. */
  pays: z.optional(z.string()),
});

/** The same article was listed before. */
export const republication = z.object({
  /** How many earlier listings there were. */
  fois: z.int(),
  premier_prix: money,
  /** Unix ms of the first sighting. */
  depuis: unixMs,
});
export type Republication = z.infer<typeof republication>;

/** A listing (specification §3), with the fields that the contract adds. */
export const produit = z.object({
  id: z.int(),
  title: z.string(),
  photo: z.nullable(z.object({ url: z.string(), dominant_color: z.nullable(z.string()) })),
  brand_title: z.string(),
  /** Item and buyer protection, without shipping. */
  total_item_price: money,
  size_title: z.string(),
  /** The French condition; "" where the marketplace gives none. */
  status: z.string(),
  path: z.string(),
  /** The listing's page, always on the marketplace's own host. */
  url: z.string(),
  user: vendeurDuProduit,
  /** Absent if no earlier listing is known, or in a list that was read after the article was listed once more. */
  republication: z.optional(republication),
});
export type Produit = z.infer<typeof produit>;

/** The usual price of similar listings: asked prices, without shipping. */
export const prixHabituel = z.object({
  /** Quartiles. */
  bas: money,
  median: money,
  haut: money,
  /** Percent of similar listings that are dearer; null if only less similar ones are known. */
  rang: z.nullable(z.int()),
  n: z.int(),
  jours: z.int(),
  base: z.enum(["type_marque_etat", "type_marque", "type_etat"]),
  /** Automatic buying would ask for confirmation. */
  suspect: z.boolean(),
});
export type PrixHabituel = z.infer<typeof prixHabituel>;

/** When a listing was found. */
const found = {
  /** Unix ms at which the product received it. */
  vu_a: unixMs,
  /** Unix ms at which it was published, by its photo; absent: unknown, or not before `vu_a`. */
  paru_a: z.optional(unixMs),
};

/** A listing of the stream. */
export const produitDuFlux = z.extend(produit, {
  ...found,
  /** The caller's filters that hold it. */
  filtres: z.array(z.string()),
  /** No longer for sale, as a purchase of any subscriber proved. */
  vendu: z.optional(z.boolean()),
  /** Null: too few similar listings are known. */
  prix: z.nullable(prixHabituel),
});
export type ProduitDuFlux = z.infer<typeof produitDuFlux>;

/** A listing recently seen on the market, for people without a filter. */
export const produitVu = z.extend(produit, found);
export type ProduitVu = z.infer<typeof produitVu>;
