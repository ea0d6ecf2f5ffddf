/** Requests about filters, beside `/filtres/add` and `/filtres/edit` (filtre.ts). */
import * as z from "zod/mini";
import { MAX_ARCHIVE_DAYS, MAX_LIMIT_EUR, MAX_SENTENCE_LENGTH, MAX_TAG_LENGTH } from "../bounds.ts";
import { unixMs } from "../envelope.ts";
import { filtreId, filtreInput, wordsInput } from "./filtre.ts";

/** What `/filtres/rejeu` takes: a filter, and the period: so many days, today included, or since a moment. */
export const rejeuInput = z.extend(filtreInput, {
  tag: z.optional(z.string().check(z.maxLength(MAX_TAG_LENGTH))),
  /** The group in which it buys. */
  groupe: z.optional(z.nullable(z.string().check(z.maxLength(64)))),
  jours: z.optional(z.int().check(z.minimum(1), z.maximum(MAX_ARCHIVE_DAYS))),
  depuis: z.optional(unixMs),
});
export type RejeuInput = z.infer<typeof rejeuInput>;

/** What `/filtres/phrase` takes. */
export const phraseInput = z.object({
  texte: z.string().check(z.trim(), z.minLength(1), z.maxLength(MAX_SENTENCE_LENGTH)),
});

const filtreIds = z.array(filtreId).check(z.minLength(1), z.maxLength(1_000));

export const filtreDeleteInput = z.object({ IDs: filtreIds });

/** A change of several filters; absent fields keep their value in each of them. */
const changement = z
  .object({
    active: z.optional(z.boolean()),
    /** Automatic buying is switched on filter by filter only. */
    autobuy: z.optional(z.literal(false)),
    limit: z.optional(z.int().check(z.minimum(1), z.maximum(MAX_LIMIT_EUR))),
    /** Added to each filter's limit, after `limit`. */
    limit_delta: z.optional(z.int().check(z.minimum(-MAX_LIMIT_EUR), z.maximum(MAX_LIMIT_EUR))),
    mots_ajout: z.optional(wordsInput),
    mots_retrait: z.optional(wordsInput),
    exclure_ajout: z.optional(wordsInput),
    exclure_retrait: z.optional(wordsInput),
  })
  .check(z.refine((change) => Object.values(change).some((value) => value !== undefined)));
export type Changement = z.infer<typeof changement>;

export const filtreLotInput = z.object({ IDs: filtreIds, changement });
export const filtreCopyInput = z.object({ _id: filtreId });
