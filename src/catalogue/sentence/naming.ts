/** Finds names of types, conditions, colours and brands at a word, the longest first. */
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

/** A shade is a colour. */
export type NameKind = Exclude<Meaning["kind"], "shade">;

/** Null: no name, but any other word. */
export function kindOf(name: FoundName<Meaning> | null): NameKind | null {
  const kind = name?.meaning.kind ?? null;
  return kind === "shade" ? "colour" : kind;
}

/** The longest name at a word; ties: type, condition, colour, brand. */
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

/** Whether a word is the fabric of the type before it: 'jupe en jean', 'minijupe jean'. */
function isFabricAt({ words, claimOf }: Sentence, index: number): boolean {
  const word = words[index];
  if (word === undefined || !fabrics.has(nameKey(word.folded))) return false;
  return words[index - 1]?.folded === "en" || (claimOf(index - 1) === "types" && word.gap.trim() === "");
}

/** Whether a word is understood or skipped, so that it may follow a price without currency. */
export function isKnown(sentence: Sentence, index: number, scope: TypeScope): boolean {
  if (sentence.claimOf(index) !== null && sentence.claimOf(index) !== "unread") return true;
  return isSkipped(sentence, index) || nameAt(sentence, index, scope) !== null;
}

/** The longest name at a word, with its own accents or with none: 'rosé' is not 'rose'. */
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

/** Whether the key is a multi-word name of the lexicon, whose words are not read separately. */
export function isLexical(key: string): boolean {
  return (
    key.includes(" ") &&
    (unreadNames.has(key) || typeSynonyms.has(key) || coloursByName.has(key) || conditionsByName.has(key))
  );
}

/** Whether a word has no meaning; a letter only if it is elided, so that size 'M' is not skipped. */
export function isSkipped({ words, text }: Sentence, index: number): boolean {
  const { folded = "", end = 0 } = words[index] ?? {};
  return skippedWords.has(folded) && (!/^[b-xz]$/u.test(folded) || text.charAt(end) === "'");
}
