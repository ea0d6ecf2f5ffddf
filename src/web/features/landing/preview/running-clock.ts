import { useEffect, useState } from "react";

const TICK_MS = 200;

/** Milliseconds that have run; it stands still while it is not running, and goes on from there. */
export function useRunningClock(isRunning: boolean): number {
  const [elapsedMs, setElapsedMs] = useState(0);
  useEffect(() => {
    if (!isRunning) return undefined;
    let lastMs = performance.now();
    const timer = setInterval(() => {
      const nowMs = performance.now();
      // A tab that slept must not replay what it missed.
      const passedMs = Math.min(nowMs - lastMs, 2 * TICK_MS);
      lastMs = nowMs;
      setElapsedMs((before) => before + passedMs);
    }, TICK_MS);
    return () => {
      clearInterval(timer);
    };
  }, [isRunning]);
  return elapsedMs;
}
