/**
 * The public landing page: the product, its offers, the plans to come and the waiting list.
 * It does not use the component library, to keep its bundle small for phones.
 */
import "./landing.css";
import { useDeferredValue, useEffect } from "react";
import { useSession, type Session } from "../../api/session.ts";
import { ClosingSection } from "./closing-section.tsx";
import { FeaturesSection } from "./features-section.tsx";
import { Icon } from "./icon.tsx";
import { useLaterSections, usePageTitle } from "./page-document.ts";
import { RoomLight } from "./preview/garment.tsx";
import { PreviewRail } from "./preview/preview-rail.tsx";
import { PricingSection } from "./pricing-section.tsx";
import { SiteFooter } from "./site-footer.tsx";
import { SiteHeader } from "./site-header.tsx";
import { Teasers } from "./teasers.tsx";

export function LandingPage() {
  const session = useLandingSession();
  useArrivalQuestion(session);
  useLaterSections();
  usePageTitle("Synapse — trouvez et achetez la seconde main avant tout le monde");
  return (
    <div className="landing">
      <RoomLight />
      <SiteHeader anchorBase="" place={session.user?.waitlist} />
      <main id="contenu">
        <Hero isSubscriber={session.isSubscriber} />
        <Teasers />
        <FeaturesSection />
        <PricingSection user={session.user} />
        <ClosingSection session={session} />
      </main>
      <SiteFooter anchorBase="" />
    </div>
  );
}

const UNKNOWN: Session = { user: null, isKnown: false, isSubscriber: false };

/** The session; unknown until the page is hydrated, since the prerendered page is the same for every visitor. */
function useLandingSession(): Session {
  const session = useSession();
  return useDeferredValue(session.isKnown ? session : UNKNOWN, UNKNOWN);
}

export function Hero({ isSubscriber }: { readonly isSubscriber: boolean }) {
  return (
    <section className="hero" id="haut" aria-labelledby="hero-title">
      <h1 className="landing-title hero__title" id="hero-title">
        La bonne pièce n'attend pas
        <span className="hero__dot" aria-hidden="true" />
      </h1>
      <div className="hero__row">
        <p className="hero__line dim">
          Synapse lit en direct les annonces de mode d'occasion, retient celles qui passent vos filtres et
          vous laisse acheter en un clic. Ou achète à votre place.
        </p>
        <div className="hero__actions row" data-gap="12">
          <a className="landing-button volt" href={isSubscriber ? "/synapse/articles" : "#prix"}>
            {isSubscriber ? "Aller au Panel" : "Découvrir"}
            <Icon name="arrow" />
          </a>
          <a className="landing-button" href="#features">
            Explorer les Features
          </a>
        </div>
      </div>
      <PreviewRail />
    </section>
  );
}

/**
 * Whether the document itself was loaded at `/`, and not reached later by a client navigation.
 * @param documentAddress the address that the browser loaded; one that cannot be parsed counts as `/`
 */
export function isLoadOfLanding(documentAddress: string): boolean {
  return !URL.canParse(documentAddress) || new URL(documentAddress).pathname === "/";
}

/** Asks at most once per load of the document. */
interface ArrivalQuestion {
  /**
   * Called with the level as soon as it is known; only the first call counts.
   * @returns whether to leave for the panel
   */
  settle(level: number): boolean;
}

export function createArrivalQuestion(isLanding: boolean, confirm: () => boolean): ArrivalQuestion {
  let isSettled = !isLanding;
  return {
    settle(level) {
      if (isSettled) return false;
      isSettled = true;
      return level > 0 && confirm();
    },
  };
}

const PANEL_PATH = "/synapse/articles";

// One per document: returning by a client navigation does not ask again.
let question: ArrivalQuestion | undefined;

/** On arrival, asks a subscriber whether to go to the panel (specification §2). */
export function useArrivalQuestion({ isKnown, user }: Session): void {
  const level = user?.level ?? 0;
  useEffect(() => {
    if (!isKnown) return;
    question ??= createArrivalQuestion(isLoadOfLanding(loadedAddress()), () =>
      window.confirm("Aller au Synapse ?"),
    );
    if (question.settle(level)) window.location.assign(PANEL_PATH);
  }, [isKnown, level]);
}

/** The address that the browser loaded; unlike `location`, not changed by client navigations. */
function loadedAddress(): string {
  return performance.getEntriesByType("navigation")[0]?.name ?? window.location.href;
}
