import * as z from "zod/mini";
import { money, unixMs } from "./envelope.ts";
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

/** A multiple choice as it is answered: the names come from the catalogue, in the order of the ids. */
export const selection = z.object({ ids: z.array(z.int()), names: z.array(z.string()) });
export type Selection = z.infer<typeof selection>;

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
  limit: z.int(),
  paiement: z.int(),
  info: z.string(),
  mots: z.array(z.string()),
  exclure: z.array(z.string()),
  max_achats: z.nullable(z.int()),
  simulation: z.boolean(),
});
export type Filtre = z.infer<typeof filtre>;

/** What such a filter would have found among the listings that the product saw in the last day. */
export const apercu = z.object({
  articles: z.int(),
  /** Listings of the chosen types that were looked at: 0 says that nothing is known of them, not that there are none. */
  vus: z.int(),
  /** Unix ms since which it counts: a day, or less where less is remembered. */
  depuis: unixMs,
  prix: z.nullable(z.object({ min: money, max: money })),
});
export type Apercu = z.infer<typeof apercu>;

/** What one of the person's filters has lately found and bought. */
export const filtreActivite = z.object({
  _id: z.string(),
  /** Articles, each once, since the moment that was asked for. */
  trouves_aujourdhui: z.int(),
  /** The last one it found; null where there was none in the last day. `vu_a`: unix ms. */
  dernier: z.nullable(z.object({ id: z.int(), title: z.string(), vu_a: unixMs })),
  /** Open and confirmed purchases, as `max_achats` counts them. */
  achetes: z.int(),
});
export type FiltreActivite = z.infer<typeof filtreActivite>;

const { _id, tag, types, brands, sizes, status, color, limit } = filtre.shape;
const criteria = { tag, types, brands, sizes, status, color, limit };

/** A public filter of another person: never whose it is. */
export const filtrePublic = z.object({ _id, ...criteria, copies: z.int() });
export type FiltrePublic = z.infer<typeof filtrePublic>;

/** A filter ready to be started with one click: it found something in the last hour. */
export const filtrePret = z.object({
  ...criteria,
  /** The public filter that it copies; null for one derived from frequent listings. */
  copie_de: z.nullable(z.string()),
  /** Listings of the last hour. */
  articles: z.int(),
});
export type FiltrePret = z.infer<typeof filtrePret>;

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
const wordsInput = z
  .array(z.string().check(z.trim(), z.minLength(1), z.maxLength(MAX_WORD_LENGTH)))
  .check(z.maxLength(MAX_WORDS));

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
  paiement: z._default(z.union([z.literal(1), z.literal(11)]), 1),
  info: z._default(z.string().check(z.maxLength(MAX_INFO_LENGTH)), ""),
  mots: z._default(wordsInput, []),
  exclure: z._default(wordsInput, []),
  max_achats: z._default(z.nullable(z.int().check(z.minimum(1), z.maximum(MAX_PURCHASES_STOP))), null),
  simulation: z._default(z.boolean(), false),
});
export type FiltreInput = z.infer<typeof filtreInput>;

/** What `/filtres/edit` takes: the whole filter. */
export const filtreEditInput = z.extend(filtreInput, { _id: filtreId });
export type FiltreEditInput = z.infer<typeof filtreEditInput>;

/** What `/filtres/apercu` takes: the criteria of a filter that is still being written. */
export const filtreApercuInput = z.pick(filtreInput, {
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

export const filtreDeleteInput = z.object({
  IDs: z.array(filtreId).check(z.minLength(1), z.maxLength(1_000)),
});
export const filtreCopyInput = z.object({ _id: filtreId });
