/** Runs one task at a time per key, in the order of the calls; a key with many tasks delays no other. */
export type KeyedQueue = <Result>(key: string, task: () => Promise<Result>) => Promise<Result>;

export function createKeyedQueue(): KeyedQueue {
  /** The end of each key's last task; removed once it has ended. */
  const lastEnds = new Map<string, Promise<void>>();

  return async (key, task) => {
    const before = lastEnds.get(key);
    const { promise: end, resolve: finish } = Promise.withResolvers<void>();
    lastEnds.set(key, end);
    await before;
    try {
      return await task();
    } finally {
      if (lastEnds.get(key) === end) lastEnds.delete(key);
      finish();
    }
  };
}
