import { useRef, useState } from "react";
import { formatAge } from "../../../ui/format.ts";
import { Icon } from "../icon.tsx";
import { useIsOnScreen, usePrefersReducedMotion } from "./attention.ts";
import { PreviewCardView } from "./preview-card.tsx";
import { previewFrame, RAIL_LENGTH, STILL_MOMENT_MS } from "./preview-frame.ts";
import { PreviewToastView } from "./preview-toast.tsx";
import { useRunningClock } from "./running-clock.ts";
import "./preview-rail.css";

/** The stream as a clothes rail: what has just been found comes in at the left, the rest makes room. */
export function PreviewRail() {
  const rail = useRef<HTMLElement>(null);
  const [isPaused, setIsPaused] = useState(false);
  const isStill = usePrefersReducedMotion();
  const isOnScreen = useIsOnScreen(rail);
  const isRunning = isOnScreen && !isPaused && !isStill;
  const ranForMs = useRunningClock(isRunning);
  const elapsedMs = isStill ? STILL_MOMENT_MS : ranForMs;
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
                ageText={formatAge(card.arrivedAtMs, elapsedMs)}
                swing={card.slot % 2 === 0 ? "even" : "odd"}
              />
            </li>
          ))}
        </ul>
        {toast === null ? null : <PreviewToastView key={toast.key} toast={toast} />}
      </div>
      <figcaption className="rail__caption">
        <span className="rail__live">En direct</span>
        <span>Aperçu animé, articles fictifs</span>
        {isStill ? null : (
          <button
            type="button"
            className="rail__pause"
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
