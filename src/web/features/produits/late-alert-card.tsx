import { Suspense, useEffect, useRef, useState, type RefObject } from "react";
import { Guard } from "../../ui/loading/guard.tsx";
import { lazyPart } from "../../ui/loading/lazy-part.ts";

const AlertCard = lazyPart(async () => (await import("./alert-card.tsx")).AlertCard);

/** Long enough for the requests of the first screen to complete. */
const REST_MS = 5_000;
/** One viewport height below the viewport: the card is loaded before it is scrolled into view. */
const ROOT_MARGIN = "0px 0px 100% 0px";

interface LateAlertCardProps {
  /** Whether the content above has its final height; until then the card's position means nothing. */
  readonly isPlaced: boolean;
}

/** The alert card below the articles, loaded lazily: one screen before it comes into view, or after 5 s. */
export function LateAlertCard({ isPlaced }: LateAlertCardProps) {
  const place = useRef<HTMLDivElement>(null);
  const isDue = useIsDue(place, isPlaced);
  return (
    <div ref={place} className="produits__after">
      {isDue ? (
        <Guard fallback={null}>
          <Suspense>
            <AlertCard />
          </Suspense>
        </Guard>
      ) : null}
    </div>
  );
}

function useIsDue(place: RefObject<Element | null>, isPlaced: boolean): boolean {
  const [isDue, setIsDue] = useState(false);
  useEffect(() => {
    if (isDue || !isPlaced || place.current === null) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setIsDue(true);
      },
      { rootMargin: ROOT_MARGIN },
    );
    observer.observe(place.current);
    const timer = setTimeout(() => setIsDue(true), REST_MS);
    return () => {
      observer.disconnect();
      clearTimeout(timer);
    };
  }, [isDue, isPlaced, place]);
  return isDue;
}
