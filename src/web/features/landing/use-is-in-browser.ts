import { useSyncExternalStore } from "react";

/** False while a page is drawn ahead of any browser, and in the one moment in which a browser takes it over. */
export function useIsInBrowser(): boolean {
  return useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  );
}
