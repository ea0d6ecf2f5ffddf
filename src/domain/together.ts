/**
 * Does many single pieces of work by few: what comes while an earlier piece is under way waits for its end, and is
 * then done together, in the order in which it came. So no answer is older than its item, and the more come, the
 * fewer each one costs.
 * @param work takes effect for all of its items or rejects for all of them; settles with what answers each
 * @param most items at once
 * @returns settles once the item's own piece of work has; a failure concerns the items of that piece alone
 */
export function together<Item, Answer>(
  work: (items: readonly Item[]) => Promise<(item: Item) => Answer>,
  most: number,
): (item: Item) => Promise<Answer> {
  const waiting: (PromiseWithResolvers<Answer> & { readonly item: Item })[] = [];
  let isWorking = false;

  async function workOnce(): Promise<void> {
    const taken = waiting.splice(0, most);
    try {
      const answerOf = await work(taken.map(({ item }) => item));
      for (const { item, resolve } of taken) resolve(answerOf(item));
    } catch (error) {
      for (const { reject } of taken) reject(error);
    }
  }

  async function workOff(): Promise<void> {
    isWorking = true;
    // Whatever else this turn brings comes along.
    await Promise.resolve();
    while (waiting.length > 0) await workOnce();
    isWorking = false;
  }

  return (item) => {
    const answer = Promise.withResolvers<Answer>();
    waiting.push({ ...answer, item });
    if (!isWorking) void workOff();
    return answer.promise;
  };
}

/**
 * The same for what is looked up by a key.
 * @param find is asked for each key once; null is answered for what it does not find
 */
export function foundTogether<Key, Found>(
  find: (keys: readonly Key[]) => Promise<readonly Found[]>,
  keyOf: (found: Found) => Key,
  most: number,
): (key: Key) => Promise<Found | null> {
  return together(async (keys: readonly Key[]) => {
    const found = await find([...new Set(keys)]);
    const known = new Map(found.map((one) => [keyOf(one), one]));
    return (key) => known.get(key) ?? null;
  }, most);
}
