/**
 * Words as keys. A filter that requires words is stored under one word of every alternative of one group, which together
 * have the fewest filters. Words are numbered while any filter is stored under them; 0 is none.
 */
import type { FilterSpec } from "../compile-filter.ts";
import { grownTwice } from "./filter-keys.ts";

interface KeyWord {
  readonly text: string;
  /** Number of filters stored under it. */
  uses: number;
}

export class KeyWords {
  /** The id of each word: numbers, since a match looks up every word of a title and needs nothing else. */
  readonly #ids = new Map<string, number>();
  readonly #byId: (KeyWord | undefined)[] = [undefined];
  readonly #freeIds: number[] = [];
  /** The current title's words, those without filters left out; `count` of them. */
  inTitle = new Int32Array(16);
  count = 0;

  /** Chooses and counts the words under which a filter is stored: a title that holds the group holds one of them. */
  take(groups: readonly (readonly string[])[]): readonly number[] {
    const choices = groups.map((group) => [...new Set(group.map((phrase) => this.#rarestIn(phrase)))]);
    const usesOf = (words: readonly string[]): number =>
      words.reduce((sum, word) => sum + this.#usesOf(word), words.length);
    const [first = [], ...others] = choices;
    const rarest = others.reduce((best, words) => (usesOf(words) < usesOf(best) ? words : best), first);
    return rarest.map((word) => this.#takeOne(word));
  }

  release(ids: readonly number[]): void {
    for (const id of ids) {
      const known = this.#byId[id];
      if (known === undefined) continue;
      known.uses -= 1;
      if (known.uses > 0) continue;
      this.#ids.delete(known.text);
      this.#byId[id] = undefined;
      this.#freeIds.push(id);
    }
    // An index without words numbers them from 1 again, so that equal filters have equal keys.
    if (this.#ids.size > 0) return;
    this.#byId.length = 1;
    this.#freeIds.length = 0;
  }

  readTitle(titleWords: readonly string[]): void {
    this.count = 0;
    if (this.#ids.size === 0) return;
    for (let index = 0; index < titleWords.length; index += 1) {
      const id = this.#ids.get(titleWords[index] ?? "");
      if (id === undefined) continue;
      if (this.count === this.inTitle.length) this.inTitle = grownTwice(this.inTitle);
      this.inTitle[this.count] = id;
      this.count += 1;
    }
  }

  isInTitle(word: number): boolean {
    for (let index = 0; index < this.count; index += 1) if (this.inTitle[index] === word) return true;
    return false;
  }

  /** @param paddedPhrase a title contains it only if it contains each of its words */
  #rarestIn(paddedPhrase: string): string {
    const words = paddedPhrase.trim().split(" ");
    return words.reduce((best, word) => (this.#usesOf(word) < this.#usesOf(best) ? word : best));
  }

  #usesOf(word: string): number {
    return this.#byId[this.#ids.get(word) ?? 0]?.uses ?? 0;
  }

  #takeOne(text: string): number {
    const id = this.#ids.get(text) ?? this.#freeIds.pop() ?? this.#byId.length;
    const known = this.#byId[id];
    if (known === undefined) {
      this.#ids.set(text, id);
      this.#byId[id] = { text, uses: 1 };
    } else known.uses += 1;
    return id;
  }
}

/** The filter without the words that its key words decide: one group of single words. */
export function besideKeyWords(spec: FilterSpec): FilterSpec {
  const [group, ...others] = spec.includeWords;
  const isDecided = group?.every((padded) => !padded.trim().includes(" ")) ?? false;
  return isDecided && others.length === 0 ? { ...spec, includeWords: [] } : spec;
}
