/** Filters as a file: the export, and the effect of an import. Pure. */
import * as z from "zod/mini";
import {
  filtreFichier,
  type Fichier,
  type FiltreFichier,
  type FiltreImporte,
} from "#contract/filtres/fichier.ts";
import { filtreFichierInput, type FichierInput } from "#contract/filtres/fichier-input.ts";
import { FICHIER_FORMAT, FICHIER_VERSION, MAX_TAG_LENGTH } from "#contract/bounds.ts";
import type { Filter } from "#domain/market/filter.ts";
import { presentFiltre, readFiltre, type FilterChoices } from "#presenters/filtre.ts";
import type { GroupState } from "#store/market-store.ts";
import { filterIssueText, unreadableFilterText } from "./issue-texts.ts";

/** @param groups of the person; those with a filter outside of the file are omitted */
export function fileOf(filters: readonly Filter[], groups: readonly GroupState[]): Fichier {
  const positions = new Map(filters.map(({ id }, index) => [id, index]));
  const whole = groups.filter(({ filterIds }) => filterIds.every((id) => positions.has(id)));
  return {
    format: FICHIER_FORMAT,
    version: FICHIER_VERSION,
    filtres: filters.map(exported),
    groupes: whole.map(({ name, maxPurchases, budgetEur, filterIds }) => ({
      nom: name,
      achats: maxPurchases,
      budget: budgetEur,
      filtres: filterIds.flatMap((id) => positions.get(id) ?? []),
    })),
  };
}

/** The schema drops the fields that a file does not contain. */
function exported(filter: Filter): FiltreFichier {
  return z.parse(filtreFichier, presentFiltre(filter));
}

/** A filter of a file, compared with the person's own. */
export interface FileEntry {
  readonly shown: FiltreImporte;
  /** Inactive, private and without autobuy, whatever the file says; null if it cannot be imported. */
  readonly choices: FilterChoices | null;
  /** The person's filter that it would replace, and its new settings; null: none. */
  readonly replaces: { readonly known: Filter; readonly choices: FilterChoices } | null;
}

/** In the order of the file. @param own newest first */
export function readFile({ filtres }: FichierInput, own: readonly Filter[]): readonly FileEntry[] {
  const read = filtres.map((entry) => readEntry(entry));
  const identical = filtres.map((entry, index) => {
    const tag = read[index]?.choices?.tag;
    return tag === undefined ? undefined : own.find((filter) => filter.tag === tag && sameAs(entry, filter));
  });
  const taken = new Set(identical.flatMap((filter) => filter?.id ?? []));
  return read.map(({ choices, error }, index): FileEntry => {
    const entry = filtres[index] ?? {};
    if (choices === null) {
      const shown = { index, tag: tagIn(entry), etat: "nouveau" as const, differences: [], error };
      return { shown, choices, replaces: null };
    }
    const { tag } = choices;
    const same = identical[index];
    if (same !== undefined) {
      const shown = { index, tag, etat: "identique" as const, differences: [] };
      return { shown, choices, replaces: { known: same, choices } };
    }
    const namesakes = own.filter((filter) => filter.tag === tag);
    const known = namesakes.find(({ id }) => !taken.has(id));
    if (known !== undefined) taken.add(known.id);
    const [sameName] = known === undefined ? namesakes : [known];
    if (sameName === undefined)
      return { shown: { index, tag, etat: "nouveau", differences: [] }, choices, replaces: null };
    const changed = readEntry(over(entry, sameName));
    const shown: FiltreImporte = {
      index,
      tag,
      etat: "different",
      differences: differencesOf(over(entry, sameName), sameName),
    };
    if (changed.choices === null)
      return { shown: { ...shown, error: changed.error }, choices: null, replaces: null };
    return { shown, choices, replaces: known === undefined ? null : { known, choices: changed.choices } };
  });
}

type Entry = Readonly<Record<string, unknown>>;

type ReadEntry =
  | { readonly choices: FilterChoices; readonly error: "" }
  | { readonly choices: null; readonly error: string };

function readEntry(entry: Entry): ReadEntry {
  const parsed = z.safeParse(filtreFichierInput, entry);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const { code = "", path = [] } = issue ?? {};
    const instancePath = `/${path.map(String).join("/")}`;
    return {
      choices: null,
      error: filterIssueText({ keyword: code, instancePath, params: { ...issue } }, entry),
    };
  }
  const read = readFiltre({ ...parsed.data, active: false, autobuy: false, private: true });
  return read.kind === "read"
    ? { choices: read.choices, error: "" }
    : { choices: null, error: unreadableFilterText(read) };
}

/** Fields that an older file lacks keep the values of the person's filter. */
function over(entry: Entry, filter: Filter): Entry {
  return { ...exported(filter), ...entry };
}

function sameAs(entry: Entry, filter: Filter): boolean {
  const whole = over(entry, filter);
  return readEntry(whole).choices !== null && differencesOf(whole, filter).length === 0;
}

/** The compared fields: all of a file's except its tag and its only flag. */
const COMPARED = Object.keys(filtreFichier.shape).filter((field) => field !== "tag" && field !== "private");

function differencesOf(entry: Entry, filter: Filter): string[] {
  const { choices } = readEntry(entry);
  if (choices === null) return [];
  const after = entriesOf(exported({ ...filter, ...choices }));
  const before = entriesOf(exported(filter));
  return COMPARED.filter((field) => comparable(after.get(field)) !== comparable(before.get(field)));
}

function entriesOf(filtre: FiltreFichier): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(filtre));
}

/** Ignores the order of lists: ids, words and countries are sets. */
function comparable(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    Array.isArray(inner) ? inner.map((one: unknown) => JSON.stringify(one)).toSorted() : inner,
  );
}

function tagIn({ tag }: Entry): string {
  return typeof tag === "string" ? tag.trim().slice(0, MAX_TAG_LENGTH) : "";
}
