import { useEffect, useRef, useState, useSyncExternalStore, type RefObject, memo } from "react";
import { formatAge } from "../../../ui/format.ts";
import { Icon } from "../icon.tsx";
import { Garment } from "./garment.tsx";
import {
  previewFrame,
  RAIL_LENGTH,
  REDUCED_MOTION_MOMENT_MS,
  type PreviewToast,
  type PreviewPhase,
} from "./preview-frame.ts";
import { formatCents, type PreviewListing } from "./preview-listings.ts";
import "./preview-rail.css";

/** An arbitrary date that keeps the timestamps of cards older than the preview's clock positive. */
const STARTED_AT_MS = 86_400_000;

/** The stream as a clothes rail: new cards enter at the left and move the others to the right. */
export function PreviewRail() {
  const rail = useRef<HTMLElement>(null);
  const [isPaused, setIsPaused] = useState(false);
  const isStill = usePrefersReducedMotion();
  const isOnScreen = useIsOnScreen(rail);
  const isRunning = isOnScreen && !isPaused && !isStill;
  const ranForMs = useRunningClock(isRunning);
  const elapsedMs = isStill ? REDUCED_MOTION_MOMENT_MS : ranForMs;
  const { cards, toast } = previewFrame(elapsedMs);
  return (
    <figure ref={rail} className="rail" data-still={!isRunning || undefined}>
      <div className="rail__stage" aria-hidden="true">
        <div className="rail__bar" />
        <ul className="rail__cards">
          {cards.toReversed().map((card) => (
            <li
              key={card.key}
              className="rail__place"
              data-entering={card.key >= RAIL_LENGTH || undefined}
              data-slot={card.slot}
            >
              <PreviewCardView
                listing={card.listing}
                phase={card.phase}
                ageText={formatAge(STARTED_AT_MS + card.arrivedAtMs, STARTED_AT_MS + elapsedMs)}
                swing={card.slot % 2 === 0 ? "even" : "odd"}
              />
            </li>
          ))}
        </ul>
        {toast === null ? null : <PreviewToastView key={toast.key} toast={toast} />}
      </div>
      <figcaption className="rail__caption line aside">
        <span className="rail__live line strong">En direct</span>
        <span>Aperçu animé, articles fictifs</span>
        {isStill ? null : (
          <button
            type="button"
            className="centred touch-square rail__pause"
            aria-label={isPaused ? "Relancer l'aperçu" : "Mettre l'aperçu en pause"}
            onClick={() => setIsPaused(!isPaused)}
          >
            <Icon name={isPaused ? "play" : "pause"} />
          </button>
        )}
      </figcaption>
    </figure>
  );
}

function PreviewToastView({ toast }: { readonly toast: PreviewToast }) {
  const { listing, isLeaving } = toast;
  const isThunder = listing.buyer === "thunder";
  return (
    <div
      className="preview-toast"
      data-lane={isThunder ? "thunder" : "acquire"}
      data-leaving={isLeaving || undefined}
    >
      <Garment name={listing.garment} cloth={listing.cloth} wall={listing.wall} />
      <div className="stack" data-gap="0">
        <span className="preview-toast__lane line strong" data-gap="4">
          <Icon name="bolt" />
          {isThunder ? "Acheté par Thunder" : "Acheté par Acquire"}
        </span>
        <span className="strong">{listing.title}</span>
        <span className="dim">
          {formatCents(listing.priceCents)} · filtre « {listing.tag} »
        </span>
      </div>
    </div>
  );
}

const REDUCED_MOTION = "(prefers-reduced-motion: reduce)";

// Server snapshots, for prerendering.
const always = (isTrue: boolean) => () => isTrue;

function usePrefersReducedMotion(): boolean {
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
function useIsOnScreen(element: RefObject<Element | null>): boolean {
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

const TICK_MS = 200;

/** Elapsed milliseconds, paused while `isRunning` is false. */
function useRunningClock(isRunning: boolean): number {
  const [elapsedMs, setElapsedMs] = useState(0);
  useEffect(() => {
    if (!isRunning) return undefined;
    let lastMs = performance.now();
    const timer = setInterval(() => {
      const nowMs = performance.now();
      // A suspended tab must not catch up on missed time.
      const passedMs = Math.min(nowMs - lastMs, 2 * TICK_MS);
      lastMs = nowMs;
      setElapsedMs((before) => before + passedMs);
    }, TICK_MS);
    return () => {
      clearInterval(timer);
    };
  }, [isRunning]);
  return elapsedMs;
}

interface PreviewCardViewProps {
  readonly listing: PreviewListing;
  readonly phase: PreviewPhase;
  readonly ageText: string;
  /** Alternates each time the card moves on, which restarts its animation. */
  readonly swing: "even" | "odd";
}

/**
 * A small, non-interactive picture of the panel's product card.
 * Memoised: the preview's clock ticks five times a second, and most cards do not change.
 */
const PreviewCardView = memo(function PreviewCardView(props: PreviewCardViewProps) {
  const { listing, phase, ageText, swing } = props;
  return (
    <div className="preview-card" data-phase={phase} data-swing={swing}>
      <svg className="preview-card__hook" viewBox="0 0 24 44">
        <path d="M12 44V27c0-5 7-6 7-14a7 7 0 0 0-14 0" />
      </svg>
      <div className="preview-card__photo">
        <Garment name={listing.garment} cloth={listing.cloth} wall={listing.wall} />
        <span className="preview-card__tag strong">{listing.tag}</span>
        <span className="preview-card__age strong">{ageText}</span>
      </div>
      <div className="preview-card__facts">
        <span className="strong clip">{listing.title}</span>
        <span className="clip hint">
          {listing.size} · {listing.condition}
        </span>
        <span className="preview-card__price wide-voice">{formatCents(listing.priceCents)}</span>
        <BuyButtonPicture phase={phase} />
      </div>
    </div>
  );
});

/** A picture of the panel's buy button in each of its states. */
export function BuyButtonPicture({ phase }: { readonly phase: PreviewPhase }) {
  return (
    <span className="buy-picture line strong" data-phase={phase}>
      {phase === "idle" ? "Acheter" : null}
      {phase === "busy" ? <span className="buy-picture__spinner" /> : null}
      {phase === "bought" ? (
        <>
          <Icon name="check" />
          Déjà acheté
        </>
      ) : null}
    </span>
  );
}
