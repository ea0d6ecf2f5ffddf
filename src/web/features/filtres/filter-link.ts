/**
 * A filter's criteria as a link: `/synapse/filtres#f=` and base64url of deflate-raw JSON. It holds the tag and what a
 * listing must be, never how the filter buys, pays or what was noted. What follows the # is sent to no server.
 */
import * as z from "zod/mini";
import { categoryById } from "#catalogue/categories.ts";
import { colourByName } from "#catalogue/colours.ts";
import { isCountryCode } from "#catalogue/country-codes.ts";
import { conditionById } from "#catalogue/conditions.ts";
import { sizeById } from "#catalogue/sizes.ts";
import {
  MAX_LIMIT_EUR,
  MAX_SELECTED_IDS,
  MAX_SELLER_COUNTRIES,
  MAX_SELLER_RATING,
  MAX_SELLER_REVIEWS,
  MAX_TAG_LENGTH,
  MAX_WORDS,
  MAX_WORDS_LENGTH,
  MIN_SELLER_RATING,
} from "#contract/bounds.ts";
import type { Filtre } from "#contract/filtres/filtre.ts";
import { bargainTextOf, emptyDraft, sellerDraftOf, type FiltreDraft } from "./form/draft.ts";

const VERSION = 1;
/** A link that unpacks to more is no filter's. */
const MAX_JSON_BYTES = 64 * 1_024;

const selection = z._default(
  z.object({ ids: z.array(z.int().check(z.minimum(0))).check(z.maxLength(MAX_SELECTED_IDS)) }),
  { ids: [] },
);
const words = z._default(
  z.array(z.string().check(z.maxLength(MAX_WORDS_LENGTH))).check(z.maxLength(MAX_WORDS)),
  [],
);
const rating = z.number().check(z.minimum(MIN_SELLER_RATING), z.maximum(MAX_SELLER_RATING));
const reviews = z.int().check(z.minimum(1), z.maximum(MAX_SELLER_REVIEWS));
const euros = z.int().check(z.minimum(0), z.maximum(MAX_LIMIT_EUR));

const linked = z.object({
  version: z.literal(VERSION),
  tag: z._default(z.string().check(z.maxLength(MAX_TAG_LENGTH)), ""),
  types: selection,
  brands: selection,
  sizes: selection,
  status: selection,
  color: z._default(z.string().check(z.maxLength(20)), ""),
  limit: euros,
  limit_min: z._default(euros, 0),
  bon_prix: z._default(z.nullable(z.literal([25, 10, 5])), null),
  mots: words,
  exclure: words,
  vendeur: z._default(
    z.object({
      note_min: z._default(z.nullable(rating), null),
      avis_min: z._default(z.nullable(reviews), null),
      pays: z._default(
        z.array(z.string().check(z.regex(/^[A-Z]{2}$/u))).check(z.maxLength(MAX_SELLER_COUNTRIES)),
        [],
      ),
      inconnu: z._default(z.enum(["retenir", "laisser_passer"]), "retenir"),
    }),
    { note_min: null, avis_min: null, pays: [], inconnu: "retenir" },
  ),
  ignorer_republications: z._default(z.boolean(), false),
});

export interface LinkedFilter {
  readonly draft: FiltreDraft;
  /** In French: what of it Synapse does not know. */
  readonly leftOut: readonly string[];
}

/** The payload of a link, without the address. */
export async function packFilter(filtre: Filtre): Promise<string> {
  const { tag, types, brands, sizes, status, color, limit, limit_min, bon_prix, mots, exclure } = filtre;
  const { vendeur, ignorer_republications } = filtre;
  const idsOf = ({ ids }: { readonly ids: readonly number[] }) => ({ ids });
  const packed = {
    version: VERSION,
    tag,
    types: idsOf(types),
    brands: idsOf(brands),
    sizes: idsOf(sizes),
    status: idsOf(status),
    color,
    limit,
    limit_min,
    bon_prix,
    mots,
    exclure,
    vendeur,
    ignorer_republications,
  };
  return await packText(JSON.stringify(packed));
}

/** Deflated, in base64url. */
export async function packText(json: string): Promise<string> {
  const deflated = new Blob([json]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(deflated).arrayBuffer());
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/u, "");
}

/**
 * Null for a payload that is no filter's.
 * @param isKnownBrand passed in by the caller, which loads the large catalogue of brands lazily
 */
export async function unpackFilter(
  payload: string,
  isKnownBrand: (id: number) => boolean,
): Promise<LinkedFilter | null> {
  const json = await inflated(payload);
  const read = json === null ? null : z.safeParse(linked, parsed(json));
  if (read === null || !read.success) return null;
  const { tag, limit, limit_min, bon_prix, mots, exclure, color, vendeur, ...rest } = read.data;
  const { ignorer_republications, ...selections } = rest;
  const leftOut: string[] = [];
  const known = (
    { ids }: { readonly ids: readonly number[] },
    isKnown: (id: number) => boolean,
    what: string,
  ): number[] => {
    const unknown = ids.filter((id) => !isKnown(id));
    if (unknown.length > 0) leftOut.push(`${what} que Synapse ne connaît pas : n° ${unknown.join(", ")}`);
    return ids.filter(isKnown);
  };
  const isColour = color === "" || colourByName(color) !== undefined;
  if (!isColour) leftOut.push(`couleur que Synapse ne connaît pas : ${color}`);
  const strangeCodes = vendeur.pays.filter((code) => !isCountryCode(code));
  if (strangeCodes.length > 0) leftOut.push(`pays que Synapse ne connaît pas : ${strangeCodes.join(", ")}`);
  const pays = vendeur.pays.filter(isCountryCode);
  const draft: FiltreDraft = {
    ...emptyDraft,
    tag,
    typeIds: known(selections.types, (id) => categoryById(id) !== undefined, "types"),
    brandIds: known(selections.brands, isKnownBrand, "marques"),
    sizeIds: known(selections.sizes, (id) => sizeById(id) !== undefined, "tailles"),
    conditionIds: known(selections.status, (id) => conditionById(id) !== undefined, "états"),
    color: isColour ? color : "",
    limitText: String(limit),
    floorText: limit_min === 0 ? "" : String(limit_min),
    bargainText: bargainTextOf(bon_prix),
    wordsText: mots.join(", "),
    excludedText: exclure.join(", "),
    ...sellerDraftOf({ vendeur: { ...vendeur, pays }, ignorer_republications }),
    isPrivate: true,
  };
  return { draft, leftOut };
}

/** Null for what is no base64url of deflated text, or unpacks to too much. */
async function inflated(payload: string): Promise<string | null> {
  try {
    const binary = atob(payload.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const decoder = new TextDecoder("utf-8", { fatal: true });
    let text = "";
    let size = 0;
    const reader = unpacked.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      size += part.value.byteLength;
      if (size > MAX_JSON_BYTES) {
        await reader.cancel();
        return null;
      }
      text += decoder.decode(part.value, { stream: true });
    }
    return text + decoder.decode();
  } catch {
    return null;
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
