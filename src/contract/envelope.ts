import { z } from "zod";

/** Every refused call answers this; `/filtres/*` adds `success: false`. The text is French and meant for people. */
export const errorAnswer = z.object({ error: z.string(), success: z.literal(false).optional() });

export const money = z.object({ amount: z.string(), currency_code: z.string() });
export type Argent = z.infer<typeof money>;
