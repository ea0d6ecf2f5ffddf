/** Requests about buying rules and groups; separate, because pages load the schemas of all answers. */
import * as z from "zod/mini";
import {
  MAX_BUDGET_EUR,
  MAX_FAILURES_STOP,
  MAX_GROUP_FILTERS,
  MAX_GROUP_PURCHASES,
  MAX_PAUSE_MINUTES,
  MAX_SELLER_PURCHASES,
  MAX_TAG_LENGTH,
} from "../bounds.ts";

const upTo = (maximum: number) => z.int().check(z.minimum(1), z.maximum(maximum));
/** Null: no such rule. Absent: none in a new filter, unchanged in an edited one. */
const rule = (maximum: number) => z.optional(z.nullable(upTo(maximum)));

const timeOfDay = z.string().check(z.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/));

/** Equal times are rejected by `readRegles`. */
const heures = z.object({ de: timeOfDay, a: timeOfDay });

export const reglesInput = z.object({
  budget_jour: rule(MAX_BUDGET_EUR),
  budget_total: rule(MAX_BUDGET_EUR),
  heures: z.optional(z.nullable(heures)),
  jours: z.optional(z.array(z.int().check(z.minimum(1), z.maximum(7))).check(z.maxLength(7))),
  pause: rule(MAX_PAUSE_MINUTES),
  vendeur_jour: rule(MAX_SELLER_PURCHASES),
  echecs: rule(MAX_FAILURES_STOP),
});
export type ReglesInput = z.infer<typeof reglesInput>;

const id = z.string().check(z.minLength(1), z.maxLength(64));

export const groupeInput = z.object({
  nom: z.string().check(z.trim(), z.minLength(1), z.maxLength(MAX_TAG_LENGTH)),
  achats: z._default(upTo(MAX_GROUP_PURCHASES), 1),
  budget: z._default(z.nullable(upTo(MAX_BUDGET_EUR)), null),
  filtres: z.array(id).check(z.minLength(1), z.maxLength(MAX_GROUP_FILTERS)),
});
export type GroupeInput = z.infer<typeof groupeInput>;

export const groupeEditInput = z.extend(groupeInput, { _id: id });
export const groupeDeleteInput = z.object({ _id: id });
