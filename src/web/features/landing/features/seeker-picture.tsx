import { Icon } from "../icon.tsx";
import { Garment } from "../preview/garment.tsx";
import { previewListings } from "../preview/preview-listings.ts";
import "./picture.css";
import "./seeker-picture.css";

const CRITERIA = [
  "Vestes",
  "M ou L",
  "Dès «\u00A0Bon état\u00A0»",
  "Jusqu'à 40 €",
  "Sans «\u00A0troué\u00A0»",
];

// The verdict of the filter above on articles of the preview; null: it passes.
const verdicts: readonly {
  readonly index: number;
  readonly details: string;
  readonly reason: string | null;
}[] = [
  { index: 0, details: "M · Très bon état · 24,85 €", reason: null },
  { index: 2, details: "38 · Très bon état · 43,75 €", reason: "Trop cher" },
  { index: 9, details: "L · Bon état · 12,25 €", reason: "Pas une veste" },
  { index: 10, details: "M · Satisfaisant · 16,45 €", reason: "Trop usée" },
  { index: 6, details: "M · Bon état · 37,45 €", reason: null },
];

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
        {verdicts.map(({ index, details, reason }) => {
          const listing = previewListings[index];
          return listing === undefined ? null : (
            <li key={index} className="verdict" data-passes={reason === null || undefined}>
              <Garment name={listing.garment} cloth={listing.cloth} wall={listing.wall} />
              <span className="verdict__facts">
                <span className="verdict__title">{listing.title}</span>
                <span className="verdict__details">{details}</span>
              </span>
              <span className="verdict__word">
                <Icon name={reason === null ? "check" : "close"} />
                {reason ?? "Trouvé"}
              </span>
            </li>
          );
        })}
      </ul>
    </figure>
  );
}
