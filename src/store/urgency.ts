import { AsyncLocalStorage } from "node:async_hooks";

const urgency = new AsyncLocalStorage<true>();

/**
 * Where the store serves one question after the other, what `work` asks of it goes before what others wait for. A
 * store that answers several at once makes no difference.
 */
export async function urgently<Result>(work: () => Promise<Result>): Promise<Result> {
  return await urgency.run(true, work);
}

export function isUrgent(): boolean {
  return urgency.getStore() === true;
}
