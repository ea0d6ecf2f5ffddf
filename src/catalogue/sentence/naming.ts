/** What names at a word mean: types, conditions, colours and brands, the longest first. */
import type { ColourName } from "../colours.ts";
import { brandAt } from "./brand-names.ts";
import {
  accentedNames,
  coloursByName,
  conditionsByName,
  fabrics,
  shades,
  skippedWords,
  typeSynonyms,
  unreadNames,
  writtenNames,
} from "./lexicon.ts";
import { isTypeLabel, typesNamed, type TypeScope } from "./type-names.ts";
import { longestName, nameKey, type FoundName, type Sentence } from "./words.ts";

export interface Meaning {
  readonly kind: "types" | "condition" | "colour" | "shade" | "brand";
  readonly ids: readonly number[];
  readonly colourName?: ColourName;
}

/** The longest name at a word; of equally long ones a type, then a condition, a colour, a brand. */
export function nameAt(
  sentence: Sentence,
  index: number,
  scope: TypeScope,
  isBrandSaid = false,
): FoundName<Meaning> | null {
  const isFabric = isFabricAt(sentence, index);
  const name = namedAt(sentence, index, (key): Meaning | undefined => {
    const types = typesNamed(key, scope);
    if (types !== undefined && !isFabric) return { kind: "types", ids: types };
    const conditionIds = conditionsByName.get(key);
    if (conditionIds !== undefined) return { kind: "condition", ids: conditionIds };
    const colourName = coloursByName.get(key);
    return colourName === undefined ? undefined : { kind: "colour", ids: [], colourName };
  });
  const brand = brandAt(sentence, index, isBrandSaid);
  if (brand !== null && (name === null || isBrandSaid || brand.last > name.last))
    return { last: brand.last, meaning: { kind: "brand", ids: [brand.meaning] } };
  if (name?.meaning.kind !== "colour") return name;
  const shadeIndex = name.last + 1;
  const shade = sentence.words[shadeIndex];
  const isShaded =
    shade !== undefined &&
    sentence.isFree(shadeIndex) &&
    /^[ -]*$/u.test(shade.gap) &&
    shades.has(nameKey(shade.folded));
  return isShaded ? { last: shadeIndex, meaning: { kind: "shade", ids: [] } } : name;
}

/** 'jupe en jean', 'minijupe jean': what the type before is made of. */
function isFabricAt({ words, claimOf }: Sentence, index: number): boolean {
  const word = words[index];
  if (word === undefined || !fabrics.has(nameKey(word.folded))) return false;
  return words[index - 1]?.folded === "en" || (claimOf(index - 1) === "types" && word.gap.trim() === "");
}

/** Whether a price without currency can stand before these words. */
export function isKnown(sentence: Sentence, index: number, scope: TypeScope): boolean {
  if (sentence.claimOf(index) !== null && sentence.claimOf(index) !== "unread") return true;
  return isSkipped(sentence, index) || nameAt(sentence, index, scope) !== null;
}

/** The longest name at a word, written with its own accents or with none: 'rosé' is not 'rose'. */
export function namedAt<Meaning>(
  sentence: Sentence,
  index: number,
  meaningOf: (key: string) => Meaning | undefined,
): FoundName<Meaning> | null {
  return longestName(sentence, index, (key, written) => {
    const isWritten =
      written === key ? !accentedNames.has(key) : writtenNames.has(written) || isTypeLabel(written);
    return isWritten ? meaningOf(key) : undefined;
  });
}

/** A name of the lexicon of more than one word, whose words are not looked at alone. */
export function isLexical(key: string): boolean {
  return (
    key.includes(" ") &&
    (unreadNames.has(key) || typeSynonyms.has(key) || coloursByName.has(key) || conditionsByName.has(key))
  );
}

/** Whether a word says nothing: a letter only where it is elided, so that the 'M' of a size stays in sight. */
export function isSkipped({ words, text }: Sentence, index: number): boolean {
  const { folded = "", end = 0 } = words[index] ?? {};
  return skippedWords.has(folded) && (!/^[b-xz]$/u.test(folded) || text.charAt(end) === "'");
}
