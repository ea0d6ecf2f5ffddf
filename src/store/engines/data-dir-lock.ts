import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../errors.ts";

const SQLITE_BUSY = 5;

/**
 * Locks the data directory for this process until it is disposed of or the process dies.
 * Two processes on one embedded store corrupt it silently, and PGlite has no lock of its own. An SQLite lock is released
 * by the operating system when the process dies, on every platform that Node supports.
 * Throws a StoreError `locked` when another process holds it.
 */
export function lockFile(path: string): Disposable {
  const database = new DatabaseSync(path);
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    throw new StoreError("locked", `another process is using this data directory (${path} is locked)`, {
      cause: error,
    });
  }
  return { [Symbol.dispose]: () => database.close() };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;
}
