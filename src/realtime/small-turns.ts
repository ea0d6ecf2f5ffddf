/** Settles when it is the caller's turn: soon, and in the order of asking. */
export type SmallTurns = () => Promise<void>;

/**
 * So many callers have their turn before the process hears whatever else came in: a listing that hundreds of pages are
 * told of must not hold up a purchase at each of its steps.
 */
export function createSmallTurns(callersATurn: number): SmallTurns {
  let waiting: (() => void)[] = [];

  function takeTurn(): void {
    const now = waiting.slice(0, callersATurn);
    waiting = waiting.slice(callersATurn);
    if (waiting.length > 0) setImmediate(takeTurn);
    for (const begin of now) begin();
  }

  return () =>
    new Promise((begin) => {
      if (waiting.length === 0) setImmediate(takeTurn);
      waiting.push(begin);
    });
}
