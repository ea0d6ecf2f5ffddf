import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../errors.ts";

const SQLITE_BUSY = 5;

/**
 * Holds the file for this process alone until it is disposed of or the process dies, however it dies.
 * Two processes on one embedded store corrupt it silently, and it has no guard of its own. An SQLite lock is
 * one the operating system takes back by itself, on every system that Node runs on.
 * Throws a StoreError `locked` when somebody else holds it.
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
