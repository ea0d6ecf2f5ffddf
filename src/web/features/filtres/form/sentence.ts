/** Converts a parsed sentence to changes of the form. Pure. */
import { MAX_LIMIT_EUR, MAX_SENTENCE_LENGTH, MAX_TAG_LENGTH } from "#contract/bounds.ts";
import type { Phrase } from "#contract/filtres/phrase.ts";
import { beginningOf, wordsOf, type FiltreDraft } from "./draft.ts";

/** Only the fields that the sentence names; the sentence becomes the tag if that is empty. */
export function changesOf({ filtre }: Phrase, sentence: string, draft: FiltreDraft): Partial<FiltreDraft> {
  const { types, brands, sizes, status, color, limit, limit_min, mots, exclure } = filtre;
  return {
    ...(draft.tag.trim() === "" ? { tag: tagOf(sentence) } : {}),
    ...(types === undefined ? {} : { typeIds: types.ids }),
    ...(brands === undefined ? {} : { brandIds: brands.ids }),
    ...(sizes === undefined ? {} : { sizeIds: sizes.ids }),
    ...(status === undefined ? {} : { conditionIds: status.ids }),
    ...(color === undefined ? {} : { color }),
    ...(limit === undefined ? {} : { limitText: String(limit) }),
    ...(limit_min === undefined ? {} : { floorText: String(Math.min(limit_min, MAX_LIMIT_EUR)) }),
    ...(mots === undefined ? {} : { wordsText: mots.join(", ") }),
    ...(exclure === undefined ? {} : { excludedText: exclure.join(", ") }),
  };
}

/** Truncates at a word boundary if there is one in the second half. */
function tagOf(sentence: string): string {
  const text = sentence.trim().replaceAll(/\s+/gu, " ");
  if (text.length <= MAX_TAG_LENGTH) return text;
  const cut = text.slice(0, MAX_TAG_LENGTH + 1);
  const end = cut.lastIndexOf(" ");
  return (end > MAX_TAG_LENGTH / 2 ? cut.slice(0, end) : beginningOf(text, MAX_TAG_LENGTH)).trimEnd();
}

/** Adds a part that was not understood to the words that the title must contain. */
export function withTitleWord(wordsText: string, part: string): string {
  // A comma would start another word, a `|` an alternative.
  const word = part.replaceAll(/[,|]/gu, " ");
  return [...new Set([...wordsOf(wordsText), ...wordsOf(word)])].join(", ");
}

/** Why a text cannot be sent as a sentence; undefined if it can. */
export function sentenceProblem(text: string): string | undefined {
  return text.trim().length > MAX_SENTENCE_LENGTH
    ? `Une phrase de ${MAX_SENTENCE_LENGTH} caractères au plus.`
    : undefined;
}
