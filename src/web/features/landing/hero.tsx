import { Icon } from "./icon.tsx";
import { PreviewRail } from "./preview/preview-rail.tsx";
import "./hero.css";

export function Hero({ isSubscriber }: { readonly isSubscriber: boolean }) {
  return (
    <section className="hero" id="haut" aria-labelledby="hero-title">
      <h1 className="hero__title" id="hero-title">
        La bonne pièce n’attend pas
        <span className="hero__dot" aria-hidden="true" />
      </h1>
      <div className="hero__row">
        <p className="hero__line">
          Synapse lit en direct les annonces de mode d'occasion, retient celles qui passent vos filtres et
          vous laisse acheter en un clic. Ou achète à votre place.
        </p>
        <div className="hero__actions">
          <a
            className="landing-button landing-button--volt"
            href={isSubscriber ? "/synapse/articles" : "#prix"}
          >
            {isSubscriber ? "Aller au Panel" : "Découvrir"}
            <Icon name="arrow" />
          </a>
          <a className="landing-button landing-button--quiet" href="#features">
            Explorer les Features
          </a>
        </div>
      </div>
      <PreviewRail />
    </section>
  );
}
