/** Whether anybody can see what moves, and wants it to move. */
import { useEffect, useState, useSyncExternalStore, type RefObject } from "react";

const REDUCED_MOTION = "(prefers-reduced-motion: reduce)";

// What a page drawn ahead of any browser takes for granted.
const always = (isTrue: boolean) => () => isTrue;

export function usePrefersReducedMotion(): boolean {
  return useSyncExternalStore(
    subscribeToMotion,
    () => window.matchMedia(REDUCED_MOTION).matches,
    always(false),
  );
}

function subscribeToMotion(onChange: () => void): () => void {
  const query = window.matchMedia(REDUCED_MOTION);
  query.addEventListener("change", onChange);
  return () => {
    query.removeEventListener("change", onChange);
  };
}

/** False while the element is scrolled away; a hidden tab counts as off screen too. */
export function useIsOnScreen(element: RefObject<Element | null>): boolean {
  const [isInView, setIsInView] = useState(false);
  useEffect(() => {
    if (element.current === null) return undefined;
    const observer = new IntersectionObserver((entries) => {
      setIsInView(entries.at(-1)?.isIntersecting === true);
    });
    observer.observe(element.current);
    return () => {
      observer.disconnect();
    };
  }, [element]);
  const isTabVisible = useSyncExternalStore(subscribeToVisibility, () => !document.hidden, always(true));
  return isInView && isTabVisible;
}

function subscribeToVisibility(onChange: () => void): () => void {
  document.addEventListener("visibilitychange", onChange);
  return () => {
    document.removeEventListener("visibilitychange", onChange);
  };
}
