/** Reads types, branches, brands, conditions and the colour of a sentence. */
import type { ColourName } from "../colours.ts";
import { conditions } from "../conditions.ts";
import { branchesByName, unreadNames } from "./lexicon.ts";
import { isLexical, namedAt, nameAt, type Meaning } from "./naming.ts";
import { claimNegation, isNegated, isStruck } from "./negations.ts";
import { isTypeName, type TypeScope } from "./type-names.ts";
import type { Claim, FoundName, Sentence } from "./words.ts";

/** Between branches that are negated together: 'pas pour homme ou enfant'. */
const LISTED = /^ ?(?:et|ou|\/) ?(?:pour )?(?:une? |les? |des )?$/u;

/** Claims words such as 'femme' as branches, unless negated or within a longer name ('porte-bébé'). */
export function readBranches(sentence: Sentence): readonly number[] {
  const branchIds: number[] = [];
  let negatedEnd: number | null = null;
  for (let index = 0; index < sentence.words.length; index += 1) {
    const name = namedAt(sentence, index, (key) => (isLexical(key) ? { key } : undefined));
    if (name !== null) {
      index = name.last;
      continue;
    }
    const branch = namedAt(sentence, index, (key) => branchesByName.get(key));
    if (branch === null) continue;
    const before =
      negatedEnd === null ? null : sentence.plain.slice(negatedEnd, sentence.words[index]?.start);
    if (isNegated(sentence, index) || (before !== null && LISTED.test(before))) {
      negatedEnd = sentence.words[branch.last]?.end ?? null;
      continue;
    }
    branchIds.push(...branch.meaning);
    sentence.claim(index, branch.last, "branch");
    index = branch.last;
  }
  return onceEach(branchIds);
}

const FRACTION = /(?<![\p{L}\p{N}.,])(?:\d+ )?[1-9]\/[2-9](?!\d)/gu;
/** What is no size and no type: 'années 90', '2 en 1', '100 %', 'lot de 3', 'bonnet C'. */
const COUNTS =
  /(?<![\p{L}\p{N}])(?:annees? \d+|lots? d[e'] ?\d+|\d+ en \d+|\d+ ?%|\d+ ?(?:pieces|poches)|bonnets? [a-h](?![\p{L}\p{N}]))/gu;

/** Claims names whose words must not be read separately. */
export function claimUnread(sentence: Sentence): void {
  for (const regex of [FRACTION, COUNTS]) {
    for (const match of sentence.plain.matchAll(regex)) {
      const found = sentence.freeWordsIn(match.index, match.index + match[0].length);
      if (found !== null) sentence.claim(...found, "unread");
    }
  }
  for (let index = 0; index < sentence.words.length; index += 1) {
    const name = namedAt(sentence, index, (key) => (isLexical(key) || isTypeName(key) ? { key } : undefined));
    if (name === null) continue;
    if (unreadNames.has(name.meaning.key)) sentence.claim(index, name.last, "unread");
    index = name.last;
  }
}

export function readNames(sentence: Sentence, scope: TypeScope) {
  const categoryIds: number[] = [];
  const brandIds: number[] = [];
  const conditionIds = new Set<number>();
  let colourName: ColourName | null = null;
  let isBrandSaid: boolean = false;
  for (let index = 0; index < sentence.words.length; index += 1) {
    const word = sentence.words[index]?.folded ?? "";
    const struck =
      isStruck(sentence, index) && sentence.isFree(index) ? claimNegation(sentence, index, scope) : null;
    if (struck !== null) {
      index = struck;
      continue;
    }
    const name: FoundName<Meaning> | null = sentence.isFree(index)
      ? nameAt(sentence, index, scope, isBrandSaid)
      : null;
    if (name === null) {
      isBrandSaid =
        word === "marque" || word === "marques" || (isBrandSaid && ["et", "ou", "la", "les"].includes(word));
      if (sentence.isFree(index)) index = claimNegation(sentence, index, scope) ?? index;
      continue;
    }
    const { kind, ids }: Meaning = name.meaning;
    const claim: Claim =
      name.meaning.colourName !== undefined && colourName !== null ? "unread" : CLAIMS[kind];
    const [first, last] = kind === "condition" ? widened(sentence, index, name.last) : [index, name.last];
    sentence.claim(first, last, claim);
    if (kind === "types") categoryIds.push(...ids);
    if (kind === "brand") brandIds.push(...ids);
    if (kind === "condition")
      for (const id of isLeast(sentence, first, last) ? andBetter(ids) : ids) conditionIds.add(id);
    colourName ??= name.meaning.colourName ?? null;
    isBrandSaid &&= kind === "brand";
    index = last;
  }
  return {
    categoryIds: onceEach(categoryIds),
    brandIds: onceEach(brandIds),
    conditionIds: conditions.map(({ id }) => id).filter((id) => conditionIds.has(id)),
    colourName,
  };
}

const CLAIMS: Readonly<Record<Meaning["kind"], Claim>> = {
  types: "types",
  condition: "status",
  colour: "color",
  shade: "unread",
  brand: "brands",
};

const LEAST_AFTER =
  /^ *(?:minimum|mini|min|au moins|ou mieux|et mieux|ou plus|et plus|au minimum)(?![\p{L}\p{N}])/u;
const LEAST_BEFORE = /(?:^|[^\p{L}\p{N}])(?:minimum|au moins|a partir de|au minimum)(?: en| un)? $/u;

/** Extends a condition by words that make it a minimum: 'bon état minimum', 'au moins bon état'. */
function widened(sentence: Sentence, first: number, last: number): readonly [number, number] {
  const { plain, words } = sentence;
  const start = words[first]?.start ?? 0;
  const end = words[last]?.end ?? 0;
  const after = LEAST_AFTER.exec(plain.slice(end));
  if (after !== null) return sentence.freeWordsIn(start, end + after[0].length) ?? [first, last];
  const before = LEAST_BEFORE.exec(plain.slice(0, start));
  return before === null ? [first, last] : (sentence.freeWordsIn(before.index + 1, end) ?? [first, last]);
}

function isLeast(sentence: Sentence, first: number, last: number): boolean {
  return /(?:min(?:i|imum)?|au moins|mieux|plus|a partir de)(?![\p{L}\p{N}])/u.test(
    sentence.plain.slice(sentence.words[first]?.start, sentence.words[last]?.end),
  );
}

function andBetter(ids: readonly number[]): readonly number[] {
  const worst = conditions.findLastIndex(({ id }) => ids.includes(id));
  return conditions.slice(0, worst + 1).map(({ id }) => id);
}

export function onceEach<Value>(values: readonly Value[]): readonly Value[] {
  return [...new Set(values)];
}
