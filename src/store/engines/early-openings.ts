import type { PoolClient } from "pg";
import { ENDING, interceptQuery, statementText } from "./intercept-query.ts";

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
