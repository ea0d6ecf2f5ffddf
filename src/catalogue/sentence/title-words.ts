/** Required and excluded words of a title: quoted text, and what follows 'sauf', 'hors' and 'pas de'. */
import { foldText } from "../fold-text.ts";
import { brandAt } from "./brand-names.ts";
import { isSkipped, nameAt } from "./naming.ts";
import { ARTICLES, BREAK, SIZE_WORDS } from "./negations.ts";
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

/**
 * Reads excluded words: 'sauf zara', 'hors lot', 'pas de shein ni de boohoo'.
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
    let next = index + 1;
    for (;;) {
      while (sentence.isFree(next) && ARTICLES.has(words[next]?.folded ?? "")) next += 1;
      const isOther = NO_EXCLUSION.has(words[next]?.folded ?? "") || BREAK.test(words[next]?.gap ?? "");
      // Sizes are not words of a title.
      const isSize = SIZE_WORDS.has(words[next]?.folded ?? "");
      if (!sentence.isFree(next) || isOther || isSize) break;
      const last = nameAt(sentence, next, scope, true)?.last ?? next;
      const text = sentence.textOf(next, last);
      if (!hasRoomFor(text, excluded, bounds)) break;
      excluded.push(text);
      sentence.claim(first, last, "exclure");
      first = last + 1;
      next = last + 2;
      const joint = words[first]?.folded ?? "";
      if (
        !sentence.isFree(first) ||
        !(joint === "ni" || (["et", "ou"].includes(joint) && isOfSameKind(sentence, last, next, scope)))
      )
        break;
    }
  }
  return onceEach(excluded);
}

/** Whether both are excluded, as in 'sauf zara et mango', but not in 'sauf zara et taille M'. */
function isOfSameKind(sentence: Sentence, one: number, other: number, scope: TypeScope): boolean {
  const kindAt = (index: number) => nameAt(sentence, index, scope)?.meaning.kind ?? "word";
  const isBrand = brandAt(unclaimed(sentence), one, true) !== null;
  return isBrand ? kindAt(other) === "brand" : kindAt(other) === "word" && !isSkipped(sentence, other);
}

function unclaimed(sentence: Sentence): Sentence {
  return { ...sentence, isFree: (index) => index >= 0 && index < sentence.words.length };
}
