/** Presents what a French sentence says about a filter. */
import { readSentence } from "#catalogue/sentence/read-sentence.ts";
import { MAX_ALL_WORDS, MAX_ALTERNATIVES, MAX_WORD_LENGTH, MAX_WORDS } from "#contract/bounds.ts";
import type { Phrase } from "#contract/filtres/phrase.ts";
import { presentSelections, presentWords } from "./filtre.ts";

const WORD_BOUNDS = {
  wordLength: MAX_WORD_LENGTH,
  words: MAX_WORDS,
  alternatives: MAX_ALTERNATIVES,
  allAlternatives: MAX_ALL_WORDS,
};

/** Only the fields that the sentence names; the rest of it is in `reste`. */
export function presentPhrase(text: string): Phrase {
  const read = readSentence(text, WORD_BOUNDS);
  const { limitEur, floorEur, includeWords, excludeWords } = read;
  const { types, brands, sizes, status, color } = presentSelections({
    ...read,
    priceCapEur: limitEur ?? 0,
    bargainPercent: null,
  });
  return {
    filtre: {
      ...(types.ids.length === 0 ? {} : { types }),
      ...(brands.ids.length === 0 ? {} : { brands }),
      ...(sizes.ids.length === 0 ? {} : { sizes }),
      ...(status.ids.length === 0 ? {} : { status }),
      ...(color === "" ? {} : { color }),
      ...(limitEur === null ? {} : { limit: limitEur }),
      ...(floorEur === null ? {} : { limit_min: floorEur }),
      ...(includeWords.length === 0 ? {} : { mots: presentWords(includeWords) }),
      ...(excludeWords.length === 0 ? {} : { exclure: presentWords(excludeWords) }),
    },
    compris: read.understood.map(({ text: texte, field: champ }) => ({ texte, champ })),
    reste: [...read.rest],
  };
}
