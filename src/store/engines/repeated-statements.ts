import type { PoolClient } from "pg";
import { hasText, interceptQuery } from "./intercept-query.ts";

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
