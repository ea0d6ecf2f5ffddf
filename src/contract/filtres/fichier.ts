/** Filters as a file: exported, previewed and imported. */
import * as z from "zod/mini";
import { FICHIER_FORMAT, FICHIER_VERSION } from "../bounds.ts";
import { filtre } from "./filtre.ts";
import { groupe } from "./regles.ts";

/** A filter in a file: without owner, state, and what only the store knows. */
export const filtreFichier = z.omit(filtre, {
  _id: true,
  active: true,
  autobuy: true,
  groupe: true,
  arret: true,
});
export type FiltreFichier = z.infer<typeof filtreFichier>;

const { nom, achats, budget } = groupe.shape;

export const fichier = z.object({
  format: z.literal(FICHIER_FORMAT),
  version: z.literal(FICHIER_VERSION),
  filtres: z.array(filtreFichier),
  /** Groups of which all filters are in the file; `filtres` are positions in it. */
  groupes: z.array(z.object({ nom, achats, budget, filtres: z.array(z.int()) })),
});
export type Fichier = z.infer<typeof fichier>;

/** A filter of a file, compared with the person's filters of the same tag. */
export const filtreImporte = z.object({
  index: z.int(),
  tag: z.string(),
  etat: z.enum(["nouveau", "identique", "different"]),
  /** Fields with a different value; flags are not compared. */
  differences: z.array(z.string()),
  /** Why this filter cannot be imported. */
  error: z.optional(z.string()),
});
export type FiltreImporte = z.infer<typeof filtreImporte>;

/** With `apercu` only the preview, otherwise what was done. */
export const importAnswer = z.object({
  success: z.literal(true),
  apercu: z.optional(z.array(filtreImporte)),
  message: z.optional(z.string()),
  ajoutes: z.optional(z.int()),
  remplaces: z.optional(z.int()),
  /** The filters that were added or replaced, in the order of the file. */
  filtres: z.optional(z.array(filtre)),
});
