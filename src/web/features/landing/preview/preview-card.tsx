import { formatAge } from "../../../ui/format.ts";
import { Icon } from "../icon.tsx";
import { Garment } from "./garment.tsx";
import type { PreviewCard, PreviewPhase } from "./preview-frame.ts";
import { formatCents } from "./format-cents.ts";
import "./preview-card.css";

interface PreviewCardViewProps {
  readonly card: PreviewCard;
  readonly elapsedMs: number;
}

/** The product card of the panel, in small. It only looks like one: nothing in it can be reached or pressed. */
export function PreviewCardView({ card, elapsedMs }: PreviewCardViewProps) {
  const { listing, phase, slot } = card;
  // Two names for one movement: a card that moves on swings anew.
  return (
    <div className="preview-card" data-phase={phase} data-swing={slot % 2 === 0 ? "even" : "odd"}>
      <svg className="preview-card__hook" viewBox="0 0 24 44">
        <path d="M12 44V27c0-5 7-6 7-14a7 7 0 0 0-14 0" />
      </svg>
      <div className="preview-card__photo">
        <Garment name={listing.garment} cloth={listing.cloth} wall={listing.wall} />
        <span className="preview-card__tag">{listing.tag}</span>
        <span className="preview-card__age">{formatAge(card.arrivedAtMs, elapsedMs)}</span>
      </div>
      <div className="preview-card__facts">
        <span className="preview-card__title">{listing.title}</span>
        <span className="preview-card__details">
          {listing.size} · {listing.condition}
        </span>
        <span className="preview-card__price">{formatCents(listing.priceCents)}</span>
        <BuyButtonPicture phase={phase} />
      </div>
    </div>
  );
}

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
