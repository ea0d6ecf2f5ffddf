import { z } from "zod";
import {
  DEFAULT_LIMIT_EUR,
  MAX_INFO_LENGTH,
  MAX_LIMIT_EUR,
  MAX_PURCHASES_STOP,
  MAX_SELECTED_IDS,
  MAX_TAG_LENGTH,
  MAX_WORD_LENGTH,
  MAX_WORDS,
} from "./bounds.ts";
import { money } from "./envelope.ts";

/** A multiple choice as it is answered: the names come from the catalogue, in the order of the ids. */
export const selection = z.object({ ids: z.array(z.number().int()), names: z.array(z.string()) });
export type Selection = z.infer<typeof selection>;

/** A multiple choice as it is sent: names are ignored. */
export const selectionInput = z.object({
  ids: z.array(z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)).max(MAX_SELECTED_IDS).default([]),
});

const wordsInput = z.array(z.string().trim().min(1).max(MAX_WORD_LENGTH)).max(MAX_WORDS);

/** A saved search as it is answered (specification §3). */
export const filtre = z.object({
  _id: z.string(),
  tag: z.string(),
  active: z.boolean(),
  autobuy: z.boolean(),
  private: z.boolean(),
  types: selection,
  brands: selection,
  sizes: selection,
  status: selection,
  /** The specification's English colour name; "" = all. */
  color: z.string(),
  /** Price cap in whole EUR; 0 matches nothing. */
  limit: z.number().int(),
  paiement: z.number().int(),
  info: z.string(),
  mots: z.array(z.string()),
  exclure: z.array(z.string()),
  max_achats: z.number().int().nullable(),
  simulation: z.boolean(),
});
export type Filtre = z.infer<typeof filtre>;

/** What `/filtres/add` takes: absent fields are the specification's defaults. */
export const filtreInput = z.object({
  tag: z.string().trim().min(1).max(MAX_TAG_LENGTH),
  active: z.boolean().default(true),
  autobuy: z.boolean().default(false),
  private: z.boolean().default(false),
  types: selectionInput.default({ ids: [] }),
  brands: selectionInput.default({ ids: [] }),
  sizes: selectionInput.default({ ids: [] }),
  status: selectionInput.default({ ids: [] }),
  color: z.string().max(20).default(""),
  limit: z.number().int().min(0).max(MAX_LIMIT_EUR).default(DEFAULT_LIMIT_EUR),
  paiement: z.union([z.literal(1), z.literal(11)]).default(1),
  info: z.string().max(MAX_INFO_LENGTH).default(""),
  mots: wordsInput.default([]),
  exclure: wordsInput.default([]),
  max_achats: z.number().int().min(1).max(MAX_PURCHASES_STOP).nullable().default(null),
  simulation: z.boolean().default(false),
});
export type FiltreInput = z.infer<typeof filtreInput>;

/** What `/filtres/edit` takes: the whole filter. */
export const filtreEditInput = filtreInput.extend({ _id: z.string().min(1).max(64) });
export type FiltreEditInput = z.infer<typeof filtreEditInput>;

/** What `/filtres/apercu` takes: the criteria of a filter that is still being written. */
export const filtreApercuInput = filtreInput.pick({
  types: true,
  brands: true,
  sizes: true,
  status: true,
  color: true,
  limit: true,
  mots: true,
  exclure: true,
});
export type FiltreApercuInput = z.infer<typeof filtreApercuInput>;

/** What such a filter would have found among the listings that the product saw in the last day. */
export const apercu = z.object({
  articles: z.number().int(),
  /** Listings of the chosen types that were looked at: 0 says that nothing is known of them, not that there are none. */
  vus: z.number().int(),
  /** Unix ms since which it counts: a day, or less where less is remembered. */
  depuis: z.number().int(),
  prix: z.object({ min: money, max: money }).nullable(),
});
export type Apercu = z.infer<typeof apercu>;

/** What one of the person's filters has lately found and bought. */
export const filtreActivite = z.object({
  _id: z.string(),
  /** Articles, each once, since the moment that was asked for. */
  trouves_aujourdhui: z.number().int(),
  /** The last one it found; null where there was none in the last day. `vu_a`: unix ms. */
  dernier: z.object({ id: z.number().int(), title: z.string(), vu_a: z.number().int() }).nullable(),
  /** Open and confirmed purchases, as `max_achats` counts them. */
  achetes: z.number().int(),
});
export type FiltreActivite = z.infer<typeof filtreActivite>;

export const filtreDeleteInput = z.object({ IDs: z.array(z.string().min(1).max(64)).min(1).max(1_000) });
export const filtreCopyInput = z.object({ _id: z.string().min(1).max(64) });

/** Somebody else's public filter: never whose it is. */
export const filtrePublic = filtre
  .pick({
    _id: true,
    tag: true,
    types: true,
    brands: true,
    sizes: true,
    status: true,
    color: true,
    limit: true,
  })
  .extend({ copies: z.number().int() });
export type FiltrePublic = z.infer<typeof filtrePublic>;

/** A filter ready to be started with one click: it found something in the last hour. */
export const filtrePret = filtrePublic.omit({ _id: true, copies: true }).extend({
  /** The public filter that it copies; null for one made from what was often seen. */
  copie_de: z.string().nullable(),
  /** Listings of the last hour. */
  articles: z.number().int(),
});
export type FiltrePret = z.infer<typeof filtrePret>;
