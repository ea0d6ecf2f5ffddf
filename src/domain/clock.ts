/** Injected time: real in production, simulated in tests and simulations. */
export interface Clock {
  /** Unix time in milliseconds. */
  nowMs(): number;
  /** Calls `action` once after `delayMs`. @returns cancels it */
  schedule(delayMs: number, action: () => void): () => void;
}

export function sleep(clock: Clock, durationMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.schedule(durationMs, resolve);
  });
}
