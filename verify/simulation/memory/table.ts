/**
 * Tables in memory with transactions that are wholly done or wholly undone. Nothing here waits: a transaction is
 * one synchronous piece of work, so that none can come between another's reads and its writes.
 */
export class Database {
  #undo: (() => void)[] | null = null;

  table<Key, Row>(): Table<Key, Row> {
    return new Table<Key, Row>((undo) => this.#undo?.push(undo));
  }

  /** Whatever the work throws, nothing of it stands. */
  transaction<Result>(work: () => Result): Result {
    if (this.#undo !== null) return work();
    const undo: (() => void)[] = [];
    this.#undo = undo;
    try {
      return work();
    } catch (error) {
      for (const step of undo.reverse()) step();
      throw error;
    } finally {
      this.#undo = null;
    }
  }
}

/** Rows by their primary key, in the order in which they came. A row is never changed in place. */
export class Table<Key, Row> {
  readonly #rows = new Map<Key, Row>();
  readonly #noteUndo: (undo: () => void) => void;
  /** Grows with every change: whoever keeps something derived from the rows sees that it is old. */
  version = 0;

  constructor(noteUndo: (undo: () => void) => void) {
    this.#noteUndo = noteUndo;
  }

  get size(): number {
    return this.#rows.size;
  }

  get(key: Key): Row | undefined {
    return this.#rows.get(key);
  }

  put(key: Key, row: Row): void {
    const before = this.#rows.get(key);
    this.#noteUndo(() => (before === undefined ? this.#rows.delete(key) : this.#rows.set(key, before)));
    this.#rows.set(key, row);
    this.version += 1;
  }

  remove(key: Key): void {
    const before = this.#rows.get(key);
    if (before === undefined) return;
    this.#noteUndo(() => this.#rows.set(key, before));
    this.#rows.delete(key);
    this.version += 1;
  }

  entries(): MapIterator<[Key, Row]> {
    return this.#rows.entries();
  }

  rows(): MapIterator<Row> {
    return this.#rows.values();
  }
}

/** What a database answers to a row that its constraints do not allow. */
export class ConstraintViolated extends Error {
  override readonly name = "ConstraintViolated";
}
