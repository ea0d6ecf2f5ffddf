/** Answers about rules of automatic buying and groups of filters. */
import * as z from "zod/mini";
import { money, unixMs } from "../envelope.ts";

/** Null or an empty list: no such rule. Hours and days are those of Europe/Paris. */
export const regles = z.object({
  /** Whole EUR per day, all in. */
  budget_jour: z.nullable(z.int()),
  budget_total: z.nullable(z.int()),
  /** "HH:MM"; after midnight where `a` comes before `de`. */
  heures: z.nullable(z.object({ de: z.string(), a: z.string() })),
  /** 1 = lundi … 7. */
  jours: z.array(z.int()),
  /** Minutes between two purchases. */
  pause: z.nullable(z.int()),
  /** Purchases of one seller on one day, clicks included. */
  vendeur_jour: z.nullable(z.int()),
  /** This number of failed purchases switches autobuy off. */
  echecs: z.nullable(z.int()),
});
export type Regles = z.infer<typeof regles>;

const raisonArret = z.enum(["groupe", "max_achats", "budget_total", "echecs"]);
export type RaisonArret = z.infer<typeof raisonArret>;

/** Why and when the product switched autobuy off. */
export const arret = z.object({ raison: raisonArret, a: unixMs });

export const groupe = z.object({
  _id: z.string(),
  nom: z.string(),
  /** How many articles its filters may buy together. */
  achats: z.int(),
  /** Whole EUR all in; null: none. */
  budget: z.nullable(z.int()),
  filtres: z.array(z.string()),
  /** Real purchases that are neither failed nor cancelled, and what they hold and cost. */
  pris: z.object({ achats: z.int(), montant: money }),
  /** complet: its last place is paid, or less than 1 EUR of its budget is left. */
  etat: z.enum(["ouvert", "complet"]),
});
export type Groupe = z.infer<typeof groupe>;
