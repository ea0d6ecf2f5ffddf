/** Requests about alerts. */
import * as z from "zod/mini";
import { MAX_ALERTS, MAX_ALERT_PAUSE_MINUTES } from "./bounds.ts";

const id = z.string().check(z.minLength(1), z.maxLength(64));
const flag = z.optional(z.boolean());
const heure = z.string().check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/u));

/** Absent members keep their value. */
export const centreAlertesInput = z.object({
  reglages: z.optional(
    z.object({
      max_heure: z.optional(z.int().check(z.minimum(1), z.maximum(MAX_ALERTS))),
      calme: z.optional(z.object({ actif: flag, de: z.optional(heure), a: z.optional(heure) })),
      achat_telegram: flag,
    }),
  ),
  canaux: z.optional(
    z
      .array(
        z.object({ id, evenements: z.object({ articles: flag, achats: flag, compte: flag, resume: flag }) }),
      )
      .check(z.maxLength(50)),
  ),
});
export type CentreAlertesInput = z.infer<typeof centreAlertesInput>;

/** The browser's subscription in its JSON form, or a simulated device of the sandbox. */
export const appareilAlertesInput = z.object({
  abonnement: z.optional(
    z.object({
      endpoint: z.string().check(z.minLength(1), z.maxLength(2_000)),
      keys: z.object({
        p256dh: z.string().check(z.minLength(1), z.maxLength(200)),
        auth: z.string().check(z.minLength(1), z.maxLength(100)),
      }),
    }),
  ),
  nom: z.optional(z.string().check(z.trim(), z.maxLength(80))),
  essai: flag,
  /** The page renews the person's own device: no test alert, and nothing is added. */
  renouvelle: flag,
});

export const canalInput = z.object({ id });
/** The part of a link after "#". */
export const jetonInput = z.object({ jeton: z.string().check(z.minLength(1), z.maxLength(200)) });
export const pauseInput = z.object({
  minutes: z.int().check(z.minimum(0), z.maximum(MAX_ALERT_PAUSE_MINUTES)),
});
