import { useSyncExternalStore } from "react";

/** Beyond this the header turns solid (specification §9). */
const SOLID_BEYOND_PX = 10;

export function useIsScrolled(): boolean {
  return useSyncExternalStore(subscribe, () => window.scrollY > SOLID_BEYOND_PX);
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener("scroll", onChange, { passive: true });
  return () => {
    window.removeEventListener("scroll", onChange);
  };
}
