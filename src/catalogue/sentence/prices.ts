/** Reads prices: amounts with a currency, or after words such as 'prix'. */
import type { Sentence } from "./words.ts";

/** In whole EUR, truncated. */
export interface ReadPrices {
  readonly limitEur: number | null;
  readonly floorEur: number | null;
}

const MAX_EUR = 100_000;

/** "1 200", "1.200", "19,99"; the cents are not in the group. */
const amount = (name: string) => String.raw`(?<![\d.,])(?<${name}>\d(?:[ .]\d{3})+|\d{1,6})(?:[.,]\d{1,2})?`;
const CURRENCY = String.raw` ?(?:€(?:\d{2}(?!\d))?|(?:euros?|eur|balles|e)(?![\p{L}\p{N}]))`;
/** The end of an amount without currency: excludes '40cm', '40/42', '40 %', '3,5'. */
const OR_BARE = String.raw`(?:${CURRENCY}|(?<bare>(?![\p{L}\p{N}%]|[.,/-]\d| %| ?x ?\d)))`;
const HAS_CURRENCY = new RegExp(String.raw`(?<=\d)${CURRENCY}`, "u");
const MIN = String.raw`min(?:imum|i)?`;
const MAX = String.raw`max(?:imum|i)?`;
const BELOW = String.raw`moins d[e']|inferieure? a|en[- ]dessous de|au[- ]dessous de|sous(?: les)?`;
const ABOVE = String.raw`plus d[e']|au[- ]dessus de|superieure? a`;
const UP_TO = String.raw`(?:${BELOW}|pas (?:de )?plus d[e']|tout au plus|au plus|${MAX}\.?|jusqu'?a|plafond(?: de)?|ne depassant pas|<=?|≤)`;
const FROM = String.raw`(?:${ABOVE}|au moins|a partir de|${MIN}\.?|>=?|≥)`;
/** Verbs that a price has: after another one, as in 'ne gratte pas à moins de 30 €', 'pas' does not negate the price. */
const PRICED = String.raw`(?:est|soit|coute|vaut|vaille|doit|depasse|descende?|monte|va|aille)\b`;
const OTHER_VERB = String.raw`(?:ne |n')(?!${PRICED})\p{L}+ `;
/** 'pas à moins de'; not 'lavée ou pas, à moins de'. */
const NOT_BELOW = String.raw`(?<!(?<![\p{L}\p{N}])(?:ou |pourquoi |${OTHER_VERB}))(?:pas|jamais|rien|non|ni) (?:(?:etre|couter) )?(?:a |de )?(?:${BELOW})`;
/** 'sans dépenser plus de', 'n'achète pas à plus de'. */
const NOT_ABOVE = String.raw`(?<!(?<![\p{L}\p{N}])(?:ou |pourquoi ))(?:pas|jamais|rien|non|ni|sans) (?:(?:etre|couter|payer|mettre|depenser|acheter|depasser) )?(?:a |de )?(?:${ABOVE})`;
/** A negation earlier in the same part: whatever it negates, a price above is not clearly wanted. */
const AFTER_NEGATION = String.raw`(?<=(?<![\p{L}\p{N}])(?:pas |jamais |rien |non |ni |sans |aucune? |ne |n'|refuse[rz]? |evite[rz]? )(?:(?!mais )[\p{L}\p{N}]+[ '-]){0,6})`;
/** 'Je ne veux plus de 38 et 40'. */
const OTHER_SIZES = String.raw`(?:(?:(?:,| et| ou| ni) | \()(?:de |du )?\d{2}(?![\p{L}\p{N}]|[.,]\d| ?€))*`;
const PRICE = String.raw`(?:prix|budget|limite)`;
/** Not where a size is: 'taille 38', '38 ou 40', '38/40'. */
const NO_SIZE = String.raw`(?<!(?<![\p{L}\p{N}])(?:tailles?|pointures?|t) ?|\d(?: (?:ou|et) | ?\/ ?|-))`;
const TO = "(?: a | ?- ?)";
/** Between two amounts that are each followed by 'min' or 'max'. */
const AND = String.raw`\.?,? (?:et )?`;
/**
 * After an amount of shipping costs: '5 € de port', or '5 € frais de port' at the end of a part. The amount of '30 € frais
 * de port inclus' is the article's.
 */
const COSTS = String.raw`frais (?:de port|de livraison|d'envoi)`;
const SHIPPING = String.raw` (?:de (?:${COSTS}|port|livraison|frais)(?![\p{L}\p{N}]| (?:compris|inclus|offert|gratuit))|${COSTS}(?= *(?:$|[,;.!?])))`;
const COSTS_NEXT = new RegExp(`^ ${COSTS}`, "u");
const WORD_END = String.raw`(?![\p{L}\p{N}])`;

interface Pattern {
  readonly regex: RegExp;
  /** The fields of the named amounts; empty: the match is left unread. */
  readonly fields: readonly ("limit" | "limit_min")[];
  /** Whether the two amounts are plausible; absent: always. */
  readonly isMeant?: (a: number, b: number) => boolean;
}

const pattern = (source: string, ...fields: Pattern["fields"]): Pattern => ({
  regex: new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${source})`, "gu"),
  fields,
});

const A = amount("a");
const B = amount("b");

/** In the order in which they claim words. */
const PATTERNS: readonly Pattern[] = [
  pattern(String.raw`(?:tailles?|pointures?) (?:superieure?|inferieure?)s? a ${A}${OR_BARE}`),
  pattern(String.raw`(?:${UP_TO} ?(?:de |a )?)?${A}(?:${CURRENCY})?${SHIPPING}`),
  pattern(
    String.raw`(?:environ|autour de|aux alentours de|vers(?: les)?|dans les|a peu pres|~) ?${A}${OR_BARE}`,
  ),
  pattern(String.raw`${A}${CURRENCY} (?:environ|a peu pres)${WORD_END}`),
  pattern(
    String.raw`(?:${PRICE} )?(?:entre|de) (?:les )?${A}(?:${CURRENCY})? (?:et|a) ${B}${CURRENCY}`,
    "limit_min",
    "limit",
  ),
  pattern(String.raw`entre (?:les )?${A}${CURRENCY} et ${B}${OR_BARE}`, "limit_min", "limit"),
  pattern(
    String.raw`${PRICE} ?:? ?(?:de |entre )?${A}(?:${CURRENCY})?(?: et |${TO})${B}${OR_BARE}`,
    "limit_min",
    "limit",
  ),
  pattern(
    String.raw`${A}(?:${CURRENCY})? ?${MIN}${AND}${B}(?:${CURRENCY})? ?${MAX}${WORD_END}`,
    "limit_min",
    "limit",
  ),
  pattern(
    String.raw`${A}(?:${CURRENCY})? ?${MAX}${AND}${B}(?:${CURRENCY})? ?${MIN}${WORD_END}`,
    "limit",
    "limit_min",
  ),
  pattern(String.raw`${MIN}\.? ${A}(?:${CURRENCY})?${AND}${MAX}\.? ${B}${OR_BARE}`, "limit_min", "limit"),
  // '36 à 50 €' may be a size and a price: any amounts are a range only at the start of a part.
  pattern(String.raw`(?<=^ *|[,;.(] *)${A}(?:${CURRENCY})?${TO}${B}${CURRENCY}`, "limit_min", "limit"),
  pattern(String.raw`${A}${CURRENCY}${TO}${B}${CURRENCY}`, "limit_min", "limit"),
  { ...pattern(String.raw`${NO_SIZE}${A}-${B}${CURRENCY}`, "limit_min", "limit"), isMeant: isPriceRange },
  {
    ...pattern(String.raw`${NO_SIZE}(?<!\d ?-? ?)${A}${TO}${B}${CURRENCY}`, "limit_min", "limit"),
    isMeant: isPriceRange,
  },
  // After another number: '38 - 20 - 40 €' is a size and a range, '38 - 40 à 60 €' two sizes and a price.
  {
    ...pattern(String.raw`${NO_SIZE}${A}${TO}${B}${CURRENCY}`, "limit_min", "limit"),
    isMeant: (from, to) => isPriceRange(from, to) && (from < SIZES.first || from > SIZES.last),
  },
  pattern(String.raw`(?:${PRICE} )?${NOT_BELOW} ?(?:de )?${A}${OR_BARE}`, "limit_min"),
  pattern(String.raw`(?:${PRICE} )?${NOT_ABOVE} ?(?:de )?${A}${OR_BARE}`, "limit"),
  pattern(String.raw`${AFTER_NEGATION}(?:${ABOVE}) ?(?:de )?${A}${OR_BARE}${OTHER_SIZES}`),
  pattern(String.raw`rien a partir de ?${A}${OR_BARE}`),
  pattern(String.raw`(?:${PRICE} ?:? ?)?(?:a )?${UP_TO} ?(?:de |a )?${A}${OR_BARE}`, "limit"),
  pattern(String.raw`${PRICE}(?: ${MAX}\.?)?(?: de| a)? ?:? ?${A}${OR_BARE}`, "limit"),
  pattern(String.raw`${FROM} ?(?:de )?${A}${OR_BARE}`, "limit_min"),
  // 'Jordan 4 120 €' is a name and a price, or a price above a thousand.
  pattern(String.raw`(?<=[\p{L}\p{N}] )(?<!(?<![\p{L}\p{N}])a )\d [1-9]\d{2}${CURRENCY}`),
  pattern(String.raw`${A}${CURRENCY} ?(?:et plus|ou plus|au moins|${MIN})${WORD_END}`, "limit_min"),
  pattern(
    String.raw`(?:a )?${A}(?:${CURRENCY})? ?(?:grand )?(?:${MAX}|au plus|ou moins|tout au plus)${WORD_END}(?! mara)`,
    "limit",
  ),
  pattern(String.raw`(?:a )?${A}${CURRENCY}`, "limit"),
  pattern(String.raw`(?<!\d )a ${A}(?= *(?:$|[,;.!?]))`, "limit"),
];

/** Claims prices. @param isKnown whether the word at an index is understood or skipped */
export function readPrices(sentence: Sentence, isKnown: (index: number) => boolean): ReadPrices {
  const read: { limit: number | null; limit_min: number | null } = { limit: null, limit_min: null };
  for (const { regex, fields, isMeant } of PATTERNS) {
    for (const match of sentence.plain.matchAll(regex)) {
      const claimed = sentence.freeWordsIn(match.index, match.index + match[0].length);
      if (claimed === null) continue;
      if (isSizeOrCount(sentence, match, claimed, isKnown)) {
        // 'taille 36 min 40 max'
        if (fields.length > 1) sentence.claim(...claimed, "unread");
        continue;
      }
      const amounts = [match.groups?.["a"], match.groups?.["b"]].map(wholeEuros);
      if (isMeant?.(amounts[0] ?? 0, amounts[1] ?? 0) === false) continue;
      const next = { ...read };
      for (const [index, field] of fields.entries()) next[field] = amounts[index] ?? null;
      const isGood = fields.every((field, index) => read[field] === null && isPrice(amounts[index] ?? null));
      if (!isGood || (next.limit !== null && next.limit_min !== null && next.limit_min > next.limit)) {
        sentence.claim(...claimed, "unread");
        continue;
      }
      for (const field of fields) sentence.claim(...claimed, field);
      if (fields.length === 0) sentence.claim(...claimed, "unread");
      Object.assign(read, next);
    }
  }
  return { limitEur: read.limit, floorEur: read.limit_min };
}

/** Without a currency, 'moins de 3 pièces' is a count and 'taille max 42' a size. */
function isSizeOrCount(
  { words, plain }: Sentence,
  match: RegExpExecArray,
  [first, last]: readonly [number, number],
  isKnown: (index: number) => boolean,
): boolean {
  const isOfSize = /^(?:tailles?|pointures?|t)$/u.test(words[first - 1]?.folded ?? "");
  if (isOfSize && /m(?:in.*max|ax.*min)/u.test(match[0])) return true;
  if (HAS_CURRENCY.test(plain.slice(match.index, match.index + match[0].length))) return false;
  if (isOfSize) return true;
  if (COSTS_NEXT.test(plain.slice(words[last]?.end))) return false;
  const next = words[last + 1];
  return next !== undefined && !/[,;.!?()]/u.test(next.gap) && !isKnown(last + 1);
}

/** Smaller numbers are hardly sizes of clothes. */
const FIRST_SIZE = 20;
/** Round numbers from here are as often sizes. */
const SIZES = { first: 34, last: 64 };
/** 'Jordan 4 à 80 €' is a name and a price. */
const WIDEST_RANGE = 5;

/** Prices are round or small: 'robe 30 à 40 €' is a range, 'robe 36 à 50 €' a size and a price. */
function isPriceRange(from: number, to: number): boolean {
  return from < to && to <= from * WIDEST_RANGE && (from % 5 === 0 || from < FIRST_SIZE);
}

function wholeEuros(text: string | undefined): number | null {
  return text === undefined ? null : Number(text.replaceAll(/[ .]/gu, ""));
}

function isPrice(euros: number | null): boolean {
  return euros !== null && euros >= 1 && euros <= MAX_EUR;
}
