/**
 * Small consecutive numbers, from 1, for the ids of one dimension; 0 is left for "any". Ids are never forgotten:
 * the catalogue bounds them.
 */
export class Interner {
  readonly #numbers = new Map<number, number>();
  readonly #limit: number;

  /** @param limit the greatest number that may be given out */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The number of an id, a new one at the first call. Throws a RangeError when there are too many ids. */
  intern(id: number): number {
    const known = this.#numbers.get(id);
    if (known !== undefined) return known;
    const number = this.#numbers.size + 1;
    if (number > this.#limit) throw new RangeError(`more than ${this.#limit} ids in one dimension`);
    this.#numbers.set(id, number);
    return number;
  }

  /** 0 for an id that no filter ever named. */
  numberOf(id: number): number {
    return this.#numbers.get(id) ?? 0;
  }
}
