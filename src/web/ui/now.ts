import { useSyncExternalStore } from "react";

const TICK_MS = 5_000;

const listeners = new Set<() => void>();
let nowMs = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** The current time, updated every `TICK_MS` by one timer for all subscribers; stopped without any. */
export function useNowMs(): number {
  return useSyncExternalStore(subscribe, () => nowMs);
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) nowMs = Date.now();
  listeners.add(listener);
  timer ??= setInterval(tick, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  nowMs = Date.now();
  for (const listener of listeners) listener();
}
