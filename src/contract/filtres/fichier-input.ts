/** What is taken of a file of filters. Apart, since pages load the checks of all that they read. */
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

/** One filter of a file: whether it would run or buy is not read. */
export const filtreFichierInput = z.omit(filtreInput, { active: true, autobuy: true, private: true });

const groupeFichierInput = z.extend(groupeInput, {
  filtres: z.array(position).check(z.minLength(1), z.maxLength(MAX_GROUP_FILTERS)),
});

const fichierInput = z.object({
  format: z.literal(FICHIER_FORMAT),
  version: z.literal(FICHIER_VERSION),
  /** Each is checked separately, so that the preview names the bad ones beside the good. */
  filtres: z.array(z.record(z.string(), z.unknown())).check(z.minLength(1), z.maxLength(MAX_FILE_FILTERS)),
  groupes: z._default(z.array(groupeFichierInput).check(z.maxLength(MAX_FILE_GROUPS)), []),
});
export type FichierInput = z.infer<typeof fichierInput>;

export const importInput = z.object({
  fichier: fichierInput,
  /** Only says what would be done. */
  apercu: z._default(z.boolean(), false),
  /** Positions of the filters to import; absent: all but those that the person has already. */
  choix: z.optional(z.array(position).check(z.maxLength(MAX_FILE_FILTERS))),
  /** Filters that differ replace the person's own ones of their tag, instead of being added beside them. */
  remplacer: z._default(z.boolean(), false),
});

/** `GET /filtres/export`: ids between commas; absent: all. */
export const exportQuery = z.object({
  ids: z.optional(z.string().check(z.minLength(1), z.maxLength(13_000))),
});
