import { Icon } from "../icon.tsx";
import { formatCents } from "../preview/format-cents.ts";
import { Garment } from "../preview/garment.tsx";
import { previewListings, type PreviewListing } from "../preview/preview-listings.ts";
import "./picture.css";
import "./seeker-picture.css";

const CRITERIA = [
  "Vestes",
  "M ou L",
  "Dès «\u00A0Bon état\u00A0»",
  "Jusqu'à 40 €",
  "Sans «\u00A0troué\u00A0»",
];

// What the filter above answers on articles of the preview; null: it passes.
const reasonsByTitle: ReadonlyMap<string, string | null> = new Map([
  ["Veste en jean brut", null],
  ["Trench long beige", "Trop cher"],
  ["Doudoune vert sapin", null],
  ["Chemise à carreaux flanelle", "Pas une veste"],
  ["Veste de travail bleue", "Trop usée"],
]);
const seen = previewListings.filter(({ title }) => reasonsByTitle.has(title));

/** One filter, and what it makes of the listings that come by. */
export function SeekerPicture() {
  return (
    <figure className="picture" aria-label="Exemple : un filtre et son avis sur cinq annonces">
      <div className="picture__bar">
        <span className="picture__title">Vestes de mi-saison</span>
        <ul className="picture__chips">
          {CRITERIA.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      </div>
      <ul className="verdicts">
        {seen.map((listing) => (
          <Verdict key={listing.title} listing={listing} reason={reasonsByTitle.get(listing.title) ?? null} />
        ))}
      </ul>
    </figure>
  );
}

interface VerdictProps {
  readonly listing: PreviewListing;
  readonly reason: string | null;
}

function Verdict({ listing, reason }: VerdictProps) {
  return (
    <li className="verdict" data-passes={reason === null || undefined}>
      <Garment name={listing.garment} cloth={listing.cloth} wall={listing.wall} />
      <span className="verdict__facts">
        <span className="verdict__title">{listing.title}</span>
        <span className="verdict__details">
          {listing.size} · {listing.condition} · {formatCents(listing.priceCents)}
        </span>
      </span>
      <span className="verdict__word">
        <Icon name={reason === null ? "check" : "close"} />
        {reason ?? "Trouvé"}
      </span>
    </li>
  );
}
