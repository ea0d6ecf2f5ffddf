/** Filters as a file: the export, and the effect of an import. */
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import * as z from "zod/mini";
import {
  filtreFichier,
  type Fichier,
  type FiltreFichier,
  type FiltreImporte,
} from "#contract/filtres/fichier.ts";
import { filtreFichierInput, type FichierInput } from "#contract/filtres/fichier-input.ts";
import { FICHIER_FORMAT, FICHIER_VERSION, MAX_TAG_LENGTH } from "#contract/bounds.ts";
import type { GroupState } from "#domain/buying-rules.ts";
import type { FilterId } from "#domain/ids.ts";
import type { Filter } from "#domain/market/filter.ts";
import { presentFiltre, readFiltre, type FilterChoices } from "#presenters/filtre.ts";
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

/**
 * In the order of the file. Its cost grows with the filters plus the entries, not with their product; other work
 * runs in between, because 200 entries may name thousands of ids. @param own newest first
 */
export async function readFile(
  { filtres }: FichierInput,
  own: readonly Filter[],
): Promise<readonly FileEntry[]> {
  const read = await mapYielding(filtres, (entry) => ({ entry, read: readEntry(entry) }));
  const tags = new Set(read.flatMap(({ read: { choices } }) => choices?.tag ?? []));
  const known = await mapYielding(
    own.filter(({ tag }) => tags.has(tag)),
    knownFilter,
  );
  const byTag = Map.groupBy(known, ({ filter }) => filter.tag);
  const compared = await mapYielding(read, ({ entry, read: result }): Compared => {
    const { choices } = result;
    const namesakes = choices === null ? [] : (byTag.get(choices.tag) ?? []);
    const same = choices === null ? undefined : sameAmong(namesakes, entry, choices);
    return { entry, read: result, namesakes, same };
  });
  const taken = new Set(compared.flatMap(({ same }) => same?.id ?? []));
  return await mapYielding(compared, (one, index) => effectOf({ ...one, index }, taken));
}

/** Lets other work run after each. */
async function mapYielding<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Result,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const [index, item] of items.entries()) {
    results.push(work(item, index));
    await yieldToEventLoop();
  }
  return results;
}

interface Compared {
  readonly entry: Entry;
  readonly read: ReadEntry;
  /** The person's filters of its tag. */
  readonly namesakes: readonly KnownFilter[];
  /** The one of them with the same settings. */
  readonly same: Filter | undefined;
}

/** @param taken the filters that other entries are compared with: grows */
function effectOf(
  { index, entry, read, namesakes, same }: Compared & { readonly index: number },
  taken: Set<FilterId>,
): FileEntry {
  const { choices, error } = read;
  if (choices === null) {
    const shown = { index, tag: tagIn(entry), etat: "nouveau" as const, differences: [], error };
    return { shown, choices, replaces: null };
  }
  const { tag } = choices;
  if (same !== undefined) {
    const shown = { index, tag, etat: "identique" as const, differences: [] };
    return { shown, choices, replaces: { known: same, choices } };
  }
  const known = namesakes.find(({ filter: { id } }) => !taken.has(id));
  if (known !== undefined) taken.add(known.filter.id);
  const sameName = known ?? namesakes[0];
  if (sameName === undefined)
    return { shown: { index, tag, etat: "nouveau", differences: [] }, choices, replaces: null };
  // Fields that an older file lacks keep the values of the person's filter.
  const changed = readEntry({ ...sameName.file, ...entry });
  const shown: FiltreImporte = { index, tag, etat: "different", differences: [] };
  if (changed.choices === null)
    return { shown: { ...shown, error: changed.error }, choices: null, replaces: null };
  const after = settingsOf({ ...sameName.filter, ...changed.choices });
  return {
    shown: {
      ...shown,
      differences: COMPARED.filter((field) => after.get(field) !== sameName.settings.get(field)),
    },
    choices,
    replaces: known === undefined ? null : { known: known.filter, choices: changed.choices },
  };
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

/** A filter of the person, in the forms that entries are compared with. */
interface KnownFilter {
  readonly filter: Filter;
  readonly file: FiltreFichier;
  readonly settings: Settings;
  /** After its own file is imported over it; null: its file cannot be imported, so no entry is the same. */
  readonly kept: Settings | null;
}

function knownFilter(filter: Filter): KnownFilter {
  const file = exported(filter);
  const { choices } = readEntry(file);
  const kept = choices === null ? null : settingsOf({ ...filter, ...choices });
  return { filter, file, settings: settingsOfFile(file), kept };
}

/** The filter that the entry would leave unchanged. */
function sameAmong(
  namesakes: readonly KnownFilter[],
  entry: Entry,
  choices: FilterChoices,
): Filter | undefined {
  const [first] = namesakes;
  if (first === undefined) return undefined;
  const named = settingsOf({ ...first.filter, ...choices });
  const isNamed = (field: string): boolean => Object.hasOwn(entry, field);
  return namesakes.find(
    ({ settings, kept }) =>
      kept !== null &&
      COMPARED.every((field) => (isNamed(field) ? named : kept).get(field) === settings.get(field)),
  )?.filter;
}

/** The compared fields: all of a file's except its tag and its only flag. */
const COMPARED = Object.keys(filtreFichier.shape).filter((field) => field !== "tag" && field !== "private");

/** The compared fields as texts, which are equal where the settings are. */
type Settings = ReadonlyMap<string, string>;

function settingsOf(filter: Filter): Settings {
  return settingsOfFile(exported(filter));
}

function settingsOfFile(file: FiltreFichier): Settings {
  const values = new Map<string, unknown>(Object.entries(file));
  return new Map(COMPARED.map((field) => [field, comparable(values.get(field))]));
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
