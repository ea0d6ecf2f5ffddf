/** Reads sizes, in the size groups of the sentence's types. */
import { SIZE_WORDS } from "./negations.ts";
import { sizeIdsBetween, sizeIdsWithPart, sizeKey } from "./size-parts.ts";
import type { Sentence } from "./words.ts";

const LETTERS = new Set(["s", "m", "l"]);
/** Units: "12 mois" is not size 12, nor "30 cm" size 30. */
const UNITS = new Set(["an", "ans", "mois", "mm", "cm", "kg", "x"]);
const LONGEST_SIZE = 4;
/** Smaller numbers are as often counts as sizes. */
const FIRST_PLAIN_NUMBER = 20;

/**
 * Claims sizes. S, M and L only as capitals or after 'taille'.
 * @param isType whether the word at an index names a type
 */
export function readSizes(
  sentence: Sentence,
  sizeGroupIds: readonly number[],
  isType: (index: number) => boolean,
): readonly number[] {
  const found: number[] = [];
  if (sizeGroupIds.length === 0) return found;
  /** After 'taille', also for further sizes: 'taille 38 ou 40'. */
  let isSaid = false;
  let before: FoundSize | null = null;
  for (let index = 0; index < sentence.words.length; index += 1) {
    const word = sentence.words[index];
    if (word === undefined) break;
    const size: FoundSize | null = sentence.isFree(index)
      ? sizeAt(sentence, index, { sizeGroupIds, isSaid, isType })
      : null;
    if (size !== null) {
      const joint = sentence.words[index - 1]?.folded;
      // 'du 36 au 40', 'taille 36 à 40'; without 'taille', '36 à 40' may be a size and a price.
      if (before?.last === index - 2 && (joint === "au" || (joint === "a" && isSaid)))
        found.push(...sizeIdsBetween([before.part, size.part], sizeGroupIds));
      found.push(...size.ids);
      before = size;
      // Claims 'taille' with its size.
      const isLabelled =
        sentence.isFree(index - 1) && SIZE_WORDS.has(sentence.words[index - 1]?.folded ?? "");
      sentence.claim(isLabelled ? index - 1 : index, size.last, "sizes");
      index = size.last;
      continue;
    }
    isSaid =
      sentence.isFree(index) &&
      (SIZE_WORDS.has(word.folded) || (isSaid && ["ou", "et", "a", "au", "en", "du"].includes(word.folded)));
  }
  return [...new Set(found)];
}

interface FoundSize {
  readonly part: string;
  readonly ids: readonly number[];
  readonly last: number;
}

interface Circumstances {
  readonly sizeGroupIds: readonly number[];
  readonly isSaid: boolean;
  readonly isType: (index: number) => boolean;
}

/** The longest size that begins at a word. */
function sizeAt(
  sentence: Sentence,
  first: number,
  { sizeGroupIds, isSaid, isType }: Circumstances,
): FoundSize | null {
  const { words } = sentence;
  for (let last = Math.min(first + LONGEST_SIZE, words.length) - 1; last >= first; last -= 1) {
    if (!isOneText(sentence, first, last)) continue;
    const text = sentence.textOf(first, last);
    const key = sizeKey(text);
    const attached = first === last ? /^t(?=\d)/u.exec(key) : null;
    const part = attached === null ? key : key.slice(1);
    const ids = sizeIdsWithPart(part, sizeGroupIds);
    if (ids.length === 0 || isInsideNumber(sentence, first, last)) continue;
    if (LETTERS.has(part) && !isSaid && !isCapital(sentence, first)) continue;
    if (/^\d+$/u.test(part) && UNITS.has(words[last + 1]?.folded ?? "")) continue;
    const isSmall = /^\d+$/u.test(part) && Number(part) < FIRST_PLAIN_NUMBER;
    if (isSmall && attached === null && !isSaid && isCount(sentence, last, isType)) continue;
    return { part, ids, last };
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

/** Excludes "L'été", and 38 in "38,75". */
function isInsideNumber({ words, text }: Sentence, first: number, last: number): boolean {
  const start = words[first]?.start ?? 0;
  const end = words[last]?.end ?? 0;
  return (
    /^[.,-]\d|^'/u.test(text.slice(end, end + 2)) ||
    /\d[.,-]$|'$/u.test(text.slice(Math.max(0, start - 2), start))
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
