import { useEffect, useState, type RefObject } from "react";

/**
 * Whether the top of the page, as tall as the element, is scrolled out of sight.
 * Watched rather than read: reading the scroll position would make the browser lay out the page at once.
 */
export function useIsScrolled(top: RefObject<Element | null>): boolean {
  const [isScrolled, setIsScrolled] = useState(false);
  useEffect(() => {
    if (top.current === null) return undefined;
    const observer = new IntersectionObserver((entries) => {
      setIsScrolled(entries.at(-1)?.isIntersecting === false);
    });
    observer.observe(top.current);
    return () => {
      observer.disconnect();
    };
  }, [top]);
  return isScrolled;
}
