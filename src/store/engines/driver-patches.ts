import type { Client, PoolClient } from "pg";

/** As the `query` of a client or of a pool is called: a text or an object, perhaps parameters, perhaps a callback. */
export type Statement = readonly unknown[];

/** A statement in an object of its own, and not one that submits itself. */
export function hasText(asked: unknown): asked is { readonly text: string } {
  if (typeof asked !== "object" || asked === null || "submit" in asked) return false;
  return "text" in asked && typeof asked.text === "string";
}

/** Null: with a callback, or no plain statement. */
export function statementText(statement: Statement): string | null {
  if (statement.some((part) => typeof part === "function")) return null;
  const [first] = statement;
  if (typeof first === "string") return first;
  return hasText(first) ? first.text : null;
}

/** The words that end a transaction. */
export const ENDING = /^(?:commit|rollback)$/;

/** Its overloads cannot be written down again, hence the unknowns. */
export function query(asked: object, statement: Statement): unknown {
  return call(Reflect.get(asked, "query"), asked, statement);
}

/** From now on its statements go through `pass`. */
export function interceptQuery(
  asked: object,
  pass: (statement: Statement, send: (statement: Statement) => unknown) => unknown,
): void {
  const sending: unknown = Reflect.get(asked, "query");
  Object.defineProperty(asked, "query", {
    value: (...statement: Statement): unknown => pass(statement, (passed) => call(sending, asked, passed)),
    configurable: true,
  });
}

function call(method: unknown, asked: object, statement: Statement): unknown {
  if (typeof method !== "function") throw new TypeError("what is asked cannot be asked");
  return Reflect.apply(method, asked, statement);
}

/**
 * Batches a connection's writes of one event-loop tick into one packet: each write wakes the server's process, which
 * costs more than the execution of a statement as short as BEGIN. No statement waits beyond the end of the tick.
 */
export function writeOnceATurn(client: Client): void {
  const { stream } = client.connection;
  let isHeld = false;
  interceptQuery(client, (statement, send) => {
    if (!isHeld) {
      isHeld = true;
      stream.cork();
      process.nextTick(() => {
        isHeld = false;
        stream.uncork();
      });
    }
    return send(statement);
  });
}

/**
 * The answers to BEGIN and to a transaction's lock are not used, so both are pipelined with the first read after them,
 * which saves a transaction two round trips. The server still executes them in order, each with its own snapshot: a
 * read after a lock sees the data that the lock protects.
 */
const OPENING = /^(?:begin$|select pg_advisory_xact_lock)/;
/** Outside of the transaction that it was meant for, it changes nothing. */
const READ = /^select\b/;

/** For a client in pipeline mode. A failed opening rejects the next statement, which was sent only if it is a read. */
export function openEarly(client: PoolClient): void {
  const transactions = new Transactions();
  interceptQuery(client, (statement, send) => {
    const text = statementText(statement);
    if (text === null) return send(statement);
    return transactions.ask(text, () => Promise.resolve(send(statement)));
  });
}

/** The transactions of one connection, one after the other. */
class Transactions {
  /** The current transaction's unanswered opening statements; null when there are none. */
  #openings: Promise<unknown> | null = null;

  async ask(text: string, send: () => Promise<unknown>): Promise<unknown> {
    if (OPENING.test(text)) return this.#open(text, send());
    const openings = this.#openings;
    if (ENDING.test(text)) this.#openings = null;
    if (openings === null || text === "rollback") return await send();
    if (!READ.test(text)) {
      await openings;
      return await send();
    }
    const reading = send();
    // After a failed opening the read fails too, with a generic error: the opening's own error is the one to report.
    reading.catch(() => undefined);
    await openings;
    return await reading;
  }

  #open(text: string, sent: Promise<unknown>): object {
    const openings = text === "begin" ? sent : Promise.all([this.#openings, sent]);
    this.#openings = openings;
    openings.then(
      () => {
        if (this.#openings === openings) this.#openings = null;
      },
      // The next statement reports the failure.
      () => undefined,
    );
    return { rows: [] };
  }
}

/** More than the product's distinct statements; each takes some kilobytes in every connection's server process. */
const MAX_NAMED = 250;
/** How many statements seen once are remembered, so that a second use is recognised. */
const MAX_HEARD_ONCE = 1_000;

/**
 * Names for repeated statements, so that a server parses and plans them once per connection instead of at every use.
 * drizzle-orm generates the same text for the same query.
 */
export class RepeatedStatements {
  readonly #nameOf = new Map<string, string>();
  readonly #heardOnce = new Set<string>();

  /** Null: not known to come again. */
  nameOf(text: string): string | null {
    const known = this.#nameOf.get(text);
    if (known !== undefined) return known;
    if (this.#nameOf.size >= MAX_NAMED) return null;
    if (!this.#heardOnce.delete(text)) {
      this.#hearFirst(text);
      return null;
    }
    const name = `s${this.#nameOf.size + 1}`;
    this.#nameOf.set(text, name);
    return name;
  }

  #hearFirst(text: string): void {
    this.#heardOnce.add(text);
    if (this.#heardOnce.size <= MAX_HEARD_ONCE) return;
    for (const longestAgo of this.#heardOnce) {
      this.#heardOnce.delete(longestAgo);
      return;
    }
  }
}

/** From now on the connection's statements with parameters go out under their names. */
export function nameStatements(client: PoolClient, statements: RepeatedStatements): void {
  interceptQuery(client, ([statement, ...others], send) =>
    send([named(statement, others, statements), ...others]),
  );
}

function named(statement: unknown, others: readonly unknown[], statements: RepeatedStatements): unknown {
  const [values] = others;
  if (!Array.isArray(values) || values.length === 0) return statement;
  if (!hasText(statement)) return statement;
  const name = statements.nameOf(statement.text);
  return name === null ? statement : { ...statement, name };
}
