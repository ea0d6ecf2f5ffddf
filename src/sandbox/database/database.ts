import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";

/**
 * The SQLite file of the marketplace. Every write reaches the file before it returns (WAL), so that the data
 * survives kill -9 like that of a real marketplace. It is not flushed to disk (synchronous = NORMAL): a power
 * cut may lose the latest writes, which are only test data, and the product on the same disk is not slowed
 * down. The file is locked: a second process is refused.
 */
export interface Sqlite extends Disposable {
  readonly sql: DatabaseSync;
  /** Runs a change in a transaction; nested calls join the outer one. */
  readonly write: <Result>(change: () => Result) => Result;
  /**
   * Runs an action after the current transaction commits, never after a rollback; immediately outside a
   * transaction.
   */
  readonly afterWrite: (action: () => void) => void;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS account (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, wallet_cents INTEGER NOT NULL CHECK (wallet_cents >= 0),
    card_id INTEGER NOT NULL, address TEXT) STRICT;
  CREATE TABLE IF NOT EXISTS token_family (
    id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES account (id), is_revoked INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS refresh_token (
    digest TEXT PRIMARY KEY, family_id INTEGER NOT NULL REFERENCES token_family (id), generation INTEGER NOT NULL)
    STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS listing (
    id INTEGER PRIMARY KEY, serial INTEGER, published_at INTEGER NOT NULL, state TEXT NOT NULL,
    reserved_until INTEGER, title TEXT NOT NULL, brand TEXT NOT NULL, size TEXT NOT NULL, condition TEXT NOT NULL,
    leaf_id INTEGER NOT NULL, colours TEXT NOT NULL, price_cents INTEGER NOT NULL, home_cents INTEGER NOT NULL,
    point_cents INTEGER NOT NULL, seller_id INTEGER NOT NULL, seller_login TEXT NOT NULL,
    seller_has_photo INTEGER NOT NULL, photo_seed INTEGER NOT NULL, favourites INTEGER NOT NULL,
    is_promoted INTEGER NOT NULL, has_bare_prices INTEGER NOT NULL, needs_confirmation INTEGER NOT NULL,
    fate_kind TEXT, fate_at INTEGER, fate_price INTEGER) STRICT;
  CREATE INDEX IF NOT EXISTS listing_age ON listing (published_at) WHERE serial IS NOT NULL;
  CREATE INDEX IF NOT EXISTS listing_seller ON listing (seller_id, id);
  CREATE INDEX IF NOT EXISTS listing_fate ON listing (fate_at) WHERE state = 'available';
  -- Sellers named in control calls; what is said of the others follows from their number.
  CREATE TABLE IF NOT EXISTS seller (
    id INTEGER PRIMARY KEY, login TEXT NOT NULL, rating REAL, reviews INTEGER NOT NULL, country TEXT NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS seller_login ON seller (login);
  CREATE TABLE IF NOT EXISTS past_listing (
    number INTEGER PRIMARY KEY, at INTEGER NOT NULL, facts TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS market_order (
    id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES account (id), listing_id INTEGER NOT NULL,
    created_at INTEGER NOT NULL, state TEXT NOT NULL, details TEXT NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS market_order_listing ON market_order (listing_id, account_id);
  CREATE INDEX IF NOT EXISTS market_order_account ON market_order (account_id, id);
  -- In the words of the query that looks for them every few seconds, among all that was ever bought.
  CREATE INDEX IF NOT EXISTS market_order_undecided ON market_order (id)
    WHERE state = 'awaiting' OR details ->> '$.cancellation.status' = 'requested';
  -- Money is taken for a listing by one order at most, whatever the code above believes.
  CREATE UNIQUE INDEX IF NOT EXISTS market_order_effective
    ON market_order (listing_id) WHERE state IN ('awaiting', 'paid');
  CREATE TABLE IF NOT EXISTS reception (
    n INTEGER PRIMARY KEY AUTOINCREMENT, channel TEXT NOT NULL, recipient TEXT NOT NULL, at INTEGER NOT NULL,
    is_taken INTEGER NOT NULL, status INTEGER NOT NULL, method TEXT NOT NULL, headers TEXT NOT NULL, content TEXT,
    body TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS push_device (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, private_key TEXT, p256dh TEXT NOT NULL, auth TEXT NOT NULL)
    STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS chat_message (
    id INTEGER PRIMARY KEY AUTOINCREMENT, chat INTEGER NOT NULL, sender TEXT NOT NULL, text TEXT NOT NULL,
    entities TEXT NOT NULL, buttons TEXT NOT NULL, is_loud INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS chat_message_chat ON chat_message (chat, id);
  CREATE TABLE IF NOT EXISTS chat_update (id INTEGER PRIMARY KEY AUTOINCREMENT, document TEXT NOT NULL) STRICT;
`;

/** @param directory null keeps the database in memory, for tests and simulations */
export function openSqlite(directory: string | null): Sqlite {
  if (directory !== null) mkdirSync(directory, { recursive: true });
  const sql = new DatabaseSync(directory === null ? ":memory:" : join(directory, "database.sqlite"));
  try {
    sql.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
    sql.exec("PRAGMA foreign_keys = ON;");
    sql.exec(SCHEMA);
  } catch (cause) {
    sql.close();
    throw new Error(`the sandbox's database in ${directory ?? "memory"} cannot be opened`, { cause });
  }
  return { sql, ...createWriter(sql), [Symbol.dispose]: () => sql.close() };
}

function createWriter(sql: DatabaseSync): Pick<Sqlite, "write" | "afterWrite"> {
  let followUps: (() => void)[] | null = null;
  const inTransaction = <Result>(change: () => Result): Result => {
    sql.exec("BEGIN IMMEDIATE");
    try {
      const result = change();
      sql.exec("COMMIT");
      return result;
    } catch (error) {
      sql.exec("ROLLBACK");
      throw error;
    }
  };
  return {
    write(change) {
      if (followUps !== null) return change();
      const actions: (() => void)[] = [];
      followUps = actions;
      try {
        const result = inTransaction(change);
        for (const action of actions) action();
        return result;
      } finally {
        followUps = null;
      }
    },
    afterWrite(action) {
      if (followUps === null) action();
      else followUps.push(action);
    },
  };
}

/**
 * Readers of single cells. A cell of the wrong type means a damaged file or a bug, and throws with the
 * column's name.
 */
export type Row = Readonly<Record<string, SQLOutputValue>>;

export function numberCell(row: Row, column: string): number {
  const cell = row[column];
  if (typeof cell !== "number") throw new TypeError(`database: no number in ${column}`);
  return cell;
}

export function numberOrNullCell(row: Row, column: string): number | null {
  return row[column] === null ? null : numberCell(row, column);
}

export function textCell(row: Row, column: string): string {
  const cell = row[column];
  if (typeof cell !== "string") throw new TypeError(`database: no text in ${column}`);
  return cell;
}

/** A text that must be one of a closed list. */
export function oneOfCell<Word extends string>(row: Row, column: string, words: readonly Word[]): Word {
  const text = textCell(row, column);
  const word = words.find((candidate) => candidate === text);
  if (word === undefined) throw new TypeError(`database: ${column} holds an unknown word`);
  return word;
}
