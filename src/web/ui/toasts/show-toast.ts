/** Toasts on any screen. Their chunk is loaded after the first screen, or with the first toast. */
import { errorText } from "../../api/client.ts";
import { createObservable } from "../../api/live/observable.ts";
import { whenOnline } from "../loading/online.ts";
import type * as toasts from "./toasts.tsx";

type LoadedToasts = typeof toasts;

const RETRY_MS = 2_000;
/** Upper bound of the calls queued until the chunk is loaded. */
const MAX_WAITING = 100;

interface Waiting {
  readonly act: (loaded: LoadedToasts) => void;
  /** The toast that `act` shows; undefined for another act. */
  readonly toast?: toasts.Toast | undefined;
}

/** Null until the chunk is loaded. */
export const loadedToasts = createObservable<LoadedToasts | null>(null);

/** The latest toast while the chunk cannot be loaded: unloaded-toast.tsx renders it without the chunk. */
export const unloadedToast = createObservable<toasts.Toast | null>(null);

let isLoading = false;
let hasFailed = false;
let waiting: readonly Waiting[] = [];

export function showToast(toast: toasts.Toast): void {
  // Pressed again without a network, it would be shown as many times once the chunk is loaded.
  dropWaiting(({ message }) => message === toast.message);
  withToasts(({ show }) => show(toast), toast);
}

export function hideToast(id: string): void {
  dropWaiting((toast) => toast.id === id);
  withToasts(({ hide }) => hide(id));
}

export function showError(error: unknown): void {
  showToast({ message: errorText(error), tone: "bad" });
}

/**
 * Calls `act` once the chunk is loaded.
 * @param toast what `act` shows, if it is a toast that can be rendered without the chunk
 */
export function withToasts(act: Waiting["act"], toast?: toasts.Toast): void {
  const loaded = loadedToasts.get();
  if (loaded !== null) {
    act(loaded);
    return;
  }
  waiting = [...waiting, { act, toast }].slice(-MAX_WAITING);
  loadToasts();
  if (hasFailed || !navigator.onLine) showUnloaded();
}

/** Closes what is rendered without the chunk, and the toasts before it: each was on the screen. */
export function closeUnloadedToast(): void {
  for (const { toast } of waiting) toast?.onClose?.();
  dropWaiting(() => true);
}

/** Loads the chunk, with retries until it succeeds: the server may be restarting. */
export function loadToasts(): void {
  if (isLoading) return;
  isLoading = true;
  whenOnline()
    .then(() => import("./toasts.tsx"))
    .then(
      (loaded) => {
        loadedToasts.set(loaded);
        for (const { act } of waiting) act(loaded);
        waiting = [];
        unloadedToast.set(null);
      },
      () => {
        isLoading = false;
        hasFailed = true;
        showUnloaded();
        setTimeout(loadToasts, RETRY_MS);
      },
    );
}

function showUnloaded(): void {
  unloadedToast.set(waiting.findLast(({ toast }) => toast !== undefined)?.toast ?? null);
}

function dropWaiting(isDropped: (toast: toasts.Toast) => boolean): void {
  waiting = waiting.filter(({ toast }) => toast === undefined || !isDropped(toast));
  if (unloadedToast.get() !== null) showUnloaded();
}
