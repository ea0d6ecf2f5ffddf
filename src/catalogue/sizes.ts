/**
 * Size groups, their sizes, and the interpretation of a listing's size title. Field names are the wire's. Size ids are
 * unique over all groups; titles only within one ("M" occurs in ten).
 */
import groupRows from "./data/size-groups.json" with { type: "json" };
import sizeRows from "./data/sizes.json" with { type: "json" };
import { flagIn, numberIn, numberOrNullIn, textIn, type Row } from "./row-cells.ts";

interface Size {
  readonly id: number;
  readonly title: string;
  readonly description: string;
  readonly is_default: boolean;
  readonly is_other: boolean;
  /** From 1 within the group, without gaps. */
  readonly order: number;
}

export interface SizeGroup {
  readonly id: number;
  /** 10 = 'Taille', 20 = 'Age' (specification §3). */
  readonly caption_code: number;
  readonly caption: string;
  readonly description: string;
  readonly size_ids: readonly number[];
  readonly faq_entry_id: number | null;
  readonly order: number;
  readonly sizes: readonly Size[];
}

export interface SizeInGroup extends Size {
  readonly sizeGroupId: number;
}

const CAPTION_CODE_AGE = 20;

const sizeRowsByGroup = Map.groupBy(sizeRows, (row) => numberIn(row, 1));

/** All groups by order, including 30 obsolete ones without sizes. */
export const allSizeGroups: readonly SizeGroup[] = groupRows
  .map((row) => {
    const id = numberIn(row, 0);
    const captionCode = numberIn(row, 1);
    const sizes = (sizeRowsByGroup.get(id) ?? []).map(readSize);
    return {
      id,
      caption_code: captionCode,
      caption: captionCode === CAPTION_CODE_AGE ? "Age" : "Taille",
      description: textIn(row, 2),
      size_ids: sizes.map((size) => size.id),
      faq_entry_id: numberOrNullIn(row, 3),
      order: numberIn(row, 4),
      sizes,
    };
  })
  .toSorted((one, other) => one.order - other.order);

/** The groups of the form: only those with sizes, by order (specification §3). */
export const sizeGroups: readonly SizeGroup[] = allSizeGroups.filter(({ sizes }) => sizes.length > 0);

const sizesById = new Map<number, SizeInGroup>(
  sizeGroups.flatMap(({ id, sizes }) =>
    sizes.map((size) => [size.id, { ...size, sizeGroupId: id }] as const),
  ),
);

/** The size with its group. Constant time. */
export function sizeById(id: number): SizeInGroup | undefined {
  return sizesById.get(id);
}

interface TitleIndex {
  readonly byWholeTitle: ReadonlyMap<string, readonly number[]>;
  readonly byFirstPart: ReadonlyMap<string, readonly number[]>;
}

const titleIndexes: ReadonlyMap<number, TitleIndex> = new Map(
  sizeGroups.map(({ id, sizes }) => [
    id,
    {
      byWholeTitle: idsByKey(sizes, titleKey),
      byFirstPart: idsByKey(sizes, (title) => firstPart(titleKey(title))),
    },
  ]),
);

/** Most listings have a title exactly as in the catalogue. */
const keysOfTitles: ReadonlyMap<string, string> = new Map(
  [...sizesById.values()].map(({ title }) => [title, titleKey(title)]),
);

/**
 * The sizes that a listing's size title can mean in the given size groups, in their order. In each group the whole
 * title is looked up first, then its first part: "M" and "M / 38 / 10" both find "M / 38 / 10", and "M / 38 / 10" finds
 * "M" in a group of letters. Case, spaces and accents are ignored, and "5.5" equals "5,5". A first part shared by
 * several sizes of a group returns all of them; an unknown or empty title none.
 * Source: contract §3, "Matching". Cost: one or two look-ups per group.
 */
export function sizeIdsForTitle(title: string, sizeGroupIds: readonly number[]): readonly number[] {
  const key = keysOfTitles.get(title) ?? titleKey(title);
  if (key === "") return [];
  const part = firstPart(key);
  return sizeGroupIds.flatMap((groupId) => {
    const index = titleIndexes.get(groupId);
    return index?.byWholeTitle.get(key) ?? index?.byFirstPart.get(part) ?? [];
  });
}

/** The only size that a title can mean in a group; null if none or several. */
export function sizeIdForTitle(title: string, sizeGroupId: number): number | null {
  const ids = sizeIdsForTitle(title, [sizeGroupId]);
  return ids.length === 1 ? (ids[0] ?? null) : null;
}

function readSize(row: Row): Size {
  return {
    id: numberIn(row, 0),
    title: textIn(row, 2),
    description: "",
    is_default: flagIn(row, 4),
    is_other: flagIn(row, 5),
    order: numberIn(row, 3),
  };
}

function idsByKey(
  sizes: readonly Size[],
  keyOf: (title: string) => string,
): ReadonlyMap<string, readonly number[]> {
  const grouped = Map.groupBy(sizes, ({ title }) => keyOf(title));
  return new Map([...grouped].map(([key, sharing]) => [key, sharing.map(({ id }) => id)]));
}

// Punctuation stays, unlike in foldText(): "5,5" is not "55", and "1-3 mois" is not "13 mois".
function titleKey(title: string): string {
  return title
    .toLowerCase()
    .normalize("NFD")
    .replace(/\p{M}+|\s+/gu, "")
    .replace(/[‐‑–—]/gu, "-")
    .replaceAll("’", "'")
    .replace(/(\d),(?=\d)/gu, "$1.");
}

/** The part of a key before the first "/" or "|". */
function firstPart(key: string): string {
  return key.split(/[/|]/u, 1)[0] ?? "";
}
