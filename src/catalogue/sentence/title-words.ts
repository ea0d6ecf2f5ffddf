/** Required and excluded words of a title: quoted text, and what follows 'sauf', 'hors' and 'pas de'. */
import { foldText } from "../fold-text.ts";
import { afterArticles, BREAK, isNegation, negatedAt, nextListed, STRUCK } from "./negations.ts";
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

/** Reads quoted text: required words, or excluded ones after 'sauf', 'hors', 'pas de' and in '-"simili"'. */
export function readQuotes(sentence: Sentence, bounds: WordBounds) {
  const included: string[] = [];
  const excluded: string[] = [];
  for (const match of sentence.text.matchAll(QUOTED)) {
    const word = (match[1] ?? match[2] ?? match[3] ?? "").trim();
    const inside = sentence.freeWordsIn(match.index, match.index + match[0].length);
    if (inside === null) continue;
    const before = sentence.plain.slice(0, match.index);
    const isMarked = STRUCK.test(` ${before}`);
    const isExcluded = isMarked || EXCLUDES.test(before);
    if (!hasRoomFor(word, isExcluded ? excluded : included, bounds)) sentence.claim(...inside, "unread");
    else if (isExcluded) {
      excluded.push(word);
      const first = isMarked ? inside[0] : triggerBefore(sentence, inside[0]);
      sentence.claim(first, inside[1], "exclure");
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
    if (!isTrigger(sentence, index) || words[index + 1]?.gap === "-" || !sentence.isFree(index)) continue;
    let first = index;
    let next = afterArticles(sentence, index + 1);
    if (BREAK.test(words[next]?.gap ?? "")) continue;
    for (;;) {
      const isOther = NO_EXCLUSION.has(words[next]?.folded ?? "");
      const negated = negatedAt(sentence, next, scope, true);
      const { last, kind } = negated;
      // Sizes are not words of a title.
      if (!sentence.isFree(next) || isOther || kind === null || kind === "size") break;
      const text = sentence.textOf(next, last);
      const listed = nextListed(sentence, negated, scope);
      // 'Sauf jupe, robe noire' may end with a wish, 'sauf robes, jupes et pantalons' does not.
      const isListEnd = listed === null || words[listed]?.gap.trim() !== "";
      const isMarked = /[,/]/u.test(words[first]?.gap ?? "");
      // 'Sauf zara mango' and what a filter has no room for are no wishes either.
      const isLoose = first > index && first === next && !isMarked;
      const isDoubtful =
        isLoose ||
        (kind === "types" && isListEnd && first > index && isMarked) ||
        !hasRoomFor(text, excluded, bounds);
      if (!isDoubtful) excluded.push(text);
      sentence.claim(first, last, isDoubtful ? "unread" : "exclure");
      first = last + 1;
      if (listed === null) {
        claimDoubtful(sentence, index, first, scope);
        break;
      }
      // 'Sauf lot et sauf troué' are two lists, and in 'sauf lot et sans ceinture' the second is no word of a title.
      if (isNegation(sentence, listed)) break;
      next = listed;
    }
  }
  return onceEach(excluded);
}

/** Whether a list of excluded words begins: 'sauf', 'hors', 'pas de'. */
function isTrigger({ words }: Sentence, index: number): boolean {
  const word = words[index]?.folded;
  return (
    word === "sauf" ||
    word === "hors" ||
    (word === "pas" && ["de", "d"].includes(words[index + 1]?.folded ?? ""))
  );
}

/** Claims as unread what may be excluded too: 'robe sauf lot, déguisement', 'robe sauf noir et shein'. */
function claimDoubtful(sentence: Sentence, trigger: number, first: number, scope: TypeScope): void {
  const { folded = "", gap = "" } = sentence.words[first] ?? {};
  const isJoint = folded === "et" || folded === "ou";
  const next = afterArticles(sentence, isJoint ? first + 1 : first);
  const { last, kind } = negatedAt(sentence, next, scope);
  const isTypeNamed = () =>
    sentence.words.slice(0, trigger).some((_, at) => negatedAt(sentence, at, scope).kind === "types");
  const isMaybe = isJoint
    ? kind === "types" || kind === "brand"
    : gap.trim() === "," && kind === "types" && isTypeNamed();
  if (isMaybe && sentence.isFree(next)) sentence.claim(next, last, "unread");
}
