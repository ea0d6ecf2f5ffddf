import type { Clock } from "./clock.ts";

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
  readonly #onFailure: (error: unknown, name: string) => void;

  /** @param onFailure must not throw */
  constructor(onFailure: (error: unknown, name: string) => void) {
    this.#onFailure = onFailure;
  }

  /** @param name for `onFailure` */
  start(name: string, task: () => Promise<void>): void {
    const watched = this.#run(name, task).finally(() => this.#running.delete(watched));
    this.#running.add(watched);
  }

  /** Settles once no task is running. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #run(name: string, task: () => Promise<void>): Promise<void> {
    try {
      await task();
    } catch (error) {
      this.#onFailure(error, name);
    }
  }
}

/**
 * Runs a task periodically and never concurrently: `everyMs` (or `firstMs`) after the start, then `everyMs` after the
 * end of the last run.
 * @param onFailure must not throw; the task is repeated nevertheless
 * @returns disposal cancels the next run at once, and settles with the run in progress
 */
export function repeat(
  clock: Pick<Clock, "schedule">,
  times: number | { readonly firstMs: number; readonly everyMs: number },
  task: () => Promise<unknown>,
  onFailure: (error: unknown) => void,
): AsyncDisposable {
  const { firstMs, everyMs } = typeof times === "number" ? { firstMs: times, everyMs: times } : times;
  let isOver = false;
  let running = Promise.resolve();
  const run = async (): Promise<void> => {
    try {
      await task();
    } catch (error) {
      onFailure(error);
    }
    if (!isOver) cancel = runLater(everyMs);
  };
  const runLater = (ms: number): (() => void) =>
    clock.schedule(ms, () => {
      running = run();
    });
  let cancel = runLater(firstMs);
  return {
    async [Symbol.asyncDispose]() {
      isOver = true;
      cancel();
      await running;
    },
  };
}
