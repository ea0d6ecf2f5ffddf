/** Import of a file of filters; separate, because pages load the schemas of all answers. */
import * as z from "zod/mini";
import {
  FICHIER_FORMAT,
  FICHIER_VERSION,
  MAX_FILE_FILTERS,
  MAX_FILE_GROUPS,
  MAX_GROUP_FILTERS,
} from "../bounds.ts";
import { filtreInput } from "./filtre-input.ts";
import { groupeInput } from "./regles-input.ts";

const position = z.int().check(z.minimum(0), z.maximum(MAX_FILE_FILTERS - 1));

/** One filter of a file; whether it was active, bought or was private is ignored. */
export const filtreFichierInput = z.omit(filtreInput, { active: true, autobuy: true, private: true });

const groupeFichierInput = z.extend(groupeInput, {
  filtres: z.array(position).check(z.minLength(1), z.maxLength(MAX_GROUP_FILTERS)),
});

const fichierInput = z.object({
  format: z.literal(FICHIER_FORMAT),
  version: z.literal(FICHIER_VERSION),
  /** Each is validated separately, so that the preview shows valid and invalid ones. */
  filtres: z.array(z.record(z.string(), z.unknown())).check(z.minLength(1), z.maxLength(MAX_FILE_FILTERS)),
  groupes: z._default(z.array(groupeFichierInput).check(z.maxLength(MAX_FILE_GROUPS)), []),
});
export type FichierInput = z.infer<typeof fichierInput>;

export const importInput = z.object({
  fichier: fichierInput,
  /** Returns what would be done, without doing it. */
  apercu: z._default(z.boolean(), false),
  /** Positions of the filters to import; absent: all except those that the person already has. */
  choix: z.optional(z.array(position).check(z.maxLength(MAX_FILE_FILTERS))),
  /** Filters that differ replace the person's filters of the same tag, instead of being added. */
  remplacer: z._default(z.boolean(), false),
});

/** `GET /filtres/export`: comma-separated ids; absent: all. */
export const exportQuery = z.object({
  ids: z.optional(z.string().check(z.minLength(1), z.maxLength(13_000))),
});
