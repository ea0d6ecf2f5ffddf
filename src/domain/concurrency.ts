/**
 * Batches concurrent calls, like DataLoader, but with one batch at a time: calls during a batch form the next
 * one, in their order. So no result is older than its call, and under load the cost per call falls.
 * @param work takes effect for all items or rejects for all; settles with the result of each item
 * @param maxBatch items per batch
 * @returns settles with the item's own batch; a failure affects that batch alone
 */
export function batchCalls<Item, Answer>(
  work: (items: readonly Item[]) => Promise<(item: Item) => Answer>,
  maxBatch: number,
): (item: Item) => Promise<Answer> {
  const queue: (PromiseWithResolvers<Answer> & { readonly item: Item })[] = [];
  let isWorking = false;

  async function runBatch(): Promise<void> {
    const batch = queue.splice(0, maxBatch);
    try {
      const answerOf = await work(batch.map(({ item }) => item));
      for (const { item, resolve } of batch) resolve(answerOf(item));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  async function runAll(): Promise<void> {
    isWorking = true;
    // Waits for the other calls of this event-loop tick.
    await Promise.resolve();
    while (queue.length > 0) await runBatch();
    isWorking = false;
  }

  return (item) => {
    const answer = Promise.withResolvers<Answer>();
    queue.push({ ...answer, item });
    if (!isWorking) void runAll();
    return answer.promise;
  };
}

/**
 * Batches look-ups by key.
 * @param find gets each key once; a key that it does not find resolves to null
 */
export function batchLookups<Key, Found>(
  find: (keys: readonly Key[]) => Promise<readonly Found[]>,
  keyOf: (found: Found) => Key,
  maxBatch: number,
): (key: Key) => Promise<Found | null> {
  return batchCalls(async (keys: readonly Key[]) => {
    const found = await find([...new Set(keys)]);
    const known = new Map(found.map((one) => [keyOf(one), one]));
    return (key) => known.get(key) ?? null;
  }, maxBatch);
}

/**
 * Runs one task at a time per key, in the order of the calls; keys are independent. A task with several keys
 * waits for all of them.
 */
export type KeyedQueue = <Result>(
  keys: string | readonly string[],
  task: () => Promise<Result>,
) => Promise<Result>;

export function createKeyedQueue(): KeyedQueue {
  /** The end of each key's last task; removed when it has ended. */
  const lastEnds = new Map<string, Promise<void>>();

  return async (oneOrMore, task) => {
    const keys = typeof oneOrMore === "string" ? [oneOrMore] : oneOrMore;
    const before = keys.flatMap((key) => lastEnds.get(key) ?? []);
    const { promise: end, resolve: finish } = Promise.withResolvers<void>();
    for (const key of keys) lastEnds.set(key, end);
    await Promise.all(before);
    try {
      return await task();
    } finally {
      for (const key of keys) if (lastEnds.get(key) === end) lastEnds.delete(key);
      finish();
    }
  };
}

/** Tasks that only the stop of their service awaits. */
export class BackgroundTasks {
  readonly #running = new Set<Promise<void>>();
  readonly #onFailure: (error: unknown) => void;

  /** @param onFailure must not throw */
  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  add(task: Promise<void>): void {
    const watched = task.catch(this.#onFailure).finally(() => this.#running.delete(watched));
    this.#running.add(watched);
  }

  /** Settles once the tasks that run now have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }
}
