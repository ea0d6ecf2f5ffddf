/** Time as an argument: the real one in production, a simulated one in tests and simulations. */
export interface Clock {
  /** Unix time in milliseconds. */
  nowMs(): number;
  /** Calls `action` once after `delayMs`; the answer takes it back. */
  schedule(delayMs: number, action: () => void): () => void;
}

export function sleep(clock: Clock, durationMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.schedule(durationMs, resolve);
  });
}
