import { Icon } from "./icon.tsx";
import { Garment } from "./preview/garment.tsx";
import { previewListings } from "./preview/preview-listings.ts";
import "./teasers.css";

/** The offers at a glance; each links to its description. */
export function Teasers() {
  return (
    <section className="landing-section" aria-labelledby="teasers-title">
      <h2 className="landing-title" id="teasers-title">
        Chercher. Cliquer. Laisser faire.
      </h2>
      <div className="landing-thirds stack" data-gap="12">
        <article className="teaser card">
          <h3 className="teaser__name wide-voice">Seeker</h3>
          <p>
            Dites une fois ce que vous cherchez. Chaque annonce lue passe devant vos filtres, sans relâche.
          </p>
          <TeaserLink to="#seeker" name="Seeker" />
          <SeekerSign />
        </article>
        <article className="teaser card volt">
          <h3 className="teaser__name wide-voice">Clicker</h3>
          <p>
            Un bouton sur chaque article. Paiement et livraison sont déjà réglés&nbsp;: un clic, une réponse.
          </p>
          <TeaserLink to="#clicker" name="Clicker" />
          <ClickerSign />
        </article>
        <article className="teaser card">
          <h3 className="teaser__name wide-voice">
            Thunder <span className="teaser__and dim">&amp;</span> Acquire
          </h3>
          <p>L'achat automatique, sous vos plafonds, même quand l'onglet est fermé et que vous dormez.</p>
          <TeaserLink to="#acquire" name="Thunder et Acquire" />
          <AutoSign />
        </article>
      </div>
    </section>
  );
}

function TeaserLink({ to, name }: { readonly to: string; readonly name: string }) {
  return (
    <a className="teaser__link line strong" href={to}>
      Voir comment<span className="visually-hidden"> utiliser {name}</span>
      <Icon name="arrow" />
    </a>
  );
}

// A stream of articles, of which a filter's two matches are highlighted.
function SeekerSign() {
  return (
    <div className="teaser__sign teaser__stream" aria-hidden="true">
      {previewListings.map(({ title, garment, cloth, wall, tag }) => (
        <div key={title} data-found={tag === "Denim" || undefined}>
          <Garment name={garment} cloth={cloth} wall={wall} />
        </div>
      ))}
    </div>
  );
}

function ClickerSign() {
  return (
    <svg className="teaser__sign" viewBox="0 0 400 200" aria-hidden="true">
      <g fill="none" stroke="currentColor" strokeOpacity="0.32" strokeWidth="1.5">
        <circle cx="290" cy="150" r="60" />
        <circle cx="290" cy="150" r="104" />
        <circle cx="290" cy="150" r="152" />
        <circle cx="290" cy="150" r="204" />
      </g>
      <circle cx="290" cy="150" r="24" fill="currentColor" />
    </svg>
  );
}

function AutoSign() {
  return (
    <svg className="teaser__sign" viewBox="0 0 400 200" aria-hidden="true">
      <path className="teaser__bolt--acquire" d="M216 22 92 142h68l-30 110 134-146h-68z" />
      <path className="teaser__bolt--thunder" d="M340-14 208 118h72l-32 118L392 78h-72z" />
    </svg>
  );
}
