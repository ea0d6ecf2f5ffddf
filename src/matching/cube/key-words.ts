/**
 * Words as keys. A filter that requires words is stored under one word of every alternative of one group, which together
 * have the fewest filters. A word's number is its hash, so words may share one: whatever is found under a word is tested
 * on the filter itself.
 */
import { grownTwice } from "./filter-keys.ts";

const NUMBER_BITS = 16;

export class KeyWords {
  /** Number of filters stored under each word number. */
  readonly #uses = new Int32Array(1 << NUMBER_BITS);
  #useCount = 0;
  /** The numbers of the current title's words, each once, those without filters left out; `count` of them. */
  inTitle = new Int32Array(16);
  count = 0;

  /** The words under which a filter is stored, each once: a title that holds the group holds one of them. */
  rarestOf(groups: readonly (readonly string[])[]): readonly number[] {
    const choices = groups.map((group) => [...new Set(group.map((phrase) => this.#rarestIn(phrase)))]);
    const usesOf = (words: readonly number[]): number =>
      words.reduce((sum, word) => sum + this.#usesOf(word), words.length);
    const [first = [], ...others] = choices;
    return others.reduce((best, words) => (usesOf(words) < usesOf(best) ? words : best), first);
  }

  /** @param paddedPhrase a title contains it only if it contains each of its words */
  #rarestIn(paddedPhrase: string): number {
    const words = paddedPhrase.trim().split(" ").map(wordNumberOf);
    return words.reduce((best, word) => (this.#usesOf(word) < this.#usesOf(best) ? word : best));
  }

  #usesOf(word: number): number {
    return this.#uses[word] ?? 0;
  }

  /** Counts a filter that is stored under these words from now on, or no longer. */
  note(keyWords: readonly number[], change: 1 | -1): void {
    for (const word of keyWords) this.#uses[word] = this.#usesOf(word) + change;
    this.#useCount += keyWords.length * change;
  }

  readTitle(titleWords: readonly string[]): void {
    this.count = 0;
    if (this.#useCount === 0) return;
    for (let index = 0; index < titleWords.length; index += 1) {
      const word = wordNumberOf(titleWords[index] ?? "");
      if (this.#usesOf(word) === 0 || this.isInTitle(word)) continue;
      if (this.count === this.inTitle.length) this.inTitle = grownTwice(this.inTitle);
      this.inTitle[this.count] = word;
      this.count += 1;
    }
  }

  isInTitle(word: number): boolean {
    for (let index = 0; index < this.count; index += 1) if (this.inTitle[index] === word) return true;
    return false;
  }
}

/** From 1: FNV-1a, folded to the bits of a key's size. */
export function wordNumberOf(word: string): number {
  let hash = 0x811c_9dc5;
  for (let index = 0; index < word.length; index += 1)
    hash = Math.imul(hash ^ word.charCodeAt(index), 0x0100_0193);
  const number = (hash ^ (hash >>> NUMBER_BITS)) & ((1 << NUMBER_BITS) - 1);
  return number === 0 ? 1 : number;
}
