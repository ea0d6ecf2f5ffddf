/**
 * Answers many single questions with few: what is asked while an earlier question is under way waits for its end, and
 * is asked together. So no answer is older than its question, and the more are asked, the fewer each one costs.
 * @param ask answers what it knows of; a key without an answer gets null
 * @param most keys in one question
 */
export function askTogether<Key, Answer>(
  ask: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Answer>>,
  most: number,
): (key: Key) => Promise<Answer | null> {
  const waiting = new Map<Key, PromiseWithResolvers<Answer | null>>();
  let isAsking = false;

  async function askNext(): Promise<void> {
    const asked = [...waiting].slice(0, most);
    for (const [key] of asked) waiting.delete(key);
    try {
      const answers = await ask(asked.map(([key]) => key));
      for (const [key, { resolve }] of asked) resolve(answers.get(key) ?? null);
    } catch (error) {
      for (const [, { reject }] of asked) reject(error);
    }
  }

  async function askAll(): Promise<void> {
    isAsking = true;
    // Whatever else this turn asks comes along.
    await Promise.resolve();
    while (waiting.size > 0) await askNext();
    isAsking = false;
  }

  return (key) => {
    const known = waiting.get(key);
    if (known !== undefined) return known.promise;
    const answer = Promise.withResolvers<Answer | null>();
    waiting.set(key, answer);
    if (!isAsking) void askAll();
    return answer.promise;
  };
}
