/** Reads sizes, in the size groups of the sentence's types. */
import { categoryById, categoryPath } from "../categories.ts";
import { SIZE_WORDS } from "./negations.ts";
import { sizeIdsBetween, sizeIdsWithPart, sizeKey } from "./size-parts.ts";
import type { Sentence } from "./words.ts";

const LETTERS = new Set(["s", "m", "l"]);
/** Units: "12 mois" is not size 12, nor "30 cm" size 30. */
const UNITS = new Set(["an", "ans", "mois", "mm", "cm", "kg", "x"]);
/** A number has the unit of the next one: '8 à 12 ans', '8/10 ans'. */
const UNIT_OF_NEXT = /^ ?(?:a|au|et|ou|-|\/) ?\d+ ?(ans|cm)(?![\p{L}\p{N}])/u;
const HYPHEN = /^ ?[-‐‑–] ?$/u;
const LONGEST_SIZE = 4;
const WOMENS_JEANS = 183;
/** 'Jean 30' is 30 inches wide, not 'XXXS / 30 / 2'. */
const FIRST_OF_JEANS = 34;
/** Smaller numbers are as often counts as sizes. */
const FIRST_PLAIN_NUMBER = 20;

/**
 * Claims sizes. S, M and L only as capitals or after 'taille'.
 * @param isType whether the word at an index names a type
 */
export function readSizes(
  sentence: Sentence,
  categoryIds: readonly number[],
  isType: (index: number) => boolean,
): readonly number[] {
  const sizeGroupIds = [...new Set(categoryIds.flatMap((id) => categoryById(id)?.sizeGroupIds ?? []))];
  const isOfJeans = categoryIds.some((id) => categoryPath(id).some((node) => node.id === WOMENS_JEANS));
  let found: readonly number[] = [];
  if (sizeGroupIds.length === 0) return found;
  /** After 'taille', also for further sizes: 'taille 38 ou 40'. */
  let isSaid = false;
  let before: FoundSize | null = null;
  for (let index = 0; index < sentence.words.length; index += 1) {
    const word = sentence.words[index];
    if (word === undefined) break;
    const size: FoundSize | null = sentence.isFree(index)
      ? sizeAt(sentence, index, { sizeGroupIds, isOfJeans, isSaid, isType })
      : null;
    if (size !== null) {
      const ends = before !== null && isRange(sentence, before, index) ? before : null;
      const between: readonly number[] =
        ends === null ? [] : sizeIdsBetween([ends.part, size.part], sizeGroupIds);
      // A range is read only in the groups that have both its ends.
      if (between.length > 0) found = [...found.filter((id) => ends?.ids.includes(id) !== true), ...between];
      else found = [...found, ...size.ids];
      before = size;
      sentence.claim(labelBefore(sentence, index), size.last, "sizes");
      index = size.last;
      continue;
    }
    const isOpening = OPENINGS.has(word.folded) && SIZE_WORDS.has(sentence.words[index - 1]?.folded ?? "");
    isSaid =
      sentence.isFree(index) &&
      (SIZE_WORDS.has(word.folded) || (isSaid && (isOpening || JOINTS.has(word.folded))));
  }
  return [...new Set(found)];
}

/** The index of 'taille' or 'taille entre', which are read with their size; otherwise the index of the size. */
function labelBefore({ words, isFree }: Sentence, index: number): number {
  const label = words[index - 1]?.folded === "entre" ? index - 2 : index - 1;
  return isFree(label) && isFree(index - 1) && SIZE_WORDS.has(words[label]?.folded ?? "") ? label : index;
}

const JOINTS = new Set(["ou", "et", "a", "au", "en", "du"]);
/** Directly after 'taille'; later, 'entre 10 et 20' may be a price. */
const OPENINGS = new Set(["de", "entre"]);

/** 'du 36 au 40', 'taille 36-40', '8 à 12 ans'; without 'taille', '36 à 40' may be a size and a price. */
function isRange({ words }: Sentence, from: FoundSize, index: number): boolean {
  if (from.last === index - 1) return from.isSure && HYPHEN.test(words[index]?.gap ?? "");
  const joint = words[index - 1]?.folded;
  const opening = words[from.first - 1]?.folded;
  return (
    from.last === index - 2 &&
    (joint === "au" ||
      (joint === "a" && (from.isSure || opening === "de")) ||
      (joint === "et" && opening === "entre"))
  );
}

/** Whether a number may be a price, 'entre 36 et 40', '40/60 €', or goes with one that is no size: 'jean 28 ou 30'. */
function isDoubtful({ words, isFree, claimOf }: Sentence, index: number, isSaid: boolean): boolean {
  const { folded: before = "" } = words[index - 1] ?? {};
  const isJoined = ["a", "au", "et", "ou"].includes(before);
  const isListed = isJoined || /^ ?[-/] ?$/u.test(words[index]?.gap ?? "");
  const other = isJoined ? index - 2 : index - 1;
  return (
    (before === "entre" && !isSaid) ||
    (words[index + 1]?.gap === "/" && claimOf(index + 1) === "limit" && !isSaid) ||
    (isListed && isFree(other) && /^\d\d$/u.test(words[other]?.folded ?? ""))
  );
}

interface FoundSize {
  readonly first: number;
  /** After 'taille', or with the unit of the next number. */
  readonly isSure: boolean;
  readonly part: string;
  readonly ids: readonly number[];
  readonly last: number;
}

interface Circumstances {
  readonly sizeGroupIds: readonly number[];
  readonly isOfJeans: boolean;
  readonly isSaid: boolean;
  readonly isType: (index: number) => boolean;
}

/** The longest size that begins at a word. */
function sizeAt(
  sentence: Sentence,
  first: number,
  { sizeGroupIds, isOfJeans, isSaid, isType }: Circumstances,
): FoundSize | null {
  const { words, plain } = sentence;
  for (let last = Math.min(first + LONGEST_SIZE, words.length) - 1; last >= first; last -= 1) {
    if (!isOneText(sentence, first, last)) continue;
    const text = sentence.textOf(first, last);
    const key = sizeKey(text);
    const attached = first === last ? /^t(?=\d)/u.exec(key) : null;
    const isNumber = /^\d+$/u.test(key);
    const unit = isNumber ? UNIT_OF_NEXT.exec(plain.slice(words[last]?.end))?.[1] : undefined;
    const part = (attached === null ? key : key.slice(1)) + (unit ?? "");
    const ids = sizeIdsWithPart(part, sizeGroupIds);
    const isSure = isSaid || attached !== null || unit !== undefined;
    if (ids.length === 0 || isInsideNumber(sentence, first, last, isSure)) continue;
    const isInches = isOfJeans && Number(part) < FIRST_OF_JEANS;
    if (isNumber && unit === undefined && (isInches || isDoubtful(sentence, first, isSaid))) continue;
    if (LETTERS.has(part) && !isSaid && !isCapital(sentence, first)) continue;
    if (/^\d+$/u.test(part) && UNITS.has(words[last + 1]?.folded ?? "")) continue;
    const isSmall = /^\d+$/u.test(part) && Number(part) < FIRST_PLAIN_NUMBER;
    if (isSmall && attached === null && !isSaid && isCount(sentence, last, isType)) continue;
    return { part, ids, first, last, isSure };
  }
  return null;
}

function isOneText({ words, isFree }: Sentence, first: number, last: number): boolean {
  for (let index = first; index <= last; index += 1) {
    if (!isFree(index)) return false;
    if (index > first && !/^(?: ?-? ?|[.,]|')$/u.test(words[index]?.gap ?? "")) return false;
  }
  return true;
}

/** Excludes "L'été", 38 in "38,75" and, unless it is certainly a size, in "38-42". */
function isInsideNumber(
  { words, text, claimOf }: Sentence,
  first: number,
  last: number,
  isSure: boolean,
): boolean {
  const start = words[first]?.start ?? 0;
  const end = words[last]?.end ?? 0;
  return (
    (isSure ? /^[.,]\d|^'/u : /^[.,-]\d|^'/u).test(text.slice(end, end + 2)) ||
    (claimOf(first - 1) === "sizes" ? /\d[.,]$|'$/u : /\d[.,-]$|'$/u).test(
      text.slice(Math.max(0, start - 2), start),
    )
  );
}

function isCapital({ words, text }: Sentence, index: number): boolean {
  return /^[SML]$/u.test(text.slice(words[index]?.start, words[index]?.end));
}

/** Whether the number counts what follows: '4 pulls', '2 belles poches'. */
function isCount(sentence: Sentence, last: number, isType: (index: number) => boolean): boolean {
  const next = sentence.words[last + 1];
  if (next === undefined || /[,;.!?()/]/u.test(next.gap)) return false;
  return isType(last + 1) || sentence.claimOf(last + 1) === null || sentence.claimOf(last + 1) === "unread";
}
