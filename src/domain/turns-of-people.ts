/** Makes one thing at a time for each key, in the order asked: who asks for many at once waits for themselves alone. */
export type TurnsOfPeople = <Made>(key: string, make: () => Promise<Made>) => Promise<Made>;

export function createTurnsOfPeople(): TurnsOfPeople {
  /** The end of what was asked for last; gone once that is done. */
  const endOf = new Map<string, Promise<void>>();

  return async (key, make) => {
    const before = endOf.get(key);
    const { promise: end, resolve: finish } = Promise.withResolvers<void>();
    endOf.set(key, end);
    await before;
    try {
      return await make();
    } finally {
      if (endOf.get(key) === end) endOf.delete(key);
      finish();
    }
  };
}
