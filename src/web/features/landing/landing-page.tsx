/**
 * What a stranger sees first: what the product is, its offers, the plans to come and the waiting list.
 * It lives without the component library, so that it loads in one breath on a phone.
 */
import { RoomLight } from "./preview/garment.tsx";
import { useLandingSession } from "./use-landing-session.ts";
import { ClosingSection } from "./closing-section.tsx";
import { FeaturesSection } from "./features/features-section.tsx";
import { Hero } from "./hero.tsx";
import { PricingSection } from "./pricing-section.tsx";
import { SiteFooter } from "./site-footer.tsx";
import { SiteHeader } from "./site-header.tsx";
import { Teasers } from "./teasers.tsx";
import { useArrivalQuestion } from "./use-arrival-question.ts";
import { useHashTarget } from "./use-hash-target.ts";
import { usePageTitle } from "./use-page-title.ts";
import "./landing.css";

export function LandingPage() {
  const session = useLandingSession();
  useArrivalQuestion(session);
  useHashTarget();
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
