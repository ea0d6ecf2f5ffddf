/** Request schemas of filters. Separate from the response schemas, so that a page loads only those it parses with. */
import * as z from "zod/mini";
import {
  ALERT_MODES,
  MAX_ARCHIVE_DAYS,
  DEFAULT_LIMIT_EUR,
  MAX_FILTER_ALERTS,
  MAX_INFO_LENGTH,
  MAX_LIMIT_EUR,
  MAX_PURCHASES_STOP,
  MAX_SELLER_COUNTRIES,
  MAX_SELLER_RATING,
  MAX_SELLER_REVIEWS,
  MAX_SELECTED_IDS,
  MAX_SENTENCE_LENGTH,
  MAX_TAG_LENGTH,
  MAX_WORDS_LENGTH,
  MAX_WORDS,
  MIN_SELLER_RATING,
} from "../bounds.ts";
import { unixMs } from "../envelope.ts";
import { reglesInput } from "./regles-input.ts";

/** A multiple choice as it is sent: names are ignored. */
export const selectionInput = z.object({
  ids: z._default(
    z
      .array(z.int().check(z.minimum(0), z.maximum(Number.MAX_SAFE_INTEGER)))
      .check(z.maxLength(MAX_SELECTED_IDS)),
    [],
  ),
});

const filtreId = z.string().check(z.minLength(1), z.maxLength(64));
/** Words, phrases, or alternatives between `|`, whose own bounds are checked where they are read. */
const wordsInput = z
  .array(z.string().check(z.trim(), z.minLength(1), z.maxLength(MAX_WORDS_LENGTH)))
  .check(z.maxLength(MAX_WORDS));

/** Above `limit` it is refused. */
const priceFloor = z.int().check(z.minimum(0), z.maximum(MAX_LIMIT_EUR));

const noteMin = z.nullable(z.number().check(z.minimum(MIN_SELLER_RATING), z.maximum(MAX_SELLER_RATING)));
const avisMin = z.nullable(z.int().check(z.minimum(1), z.maximum(MAX_SELLER_REVIEWS)));
/** Codes are looked up where they are read. */
const pays = z.array(z.string().check(z.length(2))).check(z.maxLength(MAX_SELLER_COUNTRIES));
const inconnu = z.enum(["retenir", "laisser_passer"]);

const vendeurInput = z.object({
  note_min: z._default(noteMin, null),
  avis_min: z._default(avisMin, null),
  pays: z._default(pays, []),
  inconnu: z._default(inconnu, "retenir"),
});
/** A member that is absent keeps its value. */
const vendeurEditInput = z.partial(z.object({ note_min: noteMin, avis_min: avisMin, pays, inconnu }));
const maxAchats = z.nullable(z.int().check(z.minimum(1), z.maximum(MAX_PURCHASES_STOP)));
const bonPrix = z.nullable(z.literal([25, 10, 5]));

/** What `/filtres/add` takes: absent fields are the specification's defaults. */
export const filtreInput = z.object({
  tag: z.string().check(z.trim(), z.minLength(1), z.maxLength(MAX_TAG_LENGTH)),
  active: z._default(z.boolean(), true),
  autobuy: z._default(z.boolean(), false),
  private: z._default(z.boolean(), false),
  types: z._default(selectionInput, { ids: [] }),
  brands: z._default(selectionInput, { ids: [] }),
  sizes: z._default(selectionInput, { ids: [] }),
  status: z._default(selectionInput, { ids: [] }),
  color: z._default(z.string().check(z.maxLength(20)), ""),
  limit: z._default(z.int().check(z.minimum(0), z.maximum(MAX_LIMIT_EUR)), DEFAULT_LIMIT_EUR),
  limit_min: z._default(priceFloor, 0),
  bon_prix: z._default(bonPrix, null),
  paiement: z._default(z.union([z.literal(1), z.literal(11)]), 1),
  info: z._default(z.string().check(z.maxLength(MAX_INFO_LENGTH)), ""),
  mots: z._default(wordsInput, []),
  exclure: z._default(wordsInput, []),
  max_achats: z._default(maxAchats, null),
  simulation: z._default(z.boolean(), false),
  vendeur: z._default(vendeurInput, { note_min: null, avis_min: null, pays: [], inconnu: "retenir" }),
  ignorer_republications: z._default(z.boolean(), false),
  regles: z._default(reglesInput, {}),
  /** Absent: loud, six an hour; in an edit: as saved. */
  alerte: z.optional(z.enum(ALERT_MODES)),
  alerte_max: z.optional(z.int().check(z.minimum(1), z.maximum(MAX_FILTER_ALERTS))),
});
export type FiltreInput = z.infer<typeof filtreInput>;

/** What `/filtres/edit` takes: the whole filter. A field that came later than the first clients keeps its value when absent. */
export const filtreEditInput = z.extend(filtreInput, {
  _id: filtreId,
  limit_min: z.optional(priceFloor),
  mots: z.optional(wordsInput),
  exclure: z.optional(wordsInput),
  max_achats: z.optional(maxAchats),
  simulation: z.optional(z.boolean()),
  vendeur: z.optional(vendeurEditInput),
  ignorer_republications: z.optional(z.boolean()),
  bon_prix: z.optional(bonPrix),
});
export type FiltreEditInput = z.infer<typeof filtreEditInput>;

/** What `/filtres/apercu` takes: the criteria of a filter that is still being written. */
export const filtreApercuInput = z.pick(filtreInput, {
  types: true,
  brands: true,
  sizes: true,
  status: true,
  color: true,
  limit: true,
  limit_min: true,
  bon_prix: true,
  mots: true,
  exclure: true,
});
export type FiltreApercuInput = z.infer<typeof filtreApercuInput>;

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
