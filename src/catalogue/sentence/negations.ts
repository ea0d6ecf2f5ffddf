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
  "pour",
  "couleur",
  "couleurs",
  "coloris",
  "ce",
  "cet",
  "cette",
  "ces",
]);
/** 'Pas forcément neuve' and 'pas que noire' are no wish for it. */
const ADVERBS: ReadonlySet<string> = new Set([
  "que",
  "trop",
  "tres",
  "etat",
  "forcement",
  "seulement",
  "vraiment",
  "tout",
  "tous",
  "toute",
  "toutes",
  "surtout",
  "comme",
]);
/** 'Pas acheter de', 'ne pas me proposer': no infinitive by its ending, as 'noir' and 'cher' are not. */
const VERBS: ReadonlySet<string> = new Set(
  `acheter acquerir afficher aimer avoir chercher choisir commander envoyer inclure mettre montrer payer porter
prendre proposer recevoir recommander selectionner suggerer trouver voir vouloir me moi nous envie besoin fan`.split(
    /\s+/u,
  ),
);
export const SIZE_WORDS: ReadonlySet<string> = new Set(["taille", "tailles", "t", "pointure", "pointures"]);

const NEGATIONS: ReadonlySet<string> = new Set(
  `pas non ni sans sauf hors hormis excepte aucun aucune part jamais rien exception exclusion dehors anti stop
eviter evite evitez exclure exclus exclut excluez exclu exclue exclues bannir bannis bannissez banni bannie bannies
interdire interdit interdite interdits interdites refuse refuser refusez refusons`.split(/\s+/u),
);
/** 'Je ne veux plus', "n'achète plus"; not 'plus de 20 €'. */
const NO_MORE = /(?<!\p{L})n(?:e |')(?:\p{L}+[ ']){0,3}plus$/u;
const OTHER_THAN = /(?<!\p{L})autres? (?:[a-z]+ )?que$/u;
/** Punctuation that ends a list of names. */
export const BREAK = /[,;:.!?()]/u;
/** 'Sauf : Zara', 'pas ces marques (Zara)': what is negated may begin after it. */
const OPENING = /^\s*[:(]\s*$/u;
/** A mark directly before a name: 'robe -Zara', '!Zara', '≠ Zara'; not 'T-shirt' or 'jolie ! Zara'. */
export const STRUCK = /(?:[\s(,;:/][-–−]|!|≠ *)$/u;

/** 'L' is a size, "l'" an article. */
function isArticle({ words, text }: Sentence, index: number): boolean {
  const { folded = "", end = 0 } = words[index] ?? {};
  return ARTICLES.has(folded) && (folded.length > 1 || text.charAt(end) === "'");
}

function isBetween(sentence: Sentence, index: number): boolean {
  const word = sentence.words[index]?.folded ?? "";
  return isArticle(sentence, index) || SIZE_WORDS.has(word) || ADVERBS.has(word) || VERBS.has(word);
}

/** 'Pas', but also 'à part' and 'autre couleur que'. */
export function isNegation({ words, plain }: Sentence, index: number): boolean {
  const { folded = "", end } = words[index] ?? {};
  if (folded === "que") return OTHER_THAN.test(plain.slice(0, end));
  return NEGATIONS.has(folded) || (folded === "plus" && NO_MORE.test(plain.slice(0, end)));
}

/** Whether a mark directly before a word negates it. */
export function isStruck({ words }: Sentence, index: number): boolean {
  return STRUCK.test(words[index]?.gap ?? "");
}

export function afterArticles(sentence: Sentence, index: number): number {
  let next = index;
  while (sentence.isFree(next) && isArticle(sentence, next)) next += 1;
  return next;
}

/** Whether the name that begins at a word is negated. */
export function isNegated(sentence: Sentence, index: number): boolean {
  const { words } = sentence;
  for (let at = index; at > 0; at -= 1) {
    if (isStruck(sentence, at)) return true;
    const gap = words[at]?.gap ?? "";
    if (BREAK.test(gap) && !OPENING.test(gap)) return false;
    if (isNegation(sentence, at - 1)) return true;
    if (!isBetween(sentence, at - 1)) return false;
  }
  return false;
}

const JOINTS = new Set(["ni", "et", "ou"]);
/** Between names of one kind, besides a comma: names after a plain space are as likely negated as not. */
const LIST_MARKS = new Set(["", "/", "-", "–", ":", "(", "|", "+", "&"]);
const SIZE = /^(?:t?\d{1,2}|\d{2,3}[a-l]|w\d\d|[2-9]?x*[sl]|m)$/u;

/** What is negated, to its last word; its kind is null if it has no meaning. */
export interface Negated {
  readonly last: number;
  readonly kind: NameKind | "size" | "word" | null;
}

/** A type has its colour, brand and condition: 'pas de jean noir' is no wish for black. */
export function negatedAt(sentence: Sentence, index: number, scope: TypeScope, isBrandSaid = false): Negated {
  const name = nameAt(sentence, index, scope, isBrandSaid);
  const isSize = SIZE.test(sentence.words[index]?.folded ?? "");
  if (name === null)
    return { last: index, kind: isSize ? "size" : isSkipped(sentence, index) ? null : "word" };
  let { last } = name;
  // 'Chaussures sans talons noires' are black.
  const isWhole = kindOf(name) !== "types" || sentence.words[index - 1]?.folded === "sans";
  if (isWhole) return { last, kind: kindOf(name) };
  while (sentence.words[last + 1]?.gap.trim() === "") {
    const next = nameAt(sentence, last + 1, scope);
    if (next === null || kindOf(next) === "types") break;
    ({ last } = next);
  }
  return { last, kind: "types" };
}

/**
 * Where a negated list goes on, as in 'sauf zara, mango/shein et boohoo', but not in 'sauf zara et taille M'.
 * After a comma a condition is a wish: 'pas neuf, très bon état'.
 */
export function nextListed(sentence: Sentence, { last, kind }: Negated, scope: TypeScope): number | null {
  const { words, isFree } = sentence;
  const { folded = "", gap = "" } = words[last + 1] ?? {};
  const isRange = kind === "size" && (folded === "a" || folded === "au");
  const isJoint = JOINTS.has(folded) || isRange;
  const mark = gap.trim();
  const isMarked = LIST_MARKS.has(mark) || (mark === "," && kind !== "condition");
  let next = afterArticles(sentence, isJoint ? last + 2 : last + 1);
  if (isJoint && kind === "size") while (SIZE_WORDS.has(words[next]?.folded ?? "")) next += 1;
  if (!isFree(last + 1) || !isFree(next) || (isJoint ? BREAK.test(words[next]?.gap ?? "") : !isMarked))
    return null;
  if (folded === "ni") return next;
  const { kind: kindOfNext } = negatedAt(sentence, next, scope);
  return kindOfNext === kind && kind !== null && (kind !== "word" || isJoint) ? next : null;
}

/**
 * Claims a negation with all that it negates as unread: 'pas noir ni gris', 'hors taille S et M'.
 * @returns its last word; null if no negation begins here
 */
export function claimNegation(sentence: Sentence, first: number, scope: TypeScope): number | null {
  const { words, isFree } = sentence;
  const struck = isStruck(sentence, first);
  if (!struck && !isNegation(sentence, first)) return null;
  let next = struck ? first : first + 1;
  while (isFree(next) && isBetween(sentence, next) && nameAt(sentence, next, scope) === null) next += 1;
  const isJoined = words
    .slice(first + 1, next + 1)
    .every(({ gap }) => gap !== "-" && (OPENING.test(gap) || !BREAK.test(gap)));
  let last: number | null = null;
  let listed: number | null = isJoined ? next : null;
  while (listed !== null && isFree(listed)) {
    const negated = negatedAt(sentence, listed, scope, true);
    if (negated.kind === null) break;
    ({ last } = negated);
    listed = nextListed(sentence, negated, scope);
  }
  if (last !== null) sentence.claim(first, last, "unread");
  return last;
}

/** The end of a part that refuses what the part names: '40 non', "mais Shein je n'en veux pas". */
const REFUSED =
  /(?<!\p{L})(?:(?<!ou )non(?: merci)?|exclue?s?|interdite?s?|bannie?s?|n'en (?:veux|veut|voulons) (?:pas|plus|jamais))\s*$/u;
const PART = /(?:(?!\bmais\b)[^,;.:!?()])+(?=[,;.!?)]|mais\b|$)/gu;

/** Claims as unread each part of the sentence that is refused at its end. */
export function claimRefused(sentence: Sentence): void {
  for (const match of sentence.plain.matchAll(PART)) {
    if (!REFUSED.test(match[0])) continue;
    const found = sentence.freeWordsIn(match.index, match.index + match[0].length);
    if (found !== null) sentence.claim(...found, "unread");
  }
}
