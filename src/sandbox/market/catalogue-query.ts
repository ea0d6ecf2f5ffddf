import { leafIdsUnder } from "#catalogue/categories.ts";
import { tokensOf } from "#catalogue/fold-text.ts";
import { parseCents } from "#domain/money.ts";
import { Refusal } from "./refusal.ts";

/** The parameters of a catalogue search; null means no restriction. */
export interface CatalogueQuery {
  readonly leafIds: ReadonlySet<number> | null;
  readonly brandIds: ReadonlySet<number> | null;
  readonly sizeIds: ReadonlySet<number> | null;
  readonly conditionIds: ReadonlySet<number> | null;
  readonly colourIds: ReadonlySet<number> | null;
  readonly priceFromCents: number;
  readonly priceToCents: number;
  /** Folded tokens, all of which must occur in the title or brand. */
  readonly words: readonly string[];
  /** From 1. */
  readonly page: number;
  /** 20–96. */
  readonly perPage: number;
}

export const MAX_PAGES = 10;
const MIN_PER_PAGE = 20;
const MAX_PER_PAGE = 96;

/** @throws Refusal `invalid_request` for malformed numbers */
export function readCatalogueQuery(parameters: URLSearchParams): CatalogueQuery {
  const categoryIds = idList(parameters, "catalog_ids");
  return {
    leafIds: categoryIds === null ? null : new Set([...categoryIds].flatMap((id) => leafIdsUnder(id))),
    brandIds: idList(parameters, "brand_ids"),
    sizeIds: idList(parameters, "size_ids"),
    conditionIds: idList(parameters, "status_ids"),
    colourIds: idList(parameters, "color_ids"),
    priceFromCents: cents(parameters, "price_from") ?? 0,
    priceToCents: cents(parameters, "price_to") ?? Infinity,
    words: tokensOf(parameters.get("search_text") ?? ""),
    page: Math.max(1, wholeNumber(parameters, "page", 1)),
    perPage: Math.min(
      MAX_PER_PAGE,
      Math.max(MIN_PER_PAGE, wholeNumber(parameters, "per_page", MAX_PER_PAGE)),
    ),
  };
}

function idList(parameters: URLSearchParams, name: string): ReadonlySet<number> | null {
  const text = parameters.get(name);
  if (text === null || text === "") return null;
  return new Set(text.split(",").map(parseWhole));
}

function wholeNumber(parameters: URLSearchParams, name: string, fallback: number): number {
  const text = parameters.get(name);
  return text === null || text === "" ? fallback : parseWhole(text);
}

function parseWhole(text: string): number {
  if (!/^\d{1,12}$/.test(text)) throw new Refusal("invalid_request");
  return Number(text);
}

function cents(parameters: URLSearchParams, name: string): number | null {
  const text = parameters.get(name);
  if (text === null || text === "") return null;
  const value = parseCents(text);
  if (value === null) throw new Refusal("invalid_request");
  return value;
}
