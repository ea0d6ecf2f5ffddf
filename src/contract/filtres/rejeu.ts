import * as z from "zod/mini";
import { money, unixMs } from "../envelope.ts";
import { prixHabituel } from "../produit.ts";

/** "2026-11-03" */
const jour = z.iso.date();

/** The days of a period on which the market was read as a filter needs it. */
export const couverture = z.object({
  /** The first such time; null: never read. */
  depuis: z.nullable(unixMs),
  jours: z.int(),
  /** Part of it is the sandbox's generated history. */
  exemple: z.boolean(),
  /** The last day of that: "2026-11-03"; null: none. */
  exemple_jusqu_au: z.nullable(jour),
});

export const exempleRejeu = z.object({
  id: z.int(),
  /** Folded: lower case, without accents. */
  titre: z.string(),
  marque: z.string(),
  taille: z.string(),
  etat: z.string(),
  total_item_price: money,
  prix: z.nullable(prixHabituel),
  vu_a: unixMs,
  achat: z.boolean(),
  url: z.string(),
});
export type ExempleRejeu = z.infer<typeof exempleRejeu>;

/** What a filter would have found and bought. */
export const rejeu = z.object({
  /** Days in Paris, today included: "2026-11-03". */
  periode: z.object({ du: jour, au: jour, jours: z.int() }),
  couverture,
  /** Number of examined versions. */
  examines: z.int(),
  articles: z.int(),
  republications: z.int(),
  /** Listings with leaves inside and outside of the types. */
  incertains: z.int(),
  achats: z.nullable(
    z.object({
      nombre: z.int(),
      /** Without delivery. */
      montant: money,
      /** Below the usual price; negative: above it; null: nothing could be compared. */
      economie: z.nullable(money),
      compares: z.int(),
      /** How many of them other buyers would have left, as an estimate; null: too few attempts. */
      fourchette: z.nullable(z.object({ min: z.int(), max: z.int() })),
      /** The person's automatic attempts of 30 days, on which the estimate is based. */
      tentatives: z.int(),
    }),
  ),
  pertes: z.array(
    z.object({
      code: z.enum([
        "limite_jour",
        "limite_mois",
        "limite_achats",
        "max_achats",
        "regle",
        "prix_incertain",
        "trop_beau",
        "republication",
      ]),
      cause: z.string(),
      nombre: z.int(),
    }),
  ),
  jours: z.array(z.object({ jour, articles: z.int(), achats: z.int() })),
  exemples: z.object({ moins_chers: z.array(exempleRejeu), plus_chers: z.array(exempleRejeu) }),
  /** Additional articles without one condition. */
  conditions: z.array(
    z.object({
      champ: z.enum(["brands", "sizes", "status", "color", "mots", "exclure", "bon_prix"]),
      articles: z.int(),
    }),
  ),
  limite: z.object({
    /** The lowest price without the limit; null: nothing. */
    moins_chere: z.nullable(money),
    /** Higher limits, lowest first, with the articles that each would add. */
    paliers: z.array(z.object({ limit: z.int(), articles: z.int() })),
  }),
  /** In order of time. */
  ids: z.array(z.int()),
  achetes: z.array(z.int()),
  tronque: z.boolean(),
  duree_ms: z.int(),
});
export type Rejeu = z.infer<typeof rejeu>;

const nomme = z.object({ id: z.int(), nom: z.string() });

const fourchettePrix = z.object({
  annonces: z.int(),
  /** Quartiles; null below 5 listings. */
  bas: z.nullable(money),
  median: z.nullable(money),
  haut: z.nullable(money),
});

const fourchetteNommee = z.extend(fourchettePrix, nomme.shape);
export type FourchettePrix = z.infer<typeof fourchetteNommee>;

/** The market's prices of a type, or of a brand in it. */
export const prixDuMarche = z.extend(fourchettePrix, {
  type: nomme,
  marque: z.nullable(nomme),
  etats: z.array(fourchetteNommee),
  tailles: z.array(fourchetteNommee),
  /** Only without a brand. */
  marques: z.optional(z.array(fourchetteNommee)),
  jours: z.array(z.object({ jour, annonces: z.int(), median: z.nullable(money) })),
  couverture,
});
export type PrixDuMarche = z.infer<typeof prixDuMarche>;

export const populaire = z.object({ type: nomme, marque: nomme, annonces: z.int(), median: money });
export type Populaire = z.infer<typeof populaire>;
