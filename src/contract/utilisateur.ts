import { z } from "zod";

export const utilisateur = z.object({
  level: z.number().int(),
  picture: z.string().nullable(),
  name: z.string(),
  email: z.string(),
  plan: z.enum(["none", "seeker", "acquire", "thunder"]),
  /** Unix ms at which the plan ends; null: no end. */
  fin: z.number().int().nullable(),
  /** Only at level 0. */
  waitlist: z.object({ rank: z.number().int(), total: z.number().int() }).optional(),
});
export type Utilisateur = z.infer<typeof utilisateur>;
