import { AsyncLocalStorage } from "node:async_hooks";
import type { PoolClient } from "pg";
import { ENDING, interceptQuery, statementText } from "./driver-patches.ts";

const onlyWrite = new AsyncLocalStorage<true>();

/**
 * For the only write of a transaction, as its last statement, if its result is not used: it is pipelined with COMMIT,
 * which saves a round trip to the engine. Resolves immediately; the transaction rejects with the write's error. Only
 * one, so that COMMIT has nothing to commit if the write never reached the engine.
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

/** Prevents an unhandled rejection: the failure is awaited later. */
function quiet(answer: unknown): Promise<unknown> {
  const promise = Promise.resolve(answer);
  promise.catch(() => undefined);
  return promise;
}
