import { AsyncLocalStorage } from "node:async_hooks";
import type { PoolClient } from "pg";
import { ENDING, interceptQuery, statementText } from "./driver-patches.ts";

const onlyWrite = new AsyncLocalStorage<true>();

/**
 * For the only write of a transaction, after which it does nothing more, and of whose answer nothing is learnt but
 * whether it failed: it leaves together with COMMIT, which saves a journey to the engine and back. Settles at once; the
 * transaction rejects with its failure. One that never reached the engine leaves COMMIT nothing to commit, hence the
 * only one.
 */
export async function asOnlyWrite(write: () => PromiseLike<unknown>): Promise<void> {
  await onlyWrite.run(true, async () => await write());
}

export function isOnlyWrite(): boolean {
  return onlyWrite.getStore() === true;
}

/** For a client in pipeline mode: the server answers COMMIT with ROLLBACK where the write failed. */
export function commitWithOnlyWrite(client: PoolClient): void {
  let written: Promise<unknown> | null = null;
  interceptQuery(client, (statement, send) => {
    if (isOnlyWrite()) {
      written = quiet(send(statement));
      return Promise.resolve({ rows: [], rowCount: 0 });
    }
    const text = statementText(statement);
    if (written === null || text === null || !ENDING.test(text)) return send(statement);
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
