/** Converts a marketplace search address to filter criteria, and lists what has no equivalent. Pure. */
import { categoryById } from "#catalogue/categories.ts";
import { colours, marketplaceColours } from "#catalogue/colours.ts";
import { conditionById } from "#catalogue/conditions.ts";
import { foldText } from "#catalogue/fold-text.ts";
import { sizeById } from "#catalogue/sizes.ts";
import { MAX_LIMIT_EUR, MAX_WORD_LENGTH, MAX_WORDS } from "#contract/bounds.ts";
import { formatQuoted } from "../../../ui/format-panel.ts";
import type { FiltreDraft } from "./draft.ts";

export interface ReadAddress {
  /** Only the fields that the address sets. */
  readonly changes: Partial<FiltreDraft>;
  /** In French: what was left out, and why. */
  readonly leftOut: readonly string[];
}

/** The marketplace's past and present parameter names; lists are repeated or comma-separated. */
const PARAMETERS = {
  types: ["catalog_ids", "catalog_ids[]", "catalog", "catalog[]"],
  brands: ["brand_ids", "brand_ids[]", "brand_id", "brand_id[]"],
  sizes: ["size_ids", "size_ids[]", "size_id", "size_id[]"],
  conditions: ["status_ids", "status_ids[]", "status", "status[]"],
  colours: ["color_ids", "color_ids[]", "color_id", "color_id[]"],
} as const;

/** Parameters that affect only the display or the paging of the results. */
const IGNORED = new Set(["page", "per_page", "time", "search_id", "order", "currency"]);
/** The marketplace adds it to every search, empty where no image is searched for. */
const IMAGE = "search_by_image_uuid";

/**
 * Null if the text is not a search address.
 * @param isKnownBrand passed in by the caller, which loads the large catalogue of brands lazily
 */
export function readSearchAddress(text: string, isKnownBrand: (id: number) => boolean): ReadAddress | null {
  const address = URL.parse(text.trim());
  if (address === null || !/^https?:$/u.test(address.protocol)) return null;
  const { searchParams: asked } = address;
  const types = [...valuesIn(asked, PARAMETERS.types), ...valueInPath(address, "catalog")];
  const brands = [...valuesIn(asked, PARAMETERS.brands), ...valueInPath(address, "brand")];
  const leftOut: string[] = [];
  const known = (values: readonly string[], isKnown: (id: number) => boolean, what: string): number[] => {
    const ids = idsAmong(values, what, leftOut);
    const unknown = ids.filter((id) => !isKnown(id));
    if (unknown.length > 0) leftOut.push(`${what} que Synapse ne connaît pas : n° ${unknown.join(", ")}`);
    return ids.filter(isKnown);
  };
  const changes: Partial<FiltreDraft> = {
    ...listed(
      "typeIds",
      known(types, (id) => categoryById(id) !== undefined, "types"),
    ),
    ...listed("brandIds", known(brands, isKnownBrand, "marques")),
    ...listed(
      "sizeIds",
      known(valuesIn(asked, PARAMETERS.sizes), (id) => sizeById(id) !== undefined, "tailles"),
    ),
    ...listed(
      "conditionIds",
      known(valuesIn(asked, PARAMETERS.conditions), (id) => conditionById(id) !== undefined, "états"),
    ),
    ...colourIn(asked, leftOut),
    ...limitIn(asked, leftOut),
    ...wordsIn(asked, leftOut),
  };
  if ((asked.get(IMAGE) ?? "") !== "") leftOut.push("la recherche par image");
  leftOut.push(...unknownParameters(asked));
  return Object.keys(changes).length === 0 && leftOut.length === 0 ? null : { changes, leftOut };
}

function valuesIn(asked: URLSearchParams, names: readonly string[]): readonly string[] {
  return names
    .flatMap((name) => asked.getAll(name))
    .flatMap((value) => value.split(","))
    .map((value) => value.trim())
    .filter((value) => value !== "");
}

/** "221" in "/catalog/221-t-shirts"; the whole name in "/brand/nike", which has no id. */
function valueInPath({ pathname }: URL, folder: string): readonly string[] {
  const name = new RegExp(`/${folder}/([^/]+)`, "u").exec(pathname)?.[1];
  return name === undefined ? [] : [/^\d+(?=-|$)/u.exec(name)?.[0] ?? name];
}

/** The distinct ids. Other values are left out by name: without them the filter finds more than was searched for. */
function idsAmong(values: readonly string[], what: string, leftOut: string[]): readonly number[] {
  const isId = (value: string): boolean => /^\d{1,9}$/u.test(value);
  const unreadable = values.filter((value) => !isId(value));
  if (unreadable.length > 0)
    leftOut.push(`${what} illisibles : ${[...new Set(unreadable)].map(formatQuoted).join(", ")}`);
  return [...new Set(values.filter(isId).map(Number))];
}

function listed(
  field: "typeIds" | "brandIds" | "sizeIds" | "conditionIds",
  ids: readonly number[],
): Partial<FiltreDraft> {
  return ids.length === 0 ? {} : { [field]: ids };
}

/** A filter holds one colour: the first marketplace colour with an exact counterpart in the catalogue. */
function colourIn(asked: URLSearchParams, leftOut: string[]): Partial<FiltreDraft> {
  const ids = idsAmong(valuesIn(asked, PARAMETERS.colours), "couleurs", leftOut);
  // A catalogue colour of two marketplace colours means both together, which a search cannot express.
  const colourOf = (id: number) =>
    colours.find(
      ({ marketplaceColourIds }) => marketplaceColourIds.length === 1 && marketplaceColourIds[0] === id,
    );
  const taken = ids.find((id) => colourOf(id) !== undefined);
  const others = ids.filter((id) => id !== taken);
  if (others.length > 0) {
    const labels = others.map((id) => marketplaceColours.find((one) => one.id === id)?.label ?? `n° ${id}`);
    leftOut.push(`couleurs (un filtre en prend une) : ${labels.join(", ")}`);
  }
  const colour = taken === undefined ? undefined : colourOf(taken);
  return colour === undefined ? {} : { color: colour.name };
}

function limitIn(asked: URLSearchParams, leftOut: string[]): Partial<FiltreDraft> {
  const currency = asked.get("currency") ?? "EUR";
  // Rounded down: a filter must not buy above the given limit, nor hide listings above the given floor.
  const read = (name: string, what: string): string | undefined => {
    const text = asked.get(name);
    if (text === null || text.trim() === "") return undefined;
    const euros = Number(text.replace(",", "."));
    if (currency === "EUR" && Number.isFinite(euros) && euros >= 1)
      return String(Math.min(Math.floor(euros), MAX_LIMIT_EUR));
    leftOut.push(`${what} : ${text} ${currency}`);
    return undefined;
  };
  const floorText = Number(asked.get("price_from")) === 0 ? undefined : read("price_from", "prix minimum");
  const limitText = read("price_to", "prix maximum");
  return {
    ...(floorText === undefined ? {} : { floorText }),
    ...(limitText === undefined ? {} : { limitText }),
  };
}

/** The marketplace searches for each word anywhere; a filter requires it in the title. */
function wordsIn(asked: URLSearchParams, leftOut: string[]): Partial<FiltreDraft> {
  const words = (asked.get("search_text") ?? "").split(/[\s,]+/u).filter((word) => foldText(word) !== "");
  if (words.length === 0) return {};
  const taken = words.filter((word) => word.length <= MAX_WORD_LENGTH).slice(0, MAX_WORDS);
  if (taken.length < words.length) leftOut.push("une partie des mots, trop longs ou trop nombreux");
  return { wordsText: taken.join(", ") };
}

const TAKEN = new Set<string>([
  ...Object.values(PARAMETERS).flat(),
  "price_from",
  "price_to",
  "search_text",
  IMAGE,
  ...IGNORED,
]);

function unknownParameters(asked: URLSearchParams): readonly string[] {
  const unknown = [...new Set(asked.keys())].filter((name) => !TAKEN.has(name) && !name.startsWith("utm_"));
  return unknown.length === 0 ? [] : [`critères sans équivalent : ${unknown.join(", ")}`];
}
