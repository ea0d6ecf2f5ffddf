import { Icon } from "../icon.tsx";
import { formatCents } from "./format-cents.ts";
import { Garment } from "./garment.tsx";
import type { PreviewToast } from "./preview-frame.ts";
import "./preview-toast.css";

export function PreviewToastView({ toast }: { readonly toast: PreviewToast }) {
  const { listing, isLeaving } = toast;
  const isThunder = listing.buyer === "thunder";
  return (
    <div
      className="preview-toast"
      data-lane={isThunder ? "thunder" : "acquire"}
      data-leaving={isLeaving || undefined}
    >
      <Garment name={listing.garment} cloth={listing.cloth} wall={listing.wall} />
      <div>
        <span className="preview-toast__lane">
          <Icon name="bolt" />
          {isThunder ? "Acheté par Thunder" : "Acheté par Acquire"}
        </span>
        <span className="preview-toast__title">{listing.title}</span>
        <span className="preview-toast__price">
          {formatCents(listing.priceCents)} · filtre « {listing.tag} »
        </span>
      </div>
    </div>
  );
}
