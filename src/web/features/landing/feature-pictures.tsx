import { formatCount, formatEuros } from "../../ui/format.ts";
import { Icon } from "./icon.tsx";
import { Garment } from "./preview/garment.tsx";
import { BuyButtonPicture } from "./preview/preview-rail.tsx";
import { formatCents, previewListings, type PreviewListing } from "./preview/preview-listings.ts";
import "./feature-pictures.css";

const CRITERIA = [
  "Vestes",
  "M ou L",
  "Dès «\u00A0Bon état\u00A0»",
  "Jusqu'à 40\u00A0€",
  "Sans «\u00A0troué\u00A0»",
];

// Why the filter above rejects an article of the preview; null: it matches.
const reasonsByTitle: ReadonlyMap<string, string | null> = new Map([
  ["Veste en jean brut", null],
  ["Trench long beige", "Trop cher"],
  ["Doudoune vert sapin", null],
  ["Chemise à carreaux flanelle", "Pas une veste"],
  ["Veste de travail bleue", "Trop usée"],
]);
const seen = previewListings.filter(({ title }) => reasonsByTitle.has(title));

/** A filter, and its verdicts on five listings. */
export function SeekerPicture() {
  return (
    <figure className="picture card" aria-label="Exemple : un filtre et son avis sur cinq annonces">
      <div className="picture__bar stack" data-gap="12">
        <span className="picture__title strong">Vestes de mi-saison</span>
        <ul className="picture__chips row" data-gap="6">
          {CRITERIA.map((text) => (
            <li key={text} className="strong">
              {text}
            </li>
          ))}
        </ul>
      </div>
      <ul>
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
  const passes = reason === null;
  return (
    <li className="verdict" data-passes={passes || undefined}>
      <Garment name={listing.garment} cloth={listing.cloth} wall={listing.wall} />
      <span className="stack" data-gap="0">
        <span className={passes ? "strong" : "strong dim"}>{listing.title}</span>
        <span className="hint">
          {listing.size} · {listing.condition} · {formatCents(listing.priceCents)}
        </span>
      </span>
      <span className={`verdict__word line hint strong ${passes ? "volt" : ""}`}>
        <Icon name={passes ? "check" : "close"} />
        {reason ?? "Trouvé"}
      </span>
    </li>
  );
}

// Verbatim texts of the product (presenters/french-texts.ts).
const ANSWERS = [
  {
    tone: "good",
    text: "Achat confirmé\u00A0: «\u00A0Robe satinée rouille\u00A0», 21,74\u00A0€ livraison comprise.",
  },
  { tone: "waiting", text: "Votre banque attend votre confirmation." },
  { tone: "bad", text: "Le prix a augmenté\u00A0: rien n'a été payé." },
  { tone: "bad", text: "Cet article est déjà vendu." },
] as const;

/** The states of the buy button, and possible outcomes. */
export function ClickerPicture() {
  return (
    <figure
      className="picture card"
      aria-label="Les trois états du bouton Acheter et quatre réponses possibles"
    >
      <ol className="clicker__states stack" aria-hidden="true">
        <li>
          <BuyButtonPicture phase="idle" />
        </li>
        <li>
          <BuyButtonPicture phase="busy" />
        </li>
        <li>
          <BuyButtonPicture phase="bought" />
        </li>
      </ol>
      <ul className="clicker__answers stack" data-gap="8">
        {ANSWERS.map(({ tone, text }) => (
          <li key={text} className="toned strong" data-tone={tone}>
            {text}
          </li>
        ))}
      </ul>
    </figure>
  );
}

// The product's default limits (contract §5), with invented usage.
const gauges = [
  { label: "Aujourd'hui", used: formatEuros(128), limit: formatEuros(300), share: 128 / 300 },
  { label: "Ce mois-ci", used: formatEuros(642), limit: formatEuros(2000), share: 642 / 2000 },
  { label: "Achats du jour", used: formatCount(5), limit: formatCount(20), share: 5 / 20 },
];

/** The panel's spending limits, and its stop switch. */
export function AcquirePicture() {
  return (
    <figure className="picture card" aria-label="Exemple : les garde-fous, réglés par défaut">
      <div className="picture__bar stack" data-gap="12">
        <span className="picture__title strong">Garde-fous</span>
      </div>
      <ul className="acquire__gauges stack">
        {gauges.map(({ label, used, limit, share }) => (
          <li key={label}>
            <span className="acquire__label dim">{label}</span>
            <span className="acquire__figures dim">
              <strong className="wide-voice">{used}</strong> sur {limit}
            </span>
            <svg
              className="acquire__gauge wide"
              viewBox="0 0 100 4"
              preserveAspectRatio="none"
              aria-hidden="true"
            >
              <rect width="100" height="4" />
              <rect className="acquire__used" width={share * 100} height="4" />
            </svg>
          </li>
        ))}
      </ul>
      <div className="acquire__brake line between toned" data-tone="bad">
        <span>
          <strong className="strong">Tout arrêter</strong>
          <span>Plus aucun paiement automatique une seconde après.</span>
        </span>
        <span className="acquire__switch" aria-hidden="true" />
      </div>
    </figure>
  );
}

const QUEUE = [
  { lane: "thunder", name: "Thunder" },
  { lane: "acquire", name: "Acquire, filtre de Nora" },
  { lane: "acquire", name: "Acquire, filtre de Sami" },
] as const;

/** Three wishes for one article; the order in which they are served. */
export function ThunderPicture() {
  return (
    <figure
      className="picture thunder card"
      aria-label="Pour un même article, Thunder est servi en premier, Acquire ensuite"
    >
      <div className="thunder__piece">
        <Garment name="dress" cloth="#b4532f" wall="#e0d2c4" />
      </div>
      <ol className="thunder__queue stack">
        {QUEUE.map(({ lane, name }, index) => (
          <li key={name} data-lane={lane}>
            <span className="thunder__rank display-voice">{index + 1}</span>
            <span className="strong">{name}</span>
            <span className="thunder__run" aria-hidden="true" />
          </li>
        ))}
      </ol>
      <p className="wide dim">
        Un article, un seul achat&nbsp;: la file évite que les abonnés de Synapse se disputent la même pièce.
      </p>
    </figure>
  );
}
