/** Toasts on any screen. Their chunk is loaded after the first screen, or with the first toast. */
import { errorText } from "../../api/client.ts";
import { createObservable } from "../../api/live/observable.ts";
import type * as toasts from "./toasts.tsx";

type LoadedToasts = typeof toasts;

const RETRY_MS = 2_000;
/** Upper bound of the calls queued until the chunk is loaded. */
const MAX_WAITING = 100;

/** Null until the chunk is loaded. */
export const loadedToasts = createObservable<LoadedToasts | null>(null);

let isLoading = false;
let waiting: readonly ((loaded: LoadedToasts) => void)[] = [];

export function showToast(toast: toasts.Toast): void {
  withToasts(({ show }) => show(toast));
}

export function hideToast(id: string): void {
  withToasts(({ hide }) => hide(id));
}

export function showError(error: unknown): void {
  showToast({ message: errorText(error), tone: "bad" });
}

/** Calls `act` once the chunk is loaded. */
export function withToasts(act: (loaded: LoadedToasts) => void): void {
  const loaded = loadedToasts.get();
  if (loaded !== null) {
    act(loaded);
    return;
  }
  waiting = [...waiting, act].slice(-MAX_WAITING);
  loadToasts();
}

/** Loads the chunk, with retries until it succeeds: the server may be restarting. */
export function loadToasts(): void {
  if (isLoading) return;
  isLoading = true;
  import("./toasts.tsx").then(
    (loaded) => {
      loadedToasts.set(loaded);
      for (const act of waiting) act(loaded);
      waiting = [];
    },
    () => {
      isLoading = false;
      setTimeout(loadToasts, RETRY_MS);
    },
  );
}
