import * as z from "zod/mini";
import { unixMs } from "./envelope.ts";

/** The signed-in person. Separate, because every page loads it. */
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
