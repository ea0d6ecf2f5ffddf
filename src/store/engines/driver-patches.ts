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
 * What is asked of a connection in one turn of the loop leaves together: each write wakes the server's process, which
 * costs more than what it then does for a statement as short as BEGIN. None waits longer than until the turn ends.
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
 * Nothing is learnt from the answer to BEGIN, nor from that to a transaction's lock: here both travel with the first
 * read behind them, which saves a transaction two journeys to the server and back. The server still does one after the
 * other, each with a view of its own: what is read behind a lock is what the lock guards.
 */
const OPENING = /^(?:begin$|select pg_advisory_xact_lock)/;
/** Outside of the transaction that it was meant for, it changes nothing. */
const READ = /^select\b/;

/** For a client in pipeline mode. An opening that fails is told by what is asked next, which is sent only if it reads. */
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
  /** What was sent to open the one under way; null once nothing is left to wait for. */
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
    // Where an opening fails, so does what is behind it, with words that only say that something failed before.
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
      // Whatever is asked next is told.
      () => undefined,
    );
    return { rows: [] };
  }
}

/** Far more than the product says in different words; each holds some kilobytes of every connection's server process. */
const MAX_NAMED = 250;
/** Words that were said once wait among so many for their second time. */
const MAX_HEARD_ONCE = 1_000;

/**
 * Names for statements that come again, so that a server parses and plans them once a connection instead of at every
 * use. drizzle-orm says the same thing in the same words.
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
