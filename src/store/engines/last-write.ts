import { AsyncLocalStorage } from "node:async_hooks";
import type { PoolClient } from "pg";
import { interceptQuery, statementText } from "./intercept-query.ts";

const lastWrite = new AsyncLocalStorage<true>();

/**
 * For the last statement of a transaction, of whose answer nothing is learnt but whether it failed: it leaves together
 * with COMMIT, which saves a journey to the engine and back. Settles at once; where the statement fails, nothing is
 * committed, and the transaction rejects with its failure.
 */
export async function asLastWrite(write: () => PromiseLike<unknown>): Promise<void> {
  await lastWrite.run(true, async () => await write());
}

export function isLastWrite(): boolean {
  return lastWrite.getStore() === true;
}

const OVER = /^(?:commit|rollback)$/;

/** For a client in pipeline mode: the server answers COMMIT with ROLLBACK where a statement before it failed. */
export function commitWithLastWrite(client: PoolClient): void {
  let written: Promise<unknown> | null = null;
  interceptQuery(client, (statement, send) => {
    if (isLastWrite()) {
      written = quiet(send(statement));
      return Promise.resolve({ rows: [], rowCount: 0 });
    }
    const text = statementText(statement);
    if (written === null || text === null || !OVER.test(text)) return send(statement);
    const before = written;
    written = null;
    const over = quiet(send(statement));
    return text === "commit" ? before.then(() => over) : over;
  });
}

/** Its failure is told to whoever waits for it, later. */
function quiet(answer: unknown): Promise<unknown> {
  const promise = Promise.resolve(answer);
  promise.catch(() => undefined);
  return promise;
}
