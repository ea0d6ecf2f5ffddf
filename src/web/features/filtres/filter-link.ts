/**
 * A filter's criteria as a link: `/synapse/filtres#f=` and base64url of deflate-raw JSON. It holds nothing
 * that its owner wrote or decided: no tag, note, buying rule or payment. Browsers send the fragment to no
 * server.
 */
import * as z from "zod/mini";
import { categoryById } from "#catalogue/categories.ts";
import { colourByName } from "#catalogue/colours.ts";
import { isCountryCode } from "#catalogue/country-codes.ts";
import { conditionById } from "#catalogue/conditions.ts";
import { sizeById } from "#catalogue/sizes.ts";
import { MAX_LIMIT_EUR } from "#contract/bounds.ts";
import { filtreCriteria } from "#contract/filtres/filtre-input.ts";
import { type Filtre, filtre, newFiltre, type Selection } from "#contract/filtres/filtre.ts";
import { draftOf, type FiltreDraft } from "./form/draft.ts";

const VERSION = 1;
/** Upper bound of the inflated payload, against decompression bombs. */
const MAX_JSON_BYTES = 64 * 1_024;

const linked = z.extend(filtreCriteria, {
  version: z.literal(VERSION),
  limit: filtre.shape.limit.check(z.minimum(0), z.maximum(MAX_LIMIT_EUR)),
});

export interface LinkedFilter {
  readonly draft: FiltreDraft;
  /** In French: the values that Synapse does not know. */
  readonly leftOut: readonly string[];
}

/** The payload of a link, without the address. */
export async function packFilter(whole: Filtre): Promise<string> {
  const { types, brands, sizes, status } = whole;
  const idsOf = ({ ids }: { readonly ids: readonly number[] }) => ({ ids });
  const selections = {
    types: idsOf(types),
    brands: idsOf(brands),
    sizes: idsOf(sizes),
    status: idsOf(status),
  };
  const fields = Object.entries({ ...whole, ...selections, version: VERSION });
  const packed = fields.filter(([name]) => Object.hasOwn(linked.shape, name));
  return await packText(JSON.stringify(Object.fromEntries(packed)));
}

/** Deflates a text to base64url. */
export async function packText(json: string): Promise<string> {
  const deflated = new Blob([json]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(deflated).arrayBuffer());
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/u, "");
}

/**
 * Null for an invalid payload. The draft's tag names its first brand and type.
 * @param brandTitle passed in by the caller, which loads the large catalogue of brands lazily
 */
export async function unpackFilter(
  payload: string,
  brandTitle: (id: number) => string | undefined,
): Promise<LinkedFilter | null> {
  const json = await inflated(payload);
  const read = json === null ? null : z.safeParse(linked, parsed(json));
  if (read === null || !read.success) return null;
  const { version: _, types, brands, sizes, status, color, vendeur, ...rest } = read.data;
  const leftOut: string[] = [];
  const known = (
    { ids = [] }: { readonly ids?: readonly number[] },
    isKnown: (id: number) => boolean,
    what: string,
  ): Selection => {
    const unknown = ids.filter((id) => !isKnown(id));
    if (unknown.length > 0) leftOut.push(`${what} que Synapse ne connaît pas : n° ${unknown.join(", ")}`);
    return { ids: ids.filter(isKnown), names: [] };
  };
  const isColour = color === "" || colourByName(color) !== undefined;
  if (!isColour) leftOut.push(`couleur que Synapse ne connaît pas : ${color}`);
  const strangeCodes = vendeur.pays.filter((code) => !isCountryCode(code));
  if (strangeCodes.length > 0) leftOut.push(`pays que Synapse ne connaît pas : ${strangeCodes.join(", ")}`);
  const pays = vendeur.pays.filter(isCountryCode);
  const [firstBrand] = (brands.ids ?? []).flatMap((id) => brandTitle(id) ?? []);
  const [firstType] = (types.ids ?? []).flatMap((id) => categoryById(id)?.label ?? []);
  const draft: FiltreDraft = {
    ...draftOf({
      ...newFiltre,
      ...rest,
      tag: [firstBrand, firstType].filter((name) => name !== undefined).join(" "),
      types: known(types, (id) => categoryById(id) !== undefined, "types"),
      brands: known(brands, (id) => brandTitle(id) !== undefined, "marques"),
      sizes: known(sizes, (id) => sizeById(id) !== undefined, "tailles"),
      status: known(status, (id) => conditionById(id) !== undefined, "états"),
      color: isColour ? color : "",
      vendeur: { ...vendeur, pays },
    }),
    isPrivate: true,
  };
  return { draft, leftOut };
}

/** Null if it is not base64url of deflated UTF-8 text, or inflates to more than `MAX_JSON_BYTES`. */
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
