/** Negated names, which must not set a field: 'pas noir', 'sans ceinture', 'ni Zara ni Mango'. */
import { isSkipped, kindOf, nameAt, type NameKind } from "./naming.ts";
import type { TypeScope } from "./type-names.ts";
import type { Sentence } from "./words.ts";

/** Words that may be between a negation and its name. */
const ARTICLES: ReadonlySet<string> = new Set([
  "de",
  "d",
  "du",
  "des",
  "la",
  "le",
  "les",
  "l",
  "un",
  "une",
  "en",
  "marque",
  "marques",
  "chez",
]);
export const SIZE_WORDS: ReadonlySet<string> = new Set(["taille", "tailles", "t", "pointure", "pointures"]);

const NEGATIONS = new Set(["pas", "non", "ni", "sans", "sauf", "hors"]);
/** Punctuation that ends a list of names. */
export const BREAK = /[,;:.!?()]/u;

const isBetween = (word: string) => ARTICLES.has(word) || SIZE_WORDS.has(word) || word === "pour";

export function afterArticles({ words, isFree }: Sentence, index: number): number {
  let next = index;
  while (isFree(next) && ARTICLES.has(words[next]?.folded ?? "")) next += 1;
  return next;
}

/** Whether the name that begins at a word is negated. */
export function isNegated({ words }: Sentence, index: number): boolean {
  for (let at = index; at > 0; at -= 1) {
    const word = words[at - 1]?.folded ?? "";
    if (BREAK.test(words[at]?.gap ?? "")) return false;
    if (NEGATIONS.has(word)) return true;
    if (!isBetween(word)) return false;
  }
  return false;
}

/** Whether what follows a negated name of this kind and is of the same kind is negated too: 'pas noir ou gris'. */
export function isListed(kind: NameKind | null): boolean {
  return kind === "brand" || kind === "colour";
}

/**
 * Claims a negation with all that it negates as unread: 'pas noir ni gris', 'hors taille S et M'.
 * @returns its last word; null if no negation begins here
 */
export function claimNegation(sentence: Sentence, first: number, scope: TypeScope): number | null {
  const { words, isFree } = sentence;
  if (!NEGATIONS.has(words[first]?.folded ?? "")) return null;
  let last: number | null = null;
  let next = first + 1;
  let isOfSizes: boolean = false;
  for (;;) {
    for (; isFree(next) && isBetween(words[next]?.folded ?? ""); next += 1)
      isOfSizes ||= SIZE_WORDS.has(words[next]?.folded ?? "");
    const isJoined = words.slice(first + 1, next + 1).every(({ gap }) => gap !== "-" && !BREAK.test(gap));
    if (!isFree(next) || !isJoined || isSkipped(sentence, next)) break;
    const name = nameAt(sentence, next, scope, true);
    last = name?.last ?? next;
    next = last + 2;
    const joint = words[last + 1]?.folded ?? "";
    const kind = kindOf(name);
    const isList =
      isOfSizes ||
      (isListed(kind) && kindOf(nameAt(sentence, afterArticles(sentence, next), scope)) === kind);
    const isContinued = joint === "ni" || (isList && (joint === "et" || joint === "ou"));
    if (!isContinued || !isFree(last + 1)) break;
  }
  if (last !== null) sentence.claim(first, last, "unread");
  return last;
}
