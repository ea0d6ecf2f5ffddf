/**
 * Words as keys. A filter that requires words is stored under one word of each alternative of the group whose
 * words have the fewest filters. Words are numbered while any filter is stored under them; 0 means none.
 */
import type { FilterSpec } from "../compile-filter.ts";
import { grownTwice } from "./filter-keys.ts";

interface KeyWord {
  readonly text: string;
  /** Number of filters stored under it. */
  uses: number;
}

export class KeyWords {
  /** The id of each word; plain numbers, because a match looks up every word of a title. */
  readonly #ids = new Map<string, number>();
  readonly #byId: (KeyWord | undefined)[] = [undefined];
  readonly #freeIds: number[] = [];
  /** The current title's words that have filters; `count` of them. */
  inTitle = new Int32Array(16);
  count = 0;

  /** Chooses and counts a filter's key words: a title that satisfies the group contains at least one. */
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
    // An index without words restarts at 1, so that equal filters have equal keys.
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

/** The filter without its required words if the key words decide them: one group of single words. */
export function besideKeyWords(spec: FilterSpec): FilterSpec {
  const [group, ...others] = spec.includeWords;
  const isDecided = group?.every((padded) => !padded.trim().includes(" ")) ?? false;
  return isDecided && others.length === 0 ? { ...spec, includeWords: [] } : spec;
}
