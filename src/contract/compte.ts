import * as z from "zod/mini";
import { money, unixMs } from "./envelope.ts";

/** A place where the person is signed in. */
export const appareil = z.object({
  /** Names it for ending it; opens nothing. */
  id: z.string(),
  /** "Firefox sur Windows"; "" where the browser did not say. */
  nom: z.string(),
  /** Unix ms. */
  depuis: unixMs,
  vu: unixMs,
  /** The one that asks. */
  actuel: z.boolean(),
});
export type Appareil = z.infer<typeof appareil>;

/** How everything stands that finds and buys for the person. */
export const sante = z.object({
  flux: z.object({
    etat: z.enum(["en_direct", "au_repos", "en_pause", "ailleurs"]),
    /** Why it rests, in French. */
    raison: z.nullable(z.string()),
    /** Unix ms at which it goes on; null where that is not known. */
    reprise: z.nullable(unixMs),
  }),
  /** Reads of the marketplace a second, for everybody together. */
  lectures_par_seconde: z.number(),
  compte: z.enum(["absent", "connecte", "a_reconnecter"]),
  achats_auto: z.object({
    /** The plan has them. */
    inclus: z.boolean(),
    /** Active filters with automatic purchase. */
    filtres: z.int(),
    /** 'Tout arrêter' is on. */
    arret: z.boolean(),
    /** Why purchases are blocked now, for this person or for everyone; null while they are not. */
    bloque: z.nullable(z.string()),
    /** Unix ms at which that ends; null where it is not known. */
    reprise: z.nullable(unixMs),
  }),
  depense: z.object({ jour: money, limite_jour: money }),
});
export type Sante = z.infer<typeof sante>;

export const utilisateur = z.object({
  level: z.int(),
  picture: z.nullable(z.string()),
  name: z.string(),
  email: z.string(),
  plan: z.enum(["none", "seeker", "acquire", "thunder"]),
  /** Unix ms at which the plan ends; null: no end. */
  fin: z.nullable(unixMs),
  /** Only at level 0. */
  waitlist: z.optional(z.object({ rank: z.int(), total: z.int() })),
});
export type Utilisateur = z.infer<typeof utilisateur>;
