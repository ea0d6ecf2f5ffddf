/** Messages on any screen. The code that draws them comes after the first screen, or with the first message. */
import { errorText } from "../../api/client.ts";
import { createObservable } from "../../api/live/observable.ts";
import type * as toasts from "./toasts.tsx";

type LoadedToasts = typeof toasts;

const RETRY_MS = 2_000;
/** More could never be read. */
const MAX_WAITING = 100;

/** Null until the code is there. */
export const loadedToasts = createObservable<LoadedToasts | null>(null);

let isLoading = false;
let waiting: readonly ((loaded: LoadedToasts) => void)[] = [];

/** Shows a message on any screen. */
export function showToast(toast: toasts.Toast): void {
  withToasts(({ show }) => show(toast));
}

/** Says why something failed. */
export function showError(error: unknown): void {
  showToast({ message: errorText(error), tone: "bad" });
}

export function hideToast(id: string): void {
  withToasts(({ hide }) => hide(id));
}

/** Acts on the messages on the screen, once the code that draws them is there. */
export function withToasts(act: (loaded: LoadedToasts) => void): void {
  const loaded = loadedToasts.get();
  if (loaded !== null) {
    act(loaded);
    return;
  }
  waiting = [...waiting, act].slice(-MAX_WAITING);
  loadToasts();
}

/** Loads that code, and tries again until it came: the server may be restarting. */
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
