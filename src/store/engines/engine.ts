import type { Db } from "./db.ts";

/** An open database of either kind. */
export interface Engine extends AsyncDisposable {
  readonly db: Db;
  /** Writes everything into one archive; throws a StoreError where the database has tools of its own for that. */
  backup(path: string): Promise<void>;
}
