import { AsyncLocalStorage } from "node:async_hooks";

const urgency = new AsyncLocalStorage<true>();

/**
 * What `work` asks of the store waits for nothing that is less urgent: the embedded store, which serves one question
 * after the other, takes it first; on a PostgreSQL server it has connections of its own.
 */
export async function urgently<Result>(work: () => Promise<Result>): Promise<Result> {
  return await urgency.run(true, work);
}

export function isUrgent(): boolean {
  return urgency.getStore() === true;
}
