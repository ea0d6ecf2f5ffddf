/**
 * Words that stand as keys for filters which ask for nothing but words. Few filters ask for just one word, so each
 * is kept under the word that the fewest others are kept under.
 */
export class KeyWords {
  readonly #words = new Map<string, { readonly id: number; uses: number }>();
  readonly #freeIds: number[] = [];
  #nextId = 1;

  /** 0 for a word under which no filter is kept. */
  idOf(word: string): number {
    return this.#words.get(word)?.id ?? 0;
  }

  get isEmpty(): boolean {
    return this.#words.size === 0;
  }

  /**
   * The least used word of a filter's phrases.
   * @param phrases folded, at least one; a phrase stands in a title only when each of its words does
   */
  rarest(phrases: readonly string[]): string {
    const words = phrases.flatMap((phrase) => phrase.split(" "));
    const usesOf = (word: string): number => this.#words.get(word)?.uses ?? 0;
    return words.reduce((best, word) => (usesOf(word) < usesOf(best) ? word : best));
  }

  take(word: string): number {
    const known = this.#words.get(word);
    if (known !== undefined) {
      known.uses += 1;
      return known.id;
    }
    const id = this.#freeIds.pop() ?? this.#nextId;
    if (id === this.#nextId) this.#nextId += 1;
    this.#words.set(word, { id, uses: 1 });
    return id;
  }

  release(word: string): void {
    const known = this.#words.get(word);
    if (known === undefined) return;
    known.uses -= 1;
    if (known.uses > 0) return;
    this.#words.delete(word);
    this.#freeIds.push(known.id);
  }
}
