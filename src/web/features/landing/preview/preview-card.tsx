import { memo } from "react";
import { Icon } from "../icon.tsx";
import { Garment } from "./garment.tsx";
import type { PreviewPhase } from "./preview-frame.ts";
import { formatCents, type PreviewListing } from "./preview-listings.ts";
import "./preview-card.css";

interface PreviewCardViewProps {
  readonly listing: PreviewListing;
  readonly phase: PreviewPhase;
  readonly ageText: string;
  /** Alternates each time the card moves on, which restarts its animation. */
  readonly swing: "even" | "odd";
}

/**
 * The product card of the panel, in small. It only looks like one: nothing in it can be reached or pressed.
 * The preview's clock ticks five times a second and most cards have nothing new to show: those are left alone.
 */
export const PreviewCardView = memo(function PreviewCardView(props: PreviewCardViewProps) {
  const { listing, phase, ageText, swing } = props;
  return (
    <div className="preview-card" data-phase={phase} data-swing={swing}>
      <svg className="preview-card__hook" viewBox="0 0 24 44">
        <path d="M12 44V27c0-5 7-6 7-14a7 7 0 0 0-14 0" />
      </svg>
      <div className="preview-card__photo">
        <Garment name={listing.garment} cloth={listing.cloth} wall={listing.wall} />
        <span className="preview-card__tag">{listing.tag}</span>
        <span className="preview-card__age">{ageText}</span>
      </div>
      <div className="preview-card__facts">
        <span className="preview-card__title clip">{listing.title}</span>
        <span className="clip hint">
          {listing.size} · {listing.condition}
        </span>
        <span className="preview-card__price">{formatCents(listing.priceCents)}</span>
        <BuyButtonPicture phase={phase} />
      </div>
    </div>
  );
});

/** How the buy button looks in each of its states; the real one is in the panel. */
export function BuyButtonPicture({ phase }: { readonly phase: PreviewPhase }) {
  return (
    <span className="buy-picture" data-phase={phase}>
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
