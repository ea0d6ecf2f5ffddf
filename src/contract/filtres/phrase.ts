/** A filter described in one French sentence. */
import * as z from "zod/mini";
import { filtre } from "./filtre.ts";

const { types, brands, sizes, status, color, limit, limit_min, mots, exclure } = filtre.shape;
const named = { types, brands, sizes, status, color, limit, limit_min, mots, exclure };

/** What a sentence says of a filter. */
export const phrase = z.object({
  /** Only the fields that the sentence names. */
  filtre: z.partial(z.object(named)),
  /** The parts that were read and the field that each gave, in the order of the sentence. */
  compris: z.array(
    z.object({
      texte: z.string(),
      champ: z.enum(["types", "brands", "sizes", "status", "color", "limit", "limit_min", "mots", "exclure"]),
    }),
  ),
  /** The parts that were not read. */
  reste: z.array(z.string()),
});
export type Phrase = z.infer<typeof phrase>;
