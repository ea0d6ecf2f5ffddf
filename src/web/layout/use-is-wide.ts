import { useSyncExternalStore } from "react";

// The same width as in side-menu.css: from here on the menu stands beside the page.
const wideScreen = window.matchMedia("(min-width: 1024px)");

export function useIsWide(): boolean {
  return useSyncExternalStore(subscribe, () => wideScreen.matches);
}

function subscribe(listener: () => void): () => void {
  wideScreen.addEventListener("change", listener);
  return () => wideScreen.removeEventListener("change", listener);
}
