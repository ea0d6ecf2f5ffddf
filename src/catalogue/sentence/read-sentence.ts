/**
 * Reads a filter from a buyer's sentence: 'robe Zara noire taille M, moins de 20 €'. Longest names first;
 * each word is read once. Nothing is guessed: what catalogues and lexicon lack stays in `rest`. Pure.
 */
import type { ColourName } from "../colours.ts";
import { foldText } from "../fold-text.ts";
import { isKnown, isSkipped } from "./naming.ts";
import { claimRefused } from "./negations.ts";
import { readPrices } from "./prices.ts";
import { claimUnread, readBranches, readNames } from "./read-names.ts";
import { readSizes } from "./sizes.ts";
import { readExclusions, readQuotes, type WordBounds } from "./title-words.ts";
import { branchTypes, scopeOf } from "./type-names.ts";
import { createSentence, type Claimed, type Sentence, type SentenceField } from "./words.ts";

/** Only what the sentence names; otherwise an empty list, null or "". */
export interface ReadSentence {
  readonly categoryIds: readonly number[];
  readonly brandIds: readonly number[];
  readonly sizeIds: readonly number[];
  /** Best first. */
  readonly conditionIds: readonly number[];
  readonly colourName: ColourName | null;
  readonly limitEur: number | null;
  readonly floorEur: number | null;
  readonly includeWords: readonly string[];
  readonly excludeWords: readonly string[];
  /** The understood parts, in the order of the sentence; one that sets two fields is there twice. */
  readonly understood: readonly { readonly text: string; readonly field: SentenceField }[];
  /** The other parts, in the order of the sentence, without words that have no meaning. */
  readonly rest: readonly string[];
}

export function readSentence(text: string, bounds: WordBounds): ReadSentence {
  const sentence = createSentence(text);
  const words = readQuotes(sentence, bounds);
  claimRefused(sentence);
  const branchIds = readBranches(sentence);
  claimUnread(sentence);
  const scope = scopeOf(branchIds);
  const { limitEur, floorEur } = readPrices(sentence, (index) => isKnown(sentence, index, scope));
  const excluded = readExclusions(sentence, scope, words.excluded, bounds);
  const names = readNames(sentence, scope);
  const categoryIds = names.categoryIds.length > 0 ? names.categoryIds : branchTypes(branchIds);
  const sizeIds = readSizes(sentence, categoryIds, (index) => sentence.claimOf(index) === "types");
  return {
    ...names,
    categoryIds,
    sizeIds,
    limitEur,
    floorEur,
    includeWords: words.included,
    excludeWords: excluded,
    understood: understoodIn(sentence),
    rest: restOf(sentence),
  };
}

function understoodIn({ claims, textOf }: Sentence): ReadSentence["understood"] {
  const isWithinAnother = (one: Claimed) =>
    one.claim === "branch" &&
    claims.some(({ first, last, claim }) => claim !== "branch" && first <= one.first && last >= one.last);
  return claims
    .filter((one) => !isWithinAnother(one))
    .flatMap(({ first, last, claim }) =>
      claim === "unread" ? [] : [{ first, last, field: claim === "branch" ? ("types" as const) : claim }],
    )
    .toSorted((one, other) => one.first - other.first)
    .map(({ first, last, field }) => ({ text: textOf(first, last), field }))
    .filter(
      (one, index, all) =>
        all.findIndex(({ text, field }) => text === one.text && field === one.field) === index,
    );
}

/** Unread names as a whole, and every other word with a meaning. */
function restOf(sentence: Sentence): readonly string[] {
  const whole = sentence.claims.filter(({ claim }) => claim === "unread");
  const words = sentence.words.flatMap(({ folded }, index) =>
    sentence.isFree(index) && !isSkipped(sentence, index) && foldText(folded) !== ""
      ? [{ first: index, last: index }]
      : [],
  );
  return [...whole, ...words]
    .toSorted((one, other) => one.first - other.first)
    .map(({ first, last }) => sentence.textOf(first, last));
}
