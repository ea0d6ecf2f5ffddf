/** Required and excluded words of a title: quoted text, and what follows 'sauf', 'hors' and 'pas de'. */
import { foldText } from "../fold-text.ts";
import { isSkipped, kindOf, nameAt, type NameKind } from "./naming.ts";
import { afterArticles, BREAK, isListed, SIZE_WORDS } from "./negations.ts";
import { onceEach } from "./read-names.ts";
import type { TypeScope } from "./type-names.ts";
import type { Sentence } from "./words.ts";

/** Bounds of a filter's words, for required and excluded ones alike. */
export interface WordBounds {
  /** Maximum characters of one alternative, folded. */
  readonly wordLength: number;
  readonly words: number;
  /** Per word, and over all words. */
  readonly alternatives: number;
  readonly allAlternatives: number;
}

function hasRoomFor(word: string, taken: readonly string[], bounds: WordBounds): boolean {
  const alternatives = word.split("|").map(foldText);
  return (
    alternatives.every((one) => one !== "" && one.length <= bounds.wordLength) &&
    alternatives.length <= bounds.alternatives &&
    taken.length < bounds.words &&
    [...taken, word].join("|").split("|").length <= bounds.allAlternatives
  );
}

const QUOTED = /"([^"]+)"|«([^»]+)»|“([^”]+)”/gu;
const EXCLUDES = /(?:^|[^\p{L}\p{N}])(?:sauf|hors|pas d[e'])\s*$/u;

/** Reads quoted text: required words, or excluded ones after 'sauf', 'hors' and 'pas de'. */
export function readQuotes(sentence: Sentence, bounds: WordBounds) {
  const included: string[] = [];
  const excluded: string[] = [];
  for (const match of sentence.text.matchAll(QUOTED)) {
    const word = (match[1] ?? match[2] ?? match[3] ?? "").trim();
    const inside = sentence.freeWordsIn(match.index, match.index + match[0].length);
    if (inside === null) continue;
    const before = sentence.plain.slice(0, match.index);
    const isExcluded = EXCLUDES.test(before);
    if (!hasRoomFor(word, isExcluded ? excluded : included, bounds)) sentence.claim(...inside, "unread");
    else if (isExcluded) {
      excluded.push(word);
      const trigger = triggerBefore(sentence, inside[0]);
      sentence.claim(trigger, inside[1], "exclure");
    } else {
      included.push(word);
      sentence.claim(...inside, "mots");
    }
  }
  return { included: onceEach(included), excluded };
}

/** The index of 'sauf', 'hors' or 'pas' before a word. */
function triggerBefore({ words }: Sentence, index: number): number {
  return ["d", "de"].includes(words[index - 1]?.folded ?? "") ? index - 2 : index - 1;
}

/** 'hors frais de port', 'pas de souci' exclude nothing. */
const NO_EXCLUSION = new Set([
  "frais",
  "livraison",
  "port",
  "fdp",
  "envoi",
  "protection",
  "prix",
  "souci",
  "probleme",
  "serie",
  "saison",
]);

const JOINTS = new Set(["ni", "et", "ou"]);

/**
 * Reads excluded words: 'sauf zara', 'hors lot', 'pas de shein ni de boohoo', 'sauf noir et blanc'.
 * @param quoted excluded words from quotes
 */
export function readExclusions(
  sentence: Sentence,
  scope: TypeScope,
  quoted: readonly string[],
  bounds: WordBounds,
): readonly string[] {
  const { words } = sentence;
  const excluded = [...quoted];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]?.folded;
    const isTrigger =
      word === "sauf" ||
      word === "hors" ||
      (word === "pas" && ["de", "d"].includes(words[index + 1]?.folded ?? ""));
    if (!isTrigger || words[index + 1]?.gap === "-" || !sentence.isFree(index)) continue;
    let first = index;
    let next = afterArticles(sentence, index + 1);
    if (BREAK.test(words[next]?.gap ?? "")) continue;
    for (;;) {
      const isOther = NO_EXCLUSION.has(words[next]?.folded ?? "");
      // Sizes are not words of a title.
      const isSize = SIZE_WORDS.has(words[next]?.folded ?? "");
      if (!sentence.isFree(next) || isOther || isSize) break;
      const name = nameAt(sentence, next, scope, true);
      const last = name?.last ?? next;
      const text = sentence.textOf(next, last);
      if (!hasRoomFor(text, excluded, bounds)) break;
      excluded.push(text);
      sentence.claim(first, last, "exclure");
      first = last + 1;
      const listed = nextListed(sentence, first, kindOf(name), scope);
      if (listed === null) break;
      next = listed;
    }
  }
  return onceEach(excluded);
}

/**
 * The next excluded word of a list, as in 'sauf zara, mango et shein', but not in 'sauf zara et taille M'.
 * @param first the word after the last excluded one, which is of this kind
 */
function nextListed(
  sentence: Sentence,
  first: number,
  kind: NameKind | null,
  scope: TypeScope,
): number | null {
  const { words, isFree } = sentence;
  const { folded = "", gap = "" } = words[first] ?? {};
  const isJoint = JOINTS.has(folded);
  const next = isJoint ? first + 1 : first;
  const named = afterArticles(sentence, next);
  const isAfterComma = gap.trim() === "," && isListed(kind);
  if (!isFree(first) || (isJoint ? BREAK.test(words[named]?.gap ?? "") : !isAfterComma)) return null;
  if (folded === "ni") return named;
  const kindOfNext = kindOf(nameAt(sentence, named, scope));
  if (isAfterComma || kindOfNext !== null) return kindOfNext === kind ? named : null;
  return kind !== "brand" && !isSkipped(sentence, next) ? next : null;
}
