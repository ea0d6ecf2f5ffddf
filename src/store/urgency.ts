import { AsyncLocalStorage } from "node:async_hooks";

const urgency = new AsyncLocalStorage<true>();

/**
 * Statements of `work` overtake less urgent ones: the embedded store, which runs one statement at a time, runs them
 * first; on a PostgreSQL server they have connections of their own.
 */
export async function urgently<Result>(work: () => Promise<Result>): Promise<Result> {
  return await urgency.run(true, work);
}

export function isUrgent(): boolean {
  return urgency.getStore() === true;
}
