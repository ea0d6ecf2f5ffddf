import { useLayoutEffect, useRef, useState, type RefObject } from "react";

/** An element's width in pixels, known before it is first painted; follows every change. */
export function useWidth<Measured extends HTMLElement>(): readonly [RefObject<Measured | null>, number] {
  const ref = useRef<Measured>(null);
  const [widthPx, setWidthPx] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return undefined;
    setWidthPx(element.clientWidth);
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWidthPx(Math.floor(entry.contentRect.width));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, widthPx];
}
