import { formatCount, formatEuros } from "../../../ui/format.ts";
import "./picture.css";
import "./acquire-picture.css";

// The product's own default limits (contract §5), half-way through an invented day.
const gauges = [
  { label: "Aujourd'hui", used: "128 €", limit: formatEuros(300), share: 128 / 300 },
  { label: "Ce mois-ci", used: "642 €", limit: formatEuros(2000), share: 642 / 2000 },
  { label: "Achats du jour", used: formatCount(5), limit: formatCount(20), share: 5 / 20 },
];

/** The money limits as the panel knows them, and the brake. */
export function AcquirePicture() {
  return (
    <figure className="picture acquire" aria-label="Exemple : les garde-fous, réglés par défaut">
      <div className="picture__bar">
        <span className="picture__title">Garde-fous</span>
      </div>
      <ul className="acquire__gauges">
        {gauges.map(({ label, used, limit, share }) => (
          <li key={label}>
            <span className="acquire__label">{label}</span>
            <span className="acquire__figures">
              <strong>{used}</strong> sur {limit}
            </span>
            <svg className="acquire__gauge" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
              <rect width="100" height="4" />
              <rect className="acquire__used" width={share * 100} height="4" />
            </svg>
          </li>
        ))}
      </ul>
      <div className="acquire__brake">
        <span>
          <strong>Tout arrêter</strong>
          <span>Plus aucun paiement automatique une seconde après.</span>
        </span>
        <span className="acquire__switch" aria-hidden="true" />
      </div>
    </figure>
  );
}
