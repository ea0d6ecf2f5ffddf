/** Finds brand titles in a sentence, the longest first. */
import { brandIdForTitle, knownBrands } from "../brand-titles.ts";
import { foldText } from "../fold-text.ts";
import { brandAliases, notBrands, wordTitles } from "./lexicon.ts";
import type { FoundName, Sentence } from "./words.ts";

const LONGEST_TITLE = 6;
/** Shorter titles are not matched without spaces: 'ca' is not C&A. */
const SHORTEST_JOINED = 4;

const idsByTitle = new Map<string, number>();
for (const { id, title } of knownBrands) {
  const folded = foldText(title);
  addTitle(folded, id);
  const joined = folded.replaceAll(" ", "");
  if (joined.length >= SHORTEST_JOINED && !wordTitles.has(folded)) addTitle(joined, id);
}
for (const [title, aliases] of brandAliases) {
  const id = brandIdForTitle(title);
  if (id === null) throw new TypeError(`no brand ${title}`);
  for (const alias of aliases) idsByTitle.set(foldText(alias), id);
}

function addTitle(folded: string, id: number): void {
  if (!idsByTitle.has(folded)) idsByTitle.set(folded, id);
}

/**
 * The brand whose title begins at a word.
 * @param isSaid after the word 'marque', which also allows titles that are ordinary words
 */
export function brandAt(sentence: Sentence, first: number, isSaid: boolean): FoundName<number> | null {
  const { words, isFree } = sentence;
  let found: FoundName<number> | null = null;
  let title = "";
  if (/^[-‐‑]$/u.test(words[first]?.gap ?? "")) return null;
  for (let last = first; last < words.length && last < first + LONGEST_TITLE; last += 1) {
    const word = words[last];
    if (word === undefined || !isFree(last)) break;
    if (last > first && /[,;:?()|/]/u.test(word.gap)) break;
    title = title === "" ? word.folded : `${title} ${word.folded}`;
    const id = idsByTitle.get(title);
    if (id === undefined || (!isSaid && wordTitles.has(title))) continue;
    if (notBrands.has(sentence.textOf(first, last).toLowerCase())) continue;
    if (/^[-‐‑]$/u.test(words[last + 1]?.gap ?? "")) continue;
    // 'c a' are two letters, 'C&A' is a brand.
    const isLetters = title.split(" ").every(({ length }) => length === 1);
    if (last > first && isLetters && !sentence.textOf(first, last).includes("&")) continue;
    found = { last, meaning: id };
  }
  return found;
}
