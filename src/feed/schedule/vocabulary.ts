/**
 * Naive Bayes classifier over the words of listings: learns from listings whose slice is proven, estimates
 * the slice of others. An estimate only affects the order of reading. Pure.
 */
export interface Guess {
  readonly place: string;
  readonly probability: number;
}

interface Words {
  readonly countByWord: Map<string, number>;
  listings: number;
}

/** Further listings of one place do not improve the estimate. */
const MAX_LISTINGS_PER_PLACE = 300;

/** Upper bound of pairs of word and place, about 100 bytes each. */
const MAX_PAIRS = 400_000;

/** Pseudo-count of a word that was never seen in a place. */
const UNMET = 0.05;

/** Exponent that lowers the weight of each word, because the words of a title are not independent. */
const INDEPENDENCE = 0.6;

/** Prior share of listings in no known place. */
const ELSEWHERE = 0.1;

/** More guesses find nothing sooner (measured: npm run bench -- feed), and each one costs a match. */
const MAX_GUESSES = 8;
const LEAST_PROBABILITY = 0.001;

export class Vocabulary {
  readonly #places = new Map<string, Words>();
  readonly #placesByWord = new Map<string, Set<string>>();
  #pairs = 0;

  learn(place: string, words: Iterable<string>): void {
    const known = this.#places.get(place) ?? { countByWord: new Map<string, number>(), listings: 0 };
    if (known.listings >= MAX_LISTINGS_PER_PLACE) return;
    this.#places.set(place, known);
    known.listings += 1;
    for (const word of new Set(words)) this.#count(place, known, word);
  }

  forget(place: string): void {
    for (const word of this.#places.get(place)?.countByWord.keys() ?? []) {
      const places = this.#placesByWord.get(word);
      places?.delete(place);
      if (places?.size === 0) this.#placesByWord.delete(word);
      this.#pairs -= 1;
    }
    this.#places.delete(place);
  }

  knownPlaces(): Iterable<string> {
    return this.#places.keys();
  }

  /**
   * Most likely first. Cost: one step for each place in which any of the words was seen.
   * @param rateOf arrivals of a place; null for a place that is not a candidate. Candidates are mutually exclusive.
   */
  guess(words: Iterable<string>, rateOf: (place: string) => number | null): readonly Guess[] {
    const all = [...new Set(words)].filter((word) => this.#placesByWord.has(word));
    const candidates = new Set(all.flatMap((word) => [...(this.#placesByWord.get(word) ?? [])]));
    const scored: { place: string; score: number }[] = [];
    for (const place of candidates) {
      const rate = rateOf(place);
      const known = this.#places.get(place);
      if (rate === null || known === undefined) continue;
      scored.push({ place, score: rate * likelihood(known, all) });
    }
    const total = scored.reduce((sum, { score }) => sum + score, 0);
    return scored
      .map(({ place, score }) => ({ place, probability: (score / total) * (1 - ELSEWHERE) }))
      .filter(({ probability }) => probability >= LEAST_PROBABILITY)
      .toSorted((one, other) => other.probability - one.probability)
      .slice(0, MAX_GUESSES);
  }

  #count(place: string, { countByWord }: Words, word: string): void {
    const count = countByWord.get(word) ?? 0;
    if (count === 0) {
      if (this.#pairs >= MAX_PAIRS) return;
      this.#pairs += 1;
      const places = this.#placesByWord.get(word);
      if (places === undefined) this.#placesByWord.set(word, new Set([place]));
      else places.add(place);
    }
    countByWord.set(word, count + 1);
  }
}

function likelihood({ countByWord, listings }: Words, words: readonly string[]): number {
  const log = words.reduce(
    (sum, word) => sum + Math.log(((countByWord.get(word) ?? 0) + UNMET) / (listings + 1)),
    0,
  );
  return Math.exp(INDEPENDENCE * log);
}
