/** A filter described in one French sentence. */
import * as z from "zod/mini";
import { filtre } from "./filtre.ts";

const { types, brands, sizes, status, color, limit, limit_min, mots, exclure } = filtre.shape;
const named = { types, brands, sizes, status, color, limit, limit_min, mots, exclure };

/** What a sentence says about a filter. */
export const phrase = z.object({
  /** Only the fields that the sentence names. */
  filtre: z.partial(z.object(named)),
  /** The parts that were understood with their fields, in the order of the sentence. */
  compris: z.array(
    z.object({
      texte: z.string(),
      champ: z.enum(["types", "brands", "sizes", "status", "color", "limit", "limit_min", "mots", "exclure"]),
    }),
  ),
  /** The parts that were not understood. */
  reste: z.array(z.string()),
});
export type Phrase = z.infer<typeof phrase>;
