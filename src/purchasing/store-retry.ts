import { sleep, type Clock } from "#domain/clock.ts";

/** What asking the store again takes. */
export interface StoreRetry {
  readonly clock: Clock;
  /** Whether a failure says that the store may answer the same question a moment later. */
  readonly isStoreAway: (error: unknown) => boolean;
}

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 500;

/**
 * Asks the store again while it is away, until `giveUpAtMs`; then, and for any other failure, throws what it threw.
 * Whether the question that failed took effect is open: `ask` is told of it, and must bear repetition.
 */
export async function retryWhileAway<Answer>(
  { clock, isStoreAway }: StoreRetry,
  giveUpAtMs: number,
  ask: (isRepeated: boolean) => Promise<Answer>,
): Promise<Answer> {
  let waitMs = FIRST_WAIT_MS;
  for (let isRepeated = false; ; isRepeated = true) {
    try {
      return await ask(isRepeated);
    } catch (error) {
      if (!isStoreAway(error) || clock.nowMs() + waitMs > giveUpAtMs) throw error;
      await sleep(clock, waitMs);
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    }
  }
}
