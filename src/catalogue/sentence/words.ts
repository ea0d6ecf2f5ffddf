/** A sentence cut into words, each of which can be claimed by what it was read as. */
import { foldText } from "../fold-text.ts";

/** What a word was read as: a field of a filter, whom the types are for, or nothing that a filter has. */
export type Claim = SentenceField | "branch" | "unread";

/** A filter's fields under their names on the wire. */
export type SentenceField =
  | "types"
  | "brands"
  | "sizes"
  | "status"
  | "color"
  | "limit"
  | "limit_min"
  | "mots"
  | "exclure";

export interface Word {
  readonly folded: string;
  readonly start: number;
  readonly end: number;
  /** What stands between the word before and this one. */
  readonly gap: string;
}

export interface Claimed {
  readonly first: number;
  /** Inclusive. */
  readonly last: number;
  readonly claim: Claim;
}

export interface Sentence {
  readonly text: string;
  /** Lower case without accents, character by character: an offset in it is one in `text`. */
  readonly plain: string;
  readonly words: readonly Word[];
  readonly claims: readonly Claimed[];
  /** The text from the first to the last of some words. */
  readonly textOf: (first: number, last: number) => string;
  /** False beyond the ends too. */
  readonly isFree: (index: number) => boolean;
  readonly claimOf: (index: number) => Claim | null;
  readonly claim: (first: number, last: number, claim: Claim) => void;
  /** The words that lie in a stretch of the text, first and last; null where one of them is claimed or there is none. */
  readonly freeWordsIn: (start: number, end: number) => readonly [number, number] | null;
}

/** Composed, so that a letter with its accent is one character, and typed in one kind of spaces and apostrophes. */
export function createSentence(sent: string): Sentence {
  const text = sent
    .normalize("NFC")
    .replaceAll(/\s/gu, " ")
    .replaceAll(/[’ʼ´`]/gu, "'");
  const plain = Array.from({ length: text.length }, (_, index) => plainCharacter(text.charAt(index))).join(
    "",
  );
  const words = wordsOf(text);
  const claims: Claimed[] = [];
  const claimByWord = new Map<number, Claim>();
  return {
    text,
    plain,
    words,
    claims,
    textOf: (first, last) => text.slice(words[first]?.start, words[last]?.end),
    isFree: (index) => index >= 0 && index < words.length && !claimByWord.has(index),
    claimOf: (index) => claimByWord.get(index) ?? null,
    claim: (first, last, claim) => {
      for (let index = first; index <= last; index += 1) claimByWord.set(index, claim);
      claims.push({ first, last, claim });
    },
    freeWordsIn: (start, end) => {
      const first = words.findIndex((word) => word.end > start);
      const last = words.findLastIndex((word) => word.start < end);
      if (first === -1 || last < first) return null;
      for (let index = first; index <= last; index += 1) if (claimByWord.has(index)) return null;
      return [first, last];
    },
  };
}

const WORD = /[\p{L}\p{M}\p{N}]+|[€<>≤≥~%]/gu;

function wordsOf(text: string): readonly Word[] {
  let end = 0;
  return [...text.matchAll(WORD)].map((match) => {
    const gap = text.slice(end, match.index);
    end = match.index + match[0].length;
    return { folded: foldText(match[0]) || match[0], start: match.index, end, gap };
  });
}

function plainCharacter(character: string): string {
  return character.normalize("NFD").charAt(0).toLowerCase().charAt(0) || " ";
}

/** Words that a name may have or lack: "sac main" is "sac à main". */
const LINKING = new Set(["de", "d", "du", "des", "a", "en", "la", "le", "les", "l", "au", "aux"]);
const LONGEST_NAME = 9;
const BREAK = /[,;:!?()|/+]/u;

/** A name for comparison: plurals and linking words ignored; "" for a name of linking words only. */
export function nameKey(name: string): string {
  return foldText(name)
    .split(" ")
    .filter((word) => !LINKING.has(word))
    .map(singular)
    .join(" ");
}

/** A word without the mark of a plural; its accents stay. "fils" is no plural. */
function singular(word: string): string {
  return word.length > 3 && word !== "fils" ? word.replace(/(?:s|(?<=[aeo]u)x)$/u, "") : word;
}

/** The same name with the accents that it is written with. */
export function accentedKey(name: string): string {
  return name
    .normalize("NFC")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "" && !LINKING.has(foldText(word)))
    .map(singular)
    .join(" ");
}

export interface FoundName<Meaning> {
  readonly last: number;
  readonly meaning: Meaning;
}

/** What names mean, by `nameKey`; the words as they were written are there to tell 'rosé' from 'rose'. */
export type MeaningOf<Meaning> = (key: string, written: string) => Meaning | undefined;

/** Whether a gap joins two words to one: 'dix-neuf' has no 'neuf', 'rouge-gorge' no 'rouge'. */
function isHyphen(gap: string | undefined): boolean {
  return gap === "-" || gap === "‐" || gap === "‑";
}

/**
 * The longest name that begins at a word; null for none. It is no part of a hyphenated word. Names neither begin nor end with a linking word, nor do they
 * reach over punctuation or claimed words, but for those of a branch: 'short femme taille haute'.
 */
export function longestName<Meaning>(
  { words, text, isFree, claimOf }: Sentence,
  first: number,
  meaningOf: MeaningOf<Meaning>,
): FoundName<Meaning> | null {
  let found: FoundName<Meaning> | null = null;
  let key = "";
  let written = "";
  if (isHyphen(words[first]?.gap)) return null;
  for (let last = first; last < words.length && last < first + LONGEST_NAME; last += 1) {
    const word = words[last];
    if (word === undefined || (last > first && BREAK.test(word.gap))) break;
    if (last > first && claimOf(last) === "branch") continue;
    if (!isFree(last)) break;
    if (LINKING.has(word.folded)) {
      if (last === first) return null;
      continue;
    }
    const accented = singular(text.slice(word.start, word.end).toLowerCase());
    key = key === "" ? singular(word.folded) : `${key} ${singular(word.folded)}`;
    written = written === "" ? accented : `${written} ${accented}`;
    if (isHyphen(words[last + 1]?.gap)) continue;
    const meaning = meaningOf(key, written);
    if (meaning !== undefined) found = { last, meaning };
  }
  return found;
}
