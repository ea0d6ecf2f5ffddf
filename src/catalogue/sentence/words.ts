/** Tokenises a sentence; each word can be claimed by what it was understood as. */
import { foldText } from "../fold-text.ts";

/** What a word was understood as: a field of a filter, a branch of the types, or not understood. */
export type Claim = SentenceField | "branch" | "unread";

/** A filter's fields by their names on the wire. */
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

interface Word {
  readonly folded: string;
  readonly start: number;
  readonly end: number;
  /** The text between the previous word and this one. */
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
  /** Lower case without accents, character by character: has the same offsets as `text`. */
  readonly plain: string;
  readonly words: readonly Word[];
  readonly claims: readonly Claimed[];
  /** The text from the first to the last of these words. */
  readonly textOf: (first: number, last: number) => string;
  /** False also out of range. */
  readonly isFree: (index: number) => boolean;
  readonly claimOf: (index: number) => Claim | null;
  readonly claim: (first: number, last: number, claim: Claim) => void;
  /** The first and last word in a range of the text; null if one of them is claimed or there is none. */
  readonly freeWordsIn: (start: number, end: number) => readonly [number, number] | null;
}

/** Normalises the text: composed characters, one kind of spaces and of apostrophes. */
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

/** Optional words within names: "sac main" is "sac à main". */
const LINKING = new Set(["de", "d", "du", "des", "a", "en", "la", "le", "les", "l", "au", "aux"]);
const LONGEST_NAME = 9;
const BREAK = /[,;:!?()|/+]/u;

/** A name for comparison, without plurals and linking words; "" for linking words only. */
export function nameKey(name: string): string {
  return foldText(name)
    .split(" ")
    .filter((word) => !LINKING.has(word))
    .map(singular)
    .join(" ");
}

/** The singular of a word, accents kept; "fils" is no plural. */
function singular(word: string): string {
  return word.length > 3 && word !== "fils" ? word.replace(/(?:s|(?<=[aeo]u)x)$/u, "") : word;
}

/** Like `nameKey`, but with accents. */
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

/** The meaning of a name by its `nameKey`; `written` has the accents, to distinguish 'rosé' from 'rose'. */
export type MeaningOf<Meaning> = (key: string, written: string) => Meaning | undefined;

/** Whether a gap joins two words: 'dix-neuf' does not contain 'neuf', nor 'rouge-gorge' 'rouge'. */
function isHyphen(gap: string | undefined): boolean {
  return gap === "-" || gap === "‐" || gap === "‑";
}

/**
 * The longest name that begins at a word; null: none. Not within a hyphenated word, without outer linking
 * words, and not across punctuation or claimed words, except a branch: 'short femme taille haute'.
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
