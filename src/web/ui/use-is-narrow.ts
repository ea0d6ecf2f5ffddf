import { useSyncExternalStore } from "react";

// Below it a window takes the whole screen; the same width as in the style sheets.
const narrowScreen = window.matchMedia("(max-width: 639px)");

export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => narrowScreen.matches);
}

function subscribe(listener: () => void): () => void {
  narrowScreen.addEventListener("change", listener);
  return () => narrowScreen.removeEventListener("change", listener);
}
